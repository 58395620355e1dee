/* cpu-watch PID SECONDS: what the kernel's accounting says about a process and
 * its descendants, for `bench-cpu`. Prints one line: the mean share of one CPU
 * in percent, the standard deviation of its one-second windows, and the longest
 * burst of one of its threads in ms: how long it went without a voluntary rest,
 * sampled every 0.5 ms. Run it on another CPU.
 *
 * The CPU time of a thread that runs at that moment is known to within a timer
 * tick (1 to 4 ms), as everything that the kernel says about other processes. */

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define MOST_PROCESSES 64
#define MOST_THREADS   256
#define SAMPLE_NS      500000
#define SECOND_NS      1000000000

struct thread {
    int status;     /* open /proc/PID/task/TID/status */
    long rests;     /* voluntary switches so far */
    int64_t run_ns; /* since when it has been seen running without a rest; 0: not */
};

struct watch {
    unsigned processes, threads;
    clockid_t clock[MOST_PROCESSES];
    struct thread thread[MOST_THREADS];
    int64_t longest_ns;
};

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

static int add_tree(struct watch *watch, long pid);

/* A thread of a process, and that thread's children. */
static int add_thread(struct watch *watch, long pid, long tid)
{
    char path[96];
    long child;
    int failed = 0;
    if (watch->threads == MOST_THREADS)
        return -1;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/status", pid, tid);
    struct thread *thread = &watch->thread[watch->threads++];
    *thread = (struct thread){.status = open(path, O_RDONLY | O_CLOEXEC)};
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, tid);
    FILE *file = fopen(path, "re");
    if (thread->status < 0 || file == NULL)
        return -1;
    while (failed == 0 && fscanf(file, "%ld", &child) == 1)
        failed = add_tree(watch, child);
    fclose(file);
    return failed;
}

static int add_tree(struct watch *watch, long pid)
{
    char path[64];
    long tid;
    int failed = 0;
    if (watch->processes == MOST_PROCESSES ||
        clock_getcpuclockid((pid_t)pid, &watch->clock[watch->processes]) != 0)
        return -1;
    watch->processes++;
    /* Threads are few and their numbers close: no need to read the folder. */
    for (tid = pid; failed == 0 && tid < pid + MOST_THREADS; tid++) {
        snprintf(path, sizeof path, "/proc/%ld/task/%ld", pid, tid);
        if (access(path, F_OK) == 0)
            failed = add_thread(watch, pid, tid);
    }
    return failed;
}

static int64_t used_ns(const struct watch *watch)
{
    int64_t total_ns = 0;
    for (unsigned i = 0; i < watch->processes; i++)
        total_ns += read_clock(watch->clock[i]);
    return total_ns;
}

static void watch_thread(struct watch *watch, struct thread *thread, int64_t at_ns)
{
    char text[4096];
    const ssize_t length = pread(thread->status, text, sizeof text - 1, 0);
    text[length > 0 ? length : 0] = '\0';
    const char *state = strstr(text, "\nState:\t");
    const char *rests = strstr(text, "\nvoluntary_ctxt_switches:\t");
    const long count = rests == NULL ? 0 : strtol(rests + 26, NULL, 10);
    const bool running = state != NULL && state[8] == 'R' && count == thread->rests;
    thread->rests = count;
    if (!running)
        thread->run_ns = 0;
    else if (thread->run_ns == 0)
        thread->run_ns = at_ns;
    else if (at_ns - thread->run_ns > watch->longest_ns)
        watch->longest_ns = at_ns - thread->run_ns;
}

static void sleep_until(int64_t time_ns)
{
    const struct timespec at = {time_ns / SECOND_NS, time_ns % SECOND_NS};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

/* One second from *next_ns on; returns the share in percent. */
static double watch_second(struct watch *watch, int64_t *next_ns)
{
    const int64_t first_ns = read_clock(CLOCK_MONOTONIC), first_used_ns = used_ns(watch);
    const int64_t end_ns = *next_ns + SECOND_NS;
    while (*next_ns < end_ns) {
        *next_ns += SAMPLE_NS;
        sleep_until(*next_ns);
        for (unsigned i = 0; i < watch->threads; i++)
            watch_thread(watch, &watch->thread[i], read_clock(CLOCK_MONOTONIC));
    }
    const int64_t last_ns = read_clock(CLOCK_MONOTONIC);
    return 100 * (double)(used_ns(watch) - first_used_ns) / (double)(last_ns - first_ns);
}

static int watch_tree(struct watch *watch, long seconds)
{
    int64_t next_ns = read_clock(CLOCK_MONOTONIC);
    double sum = 0, squares = 0;
    for (long second = 0; second < seconds; second++) {
        const double share = watch_second(watch, &next_ns);
        sum += share;
        squares += share * share;
    }
    const double mean = sum / (double)seconds;
    const double variance = seconds > 1 ? (squares - sum * mean) / (double)(seconds - 1) : 0;
    return printf("%.4f %.4f %.3f\n", mean, sqrt(fmax(variance, 0)),
                  (double)watch->longest_ns / 1e6) < 0;
}

static int parse(const char *text, long *value)
{
    char *end = NULL;
    errno = 0;
    *value = strtol(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' && *value > 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    static struct watch watch;
    long pid, seconds;
    if (argc != 3 || parse(argv[1], &pid) != 0 || parse(argv[2], &seconds) != 0) {
        fputs("jostle: cpu-watch: wrong use: give PID SECONDS\n", stderr);
        return 2;
    }
    if (add_tree(&watch, pid) != 0) {
        fprintf(stderr, "jostle: cpu-watch: cannot watch process %ld: is it running?\n", pid);
        return 1;
    }
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
    return watch_tree(&watch, seconds);
}
