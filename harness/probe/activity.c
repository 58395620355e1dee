/* Sources: proc_stat(5), proc_vmstat(5), proc_pid_net(5), proc_pid_io(5), tcp(7). */

#include "harness/probe/activity.h"

#include "harness/pressure/kinds.h"

#include "common/machine.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

static double seconds(clockid_t clock)
{
    struct timespec now;
    (void)clock_gettime(clock, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* The time in which CPUs were not idle, without what the hypervisor took. Idle time is measured,
 * where busy time is only sampled by the tick, which may see a task that works in short periods
 * always or never. */
static double cpu_s(double time_s, unsigned *cpus)
{
    struct counters counters;
    counters_read(&counters);
    *cpus = counters.cpus;
    if (counters.idle_us == UNKNOWN || counters.cpus == 0)
        return NAN;
    const double stolen_us = counters.steal_us == UNKNOWN ? 0 : (double)counters.steal_us;
    return time_s * counters.cpus - ((double)counters.idle_us + stolen_us) / 1e6;
}

static double field(const char *path, const char *name, const char *separators)
{
    char value[64];
    return machine_field(path, name, separators, value, sizeof value) ? strtod(value, NULL) : NAN;
}

static double faults(void)
{
    return field("/proc/vmstat", "pgfault", " ");
}

static double disk_bytes(const struct device *disk)
{
    struct device_counters counters;
    return device_count(disk, &counters) ? (double)(counters.read_bytes + counters.write_bytes)
                                         : NAN;
}

/* Received by each interface, and sent by all but the loopback, where each packet comes back. */
static double packets(void)
{
    char path[PATH_MAX], line[512];
    double sum = 0;
    bool any = false;
    FILE *file = fopen(machine_path("/proc/net/dev", path), "re");
    if (file == NULL)
        return NAN;
    while (fgets(line, sizeof line, file) != NULL) {
        char name[64];
        double received, sent;
        if (sscanf(line, " %63[^:]: %*s %lf %*s %*s %*s %*s %*s %*s %*s %lf", name, &received,
                   &sent) != 3)
            continue;
        sum += received + (strcmp(name, "lo") == 0 ? 0 : sent);
        any = true;
    }
    fclose(file);
    return any ? sum : NAN;
}

static void count(const struct activity_meter *meter, struct activity_counts *counts)
{
    struct rusage usage = {0};
    (void)getrusage(RUSAGE_SELF, &usage);
    counts->time_s = seconds(CLOCK_MONOTONIC);
    counts->all[ACTIVITY_CPU] = cpu_s(counts->time_s, &counts->cpus);
    counts->own[ACTIVITY_CPU] = seconds(CLOCK_PROCESS_CPUTIME_ID);
    counts->all[ACTIVITY_FAULTS] = faults();
    counts->own[ACTIVITY_FAULTS] = (double)(usage.ru_minflt + usage.ru_majflt);
    counts->all[ACTIVITY_DISK] = disk_bytes(&meter->disk);
    counts->own[ACTIVITY_DISK] =
        field("/proc/self/io", "read_bytes", ": ") + field("/proc/self/io", "write_bytes", ": ");
    counts->all[ACTIVITY_PACKETS] = packets();
    counts->own[ACTIVITY_PACKETS] = reporters_packets(meter->set);
}

void activity_open(struct activity_meter *meter, const char *directory,
                   const struct reporter_set *set)
{
    *meter = (struct activity_meter){.set = set};
    if (!device_of(kind_io_folder(directory), &meter->disk))
        meter->disk = (struct device){0};
    count(meter, &meter->since);
}

void activity_read(struct activity_meter *meter, double value[ACTIVITIES])
{
    struct activity_counts now;
    count(meter, &now);
    const struct activity_counts *was = &meter->since;
    for (enum activity a = 0; a < ACTIVITIES; a++) {
        const double done = now.all[a] - was->all[a] - (now.own[a] - was->own[a]);
        const double rate = done / (now.time_s - was->time_s);
        value[a] = isfinite(rate) ? fmax(rate, 0) : NAN;
    }
    if (now.cpus != was->cpus) /* what a CPU was not idle before it was there is nothing */
        value[ACTIVITY_CPU] = NAN;
    meter->since = now;
}

void activity_print(struct line *line, const double value[ACTIVITIES])
{
    line_array(line, "activity");
    for (enum activity a = 0; a < ACTIVITIES; a++) {
        line_object(line, NULL);
        line_text(line, "name", activities[a].name);
        line_text(line, "unit", activities[a].unit);
        if (isfinite(value[a]))
            line_real(line, "value", fmax(value[a], activities[a].least));
        else
            line_text(line, "reason", "this kernel does not show it");
        line_close(line);
    }
    line_close(line);
}
