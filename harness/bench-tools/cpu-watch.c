/* cpu-watch PID SECONDS: what the kernel's accounting says about a process and
 * its descendants, for `bench-cpu`. Prints one line: the mean share of one CPU
 * in percent, the standard deviation of its one-second windows, and the longest
 * busy burst in ms (sampled every 0.2 ms; a rest shows as 30 % of that idle, which is
 * more than a timer tick takes). Run it on another CPU. */

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>

#define MOST_PROCESSES 64
#define SAMPLE_NS      200000
#define SECOND_NS      1000000000

struct watch {
    unsigned count;
    clockid_t clock[MOST_PROCESSES];
};

static int64_t read_clock(clockid_t clock)
{
    struct timespec now;
    if (clock_gettime(clock, &now) != 0)
        return 0;
    return (int64_t)now.tv_sec * SECOND_NS + now.tv_nsec;
}

/* The process's CPU clock is exact to the ns at the time of reading, while the
 * figures in /proc lag behind by up to a timer tick. */
static int add_tree(struct watch *watch, long pid)
{
    char path[64];
    long child;
    if (watch->count == MOST_PROCESSES ||
        clock_getcpuclockid((pid_t)pid, &watch->clock[watch->count]) != 0)
        return -1;
    watch->count++;
    snprintf(path, sizeof path, "/proc/%ld/task/%ld/children", pid, pid);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -1;
    int failed = 0;
    while (failed == 0 && fscanf(file, "%ld", &child) == 1)
        failed = add_tree(watch, child);
    fclose(file);
    return failed;
}

static int64_t used_ns(const struct watch *watch)
{
    int64_t total_ns = 0;
    for (unsigned i = 0; i < watch->count; i++)
        total_ns += read_clock(watch->clock[i]);
    return total_ns;
}

static void sleep_until(int64_t time_ns)
{
    const struct timespec at = {time_ns / SECOND_NS, time_ns % SECOND_NS};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
}

/* One second; *burst_ns is how long the tree has been busy without a pause,
 * *longest_ns the longest such time. Returns the share in percent. */
static double watch_second(const struct watch *watch, int64_t *next_ns, int64_t *burst_ns,
                           int64_t *longest_ns)
{
    const int64_t first_ns = read_clock(CLOCK_MONOTONIC), first_used_ns = used_ns(watch);
    const int64_t end_ns = *next_ns + SECOND_NS;
    int64_t then_ns = first_ns, then_used_ns = first_used_ns;
    while (*next_ns < end_ns) {
        *next_ns += SAMPLE_NS;
        sleep_until(*next_ns);
        const int64_t at_ns = read_clock(CLOCK_MONOTONIC), at_used_ns = used_ns(watch);
        const int64_t passed_ns = at_ns - then_ns, busy_ns = at_used_ns - then_used_ns;
        *burst_ns = busy_ns * 10 >= passed_ns * 7 ? *burst_ns + passed_ns : 0;
        if (*burst_ns > *longest_ns)
            *longest_ns = *burst_ns;
        then_ns = at_ns;
        then_used_ns = at_used_ns;
    }
    return 100 * (double)(then_used_ns - first_used_ns) / (double)(then_ns - first_ns);
}

static int watch_tree(const struct watch *watch, long seconds)
{
    int64_t next_ns = read_clock(CLOCK_MONOTONIC), burst_ns = 0, longest_ns = 0;
    double sum = 0, squares = 0;
    for (long second = 0; second < seconds; second++) {
        const double share = watch_second(watch, &next_ns, &burst_ns, &longest_ns);
        sum += share;
        squares += share * share;
    }
    const double mean = sum / (double)seconds;
    const double variance = seconds > 1 ? (squares - sum * mean) / (double)(seconds - 1) : 0;
    return printf("%.4f %.4f %.3f\n", mean, sqrt(fmax(variance, 0)), (double)longest_ns / 1e6) < 0;
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
    struct watch watch = {0};
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
