/* windows cpu|burst|io PER_SECOND SECONDS COMMAND...: how exactly a program keeps a rate, by the
 * kernel's own figures, whatever the program is. Runs COMMAND, waits a second for it to
 * settle, then takes SECONDS windows of one second: of the CPU time of its processes (PER_SECOND
 * in CPUs) or of the bytes that they moved to and from block devices (in bytes). Ends COMMAND,
 * and prints lines:
 *
 *     achieved R         all windows together, as a part of what was wanted
 *     window_error E     root mean square of the windows' errors, in percent of what was wanted
 *     window_sd D        their standard deviation, in the same percent; with two windows or more
 *     burst_ms B         burst: how long one of its threads went without a voluntary rest at most,
 *                        looked at every 0.5 ms
 *
 * It stays off the first CPU, where loads are, if it has another. The CPU time of a thread that
 * runs at that moment is known to within a timer tick (1 to 4 ms), as everything that the kernel
 * says about other processes.
 *
 * Exit: 0 done, 1 COMMAND failed or moved nothing, 2 wrong use. */

#include "common/clock.h"
#include "common/file.h"
#include "common/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { SECOND_NS = 1000000000, SAMPLE_NS = 500000, FIRST_COMMAND = 4, MOST_THREADS = 256 };

struct wanted {
    bool io;    // else CPU time
    bool burst; // of its threads, too
    double per_second;
    unsigned seconds;
    char **command;
};

static void sleep_until(int64_t time_ns)
{
    const struct timespec at = {time_ns / SECOND_NS, time_ns % SECOND_NS};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

static double moved_by(pid_t pid)
{
    char path[48], text[512];
    uint64_t read = 0, written = 0;
    snprintf(path, sizeof path, "/proc/%d/io", (int)pid);
    if (file_read(AT_FDCWD, path, text, sizeof text)) {
        (void)file_number(text, "\nread_bytes: ", &read);
        (void)file_number(text, "\nwrite_bytes: ", &written);
    }
    return (double)(read + written);
}

// CPU seconds, or bytes, of all descendants so far.
static double used(const struct wanted *wanted)
{
    if (!wanted->io)
        return (double)tree_cpu_ns() / SECOND_NS;
    size_t count = 0;
    double bytes = 0;
    pid_t *list = tree_list(&count);
    for (size_t i = 0; i < count; i++)
        bytes += moved_by(list[i]);
    free(list);
    return bytes;
}

// The threads of COMMAND as they are when it has settled, and the longest burst of one.
struct thread {
    int status;     // open /proc/PID/task/TID/status
    long rests;     // voluntary switches so far
    int64_t run_ns; // since when it has been seen running without a rest; 0: not
};

struct threads {
    size_t count;
    struct thread thread[MOST_THREADS];
    int64_t longest_ns;
};

static void threads_of(struct threads *threads, pid_t pid)
{
    char path[48];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder != NULL && (entry = readdir(folder)) != NULL;) {
        char name[sizeof entry->d_name + 8];
        snprintf(name, sizeof name, "%s/status", entry->d_name);
        const int status =
            entry->d_name[0] == '.' ? -1 : openat(dirfd(folder), name, O_RDONLY | O_CLOEXEC);
        if (status >= 0 && threads->count < MOST_THREADS)
            threads->thread[threads->count++] = (struct thread){.status = status};
    }
    if (folder != NULL)
        closedir(folder);
}

static void look(struct threads *threads, struct thread *thread)
{
    char text[4096];
    if (!file_read_open(thread->status, text, sizeof text))
        text[0] = '\0';
    const char *state = strstr(text, "\nState:\t");
    const char *rests = strstr(text, "\nvoluntary_ctxt_switches:\t");
    const long count = rests == NULL ? 0 : strtol(rests + 26, NULL, 10);
    const bool running = state != NULL && state[8] == 'R' && count == thread->rests;
    const int64_t at_ns = clock_ns();
    thread->rests = count;
    if (!running)
        thread->run_ns = 0;
    else if (thread->run_ns == 0)
        thread->run_ns = at_ns;
    else if (at_ns - thread->run_ns > threads->longest_ns)
        threads->longest_ns = at_ns - thread->run_ns;
}

// Until end_ns, with the threads looked at meanwhile; there are none to look at without `burst`.
static void pass(struct threads *threads, int64_t end_ns)
{
    for (int64_t at_ns = end_ns - SECOND_NS; threads->count > 0 && at_ns < end_ns;
         at_ns += SAMPLE_NS) {
        sleep_until(at_ns);
        for (size_t i = 0; i < threads->count; i++)
            look(threads, &threads->thread[i]);
    }
    sleep_until(end_ns);
}

// Prints the figures, unless COMMAND has ended by then.
static bool watch(const struct wanted *wanted, pid_t pid)
{
    static struct threads threads;
    int64_t at_ns = clock_ns() + SECOND_NS;
    sleep_until(at_ns);
    size_t count = 0;
    pid_t *list = wanted->burst ? tree_list(&count) : NULL;
    for (size_t i = 0; i < count; i++)
        threads_of(&threads, list[i]);
    free(list);
    const double first = used(wanted), first_s = (double)clock_ns() / SECOND_NS;
    double last = first, last_s = first_s, sum = 0, squares = 0;
    for (unsigned i = 0; i < wanted->seconds; i++) {
        pass(&threads, at_ns += SECOND_NS);
        const double value = used(wanted), time_s = (double)clock_ns() / SECOND_NS;
        const double error = (value - last) / (time_s - last_s) / wanted->per_second - 1;
        sum += error;
        squares += error * error;
        last = value;
        last_s = time_s;
    }
    if (waitpid(pid, NULL, WNOHANG) != 0 || last <= first)
        return false;
    printf("achieved %.6f\nwindow_error %.5f\n",
           (last - first) / (last_s - first_s) / wanted->per_second,
           100 * sqrt(squares / wanted->seconds));
    if (wanted->seconds > 1)
        printf("window_sd %.5f\n",
               100 * sqrt(fmax(squares - sum * sum / wanted->seconds, 0) / (wanted->seconds - 1)));
    if (wanted->burst)
        printf("burst_ms %.3f\n", (double)threads.longest_ns / 1e6);
    return fflush(stdout) == 0;
}

// Fails where there is no other CPU, or the timer has no slack: then the figures are a little
// worse.
static void stay_off_first(void)
{
    cpu_set_t cpus;
    if (sched_getaffinity(0, sizeof cpus, &cpus) == 0) {
        CPU_CLR(0, &cpus);
        sched_setaffinity(0, sizeof cpus, &cpus);
    }
    prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
}

static int measure(const struct wanted *wanted)
{
    if (prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0)
        return 1;
    const pid_t pid = fork();
    if (pid < 0)
        return 1;
    if (pid == 0) {
        if (prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0) == 0 &&
            dup2(STDERR_FILENO, STDOUT_FILENO) == STDOUT_FILENO)
            execvp(wanted->command[0], wanted->command);
        perror(wanted->command[0]);
        _exit(127);
    }
    stay_off_first();
    const bool good = watch(wanted, pid);
    tree_signal(SIGTERM);
    while (wait(NULL) > 0 || errno == EINTR)
        continue;
    if (!good)
        fprintf(stderr, "jostle: windows: %s ended too early, or did nothing\n",
                wanted->command[0]);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    struct wanted wanted = {.command = argv + FIRST_COMMAND};
    char *end = NULL;
    if (argc > FIRST_COMMAND) {
        wanted.io = strcmp(argv[1], "io") == 0;
        wanted.burst = strcmp(argv[1], "burst") == 0;
        wanted.per_second = strtod(argv[2], &end);
        wanted.seconds = (unsigned)strtoul(argv[3], NULL, 10);
    }
    if (argc <= FIRST_COMMAND || (!wanted.io && !wanted.burst && strcmp(argv[1], "cpu") != 0) ||
        *end != '\0' || wanted.per_second <= 0 || wanted.seconds == 0) {
        fputs("jostle: windows: wrong use: give cpu|burst|io PER_SECOND SECONDS COMMAND...\n",
              stderr);
        return 2;
    }
    return measure(&wanted);
}
