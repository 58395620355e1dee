/* loadgen record: writes down how busy each CPU is, from /proc/stat, so that
 * `loadgen cpu --profile` can do the same again. Time that the hypervisor stole
 * is not load: it is recorded separately. */

#include "load.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* USER_HZ ticks that one CPU has spent, as proc(5) /proc/stat counts them. */
struct cpu_ticks {
    unsigned cpu;
    unsigned long long user, nice, system, idle, iowait, irq, softirq, steal;
};

struct sample {
    unsigned count;
    struct cpu_ticks *cpus;
};

static volatile sig_atomic_t ended;

static void on_signal(int number)
{
    (void)number;
    ended = 1;
}

/* Reads all cpuN lines. 0, or -1 with errno. */
static int take_sample(struct sample *sample, unsigned capacity)
{
    char text[512];
    FILE *file = fopen("/proc/stat", "re");
    if (file == NULL)
        return -1;
    sample->count = 0;
    while (sample->count < capacity && fgets(text, sizeof text, file) != NULL) {
        struct cpu_ticks *cpu = &sample->cpus[sample->count];
        *cpu = (struct cpu_ticks){0};
        if (strncmp(text, "cpu", 3) != 0 || !isdigit((unsigned char)text[3]))
            continue; /* "cpu " is the sum */
        if (sscanf(text, "cpu%u %llu %llu %llu %llu %llu %llu %llu %llu", &cpu->cpu, &cpu->user,
                   &cpu->nice, &cpu->system, &cpu->idle, &cpu->iowait, &cpu->irq, &cpu->softirq,
                   &cpu->steal) >= 5)
            sample->count++;
    }
    fclose(file);
    return 0;
}

static double busy_ticks(const struct cpu_ticks *cpu)
{
    return (double)(cpu->user + cpu->nice + cpu->system + cpu->irq + cpu->softirq);
}

/* Percent of a time in which these ticks passed; both counters may step by a
 * tick more than the time has room for. */
static double percent(double ticks, double seconds, long hz)
{
    const double share = 100 * ticks / (seconds * (double)hz);
    return share < 0 ? 0 : share > 100 ? 100 : share;
}

/* guest time is part of user time, so nothing is counted twice. */
static void write_values(FILE *file, const struct sample *before, const struct sample *after,
                         double seconds, bool steal)
{
    const long hz = sysconf(_SC_CLK_TCK);
    for (unsigned i = 0; i < after->count; i++) {
        const struct cpu_ticks *a = &after->cpus[i], *b = &before->cpus[i];
        const double ticks = steal ? (double)(a->steal - b->steal) : busy_ticks(a) - busy_ticks(b);
        fprintf(file, "%s%.2f", i == 0 ? "" : ",", percent(ticks, seconds, hz));
    }
}

static int write_span(FILE *file, const struct sample *before, const struct sample *after,
                      double end_ms, double seconds)
{
    fprintf(file, "{\"time_ms\":%.3f,\"load\":[", end_ms);
    write_values(file, before, after, seconds, false);
    fputs("],\"steal\":[", file);
    write_values(file, before, after, seconds, true);
    fputs("]}\n", file);
    return fflush(file) == 0 && !ferror(file) ? 0 : -1;
}

static int write_header(FILE *file, const struct sample *sample, int64_t interval_ns)
{
    struct utsname system = {0};
    struct line line = {0};
    char now[64];
    const time_t seconds = time(NULL);
    struct tm date;
    uname(&system);
    strftime(now, sizeof now, "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&seconds, &date));
    line_object(&line, NULL);
    line_text(&line, "schema", "jostle.profile/1");
    line_count(&line, "cores", sample->count);
    line_text(&line, "unit", "percent");
    line_fixed(&line, "interval_ms", (double)interval_ns / 1e6, 6);
    line_text(&line, "recorded", now);
    line_text(&line, "kernel", system.release);
    const char *text = line_end(&line);
    const bool written = text != NULL && fputs(text, file) >= 0;
    line_free(&line);
    return written ? 0 : -1;
}

/* Sleeps until then; false when a signal has ended the recording. */
static bool sleep_to(int64_t time_ns)
{
    const struct timespec at = {time_ns / 1000000000, time_ns % 1000000000};
    while (!ended && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
    return !ended;
}

/* Until the duration is over or a signal comes. 0, or -1 with errno. */
static int record(FILE *file, const struct common *common, struct sample samples[2],
                  unsigned capacity)
{
    const int64_t interval_ns = common->interval_ns > 0 ? common->interval_ns : 1000000000;
    const int64_t start_ns = now_ns();
    const int64_t end_ns = common->duration_ns > 0 ? start_ns + common->duration_ns : INT64_MAX;
    int64_t then_ns = start_ns, next_ns = start_ns;
    if (take_sample(&samples[0], capacity) != 0 ||
        write_header(file, &samples[0], interval_ns) != 0)
        return -1;
    for (unsigned i = 1; next_ns + interval_ns <= end_ns; i++) {
        struct sample *before = &samples[(i + 1) % 2], *after = &samples[i % 2];
        next_ns += interval_ns;
        if (!sleep_to(next_ns))
            return 0;
        const int64_t at_ns = now_ns();
        if (take_sample(after, capacity) != 0)
            return -1;
        if (after->count != before->count) {
            errno = ENODEV; /* a CPU has come or gone */
            return -1;
        }
        if (write_span(file, before, after, (double)(at_ns - start_ns) / 1e6,
                       (double)(at_ns - then_ns) / 1e9) != 0)
            return -1;
        then_ns = at_ns;
    }
    return 0;
}

static int record_instead(struct run *run)
{
    const unsigned capacity = (unsigned)sysconf(_SC_NPROCESSORS_CONF);
    struct sample samples[2] = {{.cpus = calloc(capacity, sizeof(struct cpu_ticks))},
                                {.cpus = calloc(capacity, sizeof(struct cpu_ticks))}};
    const struct sigaction action = {.sa_handler = on_signal};
    const char *path = run->arguments[0];
    int failed = samples[0].cpus == NULL || samples[1].cpus == NULL;
    FILE *file = failed ? NULL : strcmp(path, "-") == 0 ? stdout : fopen(path, "we");
    for (size_t i = 0; i < 3; i++)
        sigaction((const int[]){SIGINT, SIGTERM, SIGHUP}[i], &action, NULL);
    if (file == NULL || record(file, &run->common, samples, capacity) != 0)
        failed = 1;
    if (failed)
        complain("cannot record to %s: %s: give a file that can be written", path, strerror(errno));
    if (file != NULL && fclose(file) != 0 && !failed) {
        complain("cannot write %s: %s: is the disk full?", path, strerror(errno));
        failed = 1;
    }
    free(samples[0].cpus);
    free(samples[1].cpus);
    return failed;
}

static void record_check(struct run *run)
{
    if (run->argument_count != 1)
        usage_error("record: %s: loadgen record [--interval TIME] [--duration TIME] FILE",
                    run->argument_count == 0 ? "no file to write to" : "one file only");
    if (run->common.interval_ns > 0 && run->common.interval_ns < 20000000)
        usage_error("--interval: the kernel counts in ticks of 10 ms: give at least 20ms");
}

static const struct load_special special = {
    .arguments = "FILE",
    .without = "threads cpus limit nice json control calib if-missing calibration",
    .instead = record_instead,
};

static const struct load record_load = {
    .name = "record",
    .summary = "records how busy each CPU is, for cpu --profile",
    .details = "FILE gets one JSON line a span (- is stdout); the interval is 1 s unless given. "
               "It ends after --duration, or by Ctrl-C. User, nice, system, irq and softirq time "
               "count as load, steal is recorded separately.",
    .check = record_check,
    .special = &special,
};
LOADGEN_REGISTER(record_load);
