#include "common/machine.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The kernel's counters. Sources: proc_stat(5), proc_vmstat(5), Linux
// Documentation/accounting/psi.rst and admin-guide/cgroup-v1/cpuacct.rst.

// Ticks of /proc/stat last 10 ms on every architecture that matters (USER_HZ).
#define TICK_US 10000

// The CPU time of all tasks to the nanosecond: cgroup v1 counts it in its root
// (release_agent is nowhere else); cgroup v2 has ticks there, too.
static int64_t exact_busy_us(void)
{
    static const char *const roots[] = {"/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct"};
    for (size_t i = 0; i < sizeof roots / sizeof roots[0]; i++) {
        char name[128], path[PATH_MAX];
        snprintf(name, sizeof name, "%s/release_agent", roots[i]);
        if (access(machine_path(name, path), F_OK) != 0)
            continue;
        snprintf(name, sizeof name, "%s/cpuacct.usage", roots[i]);
        const int64_t busy_ns = machine_number(name);
        if (busy_ns != UNKNOWN)
            return busy_ns / 1000;
    }
    return UNKNOWN;
}

// The first line sums up the CPUs: user nice system idle iowait irq softirq steal
// (guests are part of user). Interrupts are nobody's load: they are left out.
// Ticks are samples: a task that works in short periods, as loads do, may be seen
// always or never.
static void read_cpus(struct counters *counters)
{
    char path[PATH_MAX], line[1024];
    counters->cpus = 0;
    counters->busy_us = counters->idle_us = counters->steal_us = UNKNOWN;
    FILE *file = fopen(machine_path("/proc/stat", path), "re");
    if (!file)
        return;
    while (fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0) {
        long long user, nice, system, idle = 0, waiting = 0, steal = 0;
        if (line[3] != ' ')
            counters->cpus++;
        else if (sscanf(line, "cpu %lld %lld %lld %lld %lld %*d %*d %lld", &user, &nice, &system,
                        &idle, &waiting, &steal) >= 3) {
            counters->busy_us = (user + nice + system) * TICK_US;
            counters->idle_us = (idle + waiting) * TICK_US;
            counters->steal_us = steal * TICK_US;
        }
    }
    fclose(file);
    const int64_t exact_us = counters->busy_us == UNKNOWN ? UNKNOWN : exact_busy_us();
    if (exact_us != UNKNOWN)
        counters->busy_us = exact_us;
}

static int64_t number_of(const char *path, const char *name, const char *separators)
{
    char value[64];
    return machine_field(path, name, separators, value, sizeof value) ? strtoll(value, NULL, 10)
                                                                      : UNKNOWN;
}

static void read_swapping(struct counters *counters)
{
    counters->swap_in_pages = number_of("/proc/vmstat", "pswpin", " ");
    counters->swap_out_pages = number_of("/proc/vmstat", "pswpout", " ");
}

// Only Intel's CPUs have it.
static void read_throttling(struct counters *counters)
{
    char path[PATH_MAX];
    glob_t found;
    counters->throttle_count = UNKNOWN;
    machine_path("/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count", path);
    if (glob(path, GLOB_NOSORT, NULL, &found) != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++) {
        long long count;
        FILE *file = fopen(found.gl_pathv[i], "re");
        if (!file)
            continue;
        if (fscanf(file, "%lld", &count) == 1)
            counters->throttle_count =
                (counters->throttle_count == UNKNOWN ? 0 : counters->throttle_count) + count;
        fclose(file);
    }
    globfree(&found);
}

static void read_swap_space(struct counters *counters)
{
    const int64_t free_kib = number_of("/proc/meminfo", "SwapFree", ": ");
    counters->swap_total_kib = number_of("/proc/meminfo", "SwapTotal", ": ");
    counters->swap_used_kib = counters->swap_total_kib == UNKNOWN || free_kib == UNKNOWN
                                  ? UNKNOWN
                                  : counters->swap_total_kib - free_kib;
}

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000", and mostly "full ..."
static void read_pressure(const char *path, int64_t *some_us, int64_t *full_us)
{
    char line[256];
    const char *total;
    *some_us = *full_us = UNKNOWN;
    if (machine_field(path, "some", " ", line, sizeof line) &&
        (total = strstr(line, "total=")) != NULL)
        *some_us = strtoll(total + 6, NULL, 10);
    if (machine_field(path, "full", " ", line, sizeof line) &&
        (total = strstr(line, "total=")) != NULL)
        *full_us = strtoll(total + 6, NULL, 10);
}

static void read_load_average(double load_average[3])
{
    char line[256];
    if (!machine_line("/proc/loadavg", line, sizeof line) ||
        sscanf(line, "%lf %lf %lf", &load_average[0], &load_average[1], &load_average[2]) != 3)
        load_average[0] = load_average[1] = load_average[2] = NAN;
}

void counters_read(struct counters *counters)
{
    int64_t cpu_full_us; // newer kernels show it; of the whole machine it is 0
    counters->time = time(NULL);
    read_cpus(counters);
    read_swapping(counters);
    read_throttling(counters);
    read_swap_space(counters);
    read_load_average(counters->load_average);
    read_pressure("/proc/pressure/cpu", &counters->cpu_some_us, &cpu_full_us);
    read_pressure("/proc/pressure/memory", &counters->memory_some_us, &counters->memory_full_us);
    read_pressure("/proc/pressure/io", &counters->io_some_us, &counters->io_full_us);
}

#define POWERCAP "/sys/class/powercap"
#define MOST_W   1000.0 // no package is known that takes more

static int64_t energy_now_ns(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t energy_number(size_t package, const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, POWERCAP "/intel-rapl:%zu/%s", package, name);
    return machine_number(path);
}

// Of AMD, too: the driver is the same. Zones of a second level (intel-rapl:0:0) are parts of a
// package.
void energy_read(struct energy *energy)
{
    *energy = (struct energy){.at_ns = energy_now_ns()};
    for (size_t i = 0; i < ENERGY_PACKAGES; i++) {
        char path[PATH_MAX], name[64];
        snprintf(path, sizeof path, POWERCAP "/intel-rapl:%zu/name", i);
        // A zone of the whole platform (psys) has the packages in it.
        if (!machine_line(path, name, sizeof name) || name[0] != 'p' || name[1] != 'a')
            continue;
        const int64_t uj = energy_number(i, "energy_uj"),
                      range = energy_number(i, "max_energy_range_uj");
        const int64_t most_uw = energy_number(i, "constraint_0_max_power_uw");
        if (uj < 0 || range <= 0) {
            energy->count = 0;
            return;
        }
        energy->package[energy->count].uj = (uint64_t)uj;
        energy->package[energy->count].range_uj = (uint64_t)range;
        energy->package[energy->count++].most_w = most_uw > 0 ? 2 * (double)most_uw / 1e6 : MOST_W;
    }
}

double energy_between(const struct energy *before, const struct energy *after)
{
    const double seconds = (double)(after->at_ns - before->at_ns) / 1e9;
    double joules = 0;
    if (before->count == 0 || after->count != before->count)
        return NAN;
    for (size_t i = 0; i < before->count; i++) {
        const uint64_t from = before->package[i].uj, to = after->package[i].uj;
        const uint64_t range = before->package[i].range_uj;
        if (seconds * before->package[i].most_w > (double)range / 1e6)
            return NAN;
        joules += (double)(to >= from ? to - from : range - from + to) / 1e6;
    }
    return joules;
}

double energy_idle_w(void)
{
    struct energy before, after;
    energy_read(&before);
    if (before.count == 0)
        return NAN;
    (void)sleep(1);
    energy_read(&after);
    return energy_between(&before, &after) / ((double)(after.at_ns - before.at_ns) / 1e9);
}
