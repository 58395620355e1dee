// Reads what the kernel counts of the whole machine: CPU time, pressure, swapping, throttling,
// the network.
#include "common/counters.h"

#include "common/cgroup.h"
#include "common/clock.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/machine.h"
#include "common/memory_kills.h"
#include "common/processes.h"

#include <fcntl.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

// The kernel's counters. Sources: proc_stat(5), proc_vmstat(5), Linux
// Documentation/accounting/psi.rst and admin-guide/cgroup-v1/cpuacct.rst, and
// Documentation/scheduler/sched-stats.rst.

static const char *const paths[COUNTER_FILES] = {
    [COUNTER_STAT] = "/proc/stat",
    [COUNTER_VMSTAT] = "/proc/vmstat",
    [COUNTER_CPU_PRESSURE] = "/proc/pressure/cpu",
    [COUNTER_MEMORY_PRESSURE] = "/proc/pressure/memory",
    [COUNTER_IO_PRESSURE] = "/proc/pressure/io",
};

static int open_machine(const char *path)
{
    char whole[PATH_MAX];
    return open(machine_path(path, whole), O_RDONLY | O_CLOEXEC);
}

// The CPU time of all tasks to the nanosecond: cgroup v1 counts it in its root
// (release_agent is nowhere else); cgroup v2 has ticks there, too.
static int open_busy(void)
{
    static const char *const roots[] = {"/sys/fs/cgroup/cpuacct", "/sys/fs/cgroup/cpu,cpuacct"};
    int fd = -1;
    for (size_t i = 0; i < sizeof roots / sizeof roots[0] && fd < 0; i++) {
        char name[128], path[PATH_MAX];
        snprintf(name, sizeof name, "%s/release_agent", roots[i]);
        if (access(machine_path(name, path), F_OK) != 0)
            continue;
        snprintf(name, sizeof name, "%s/cpuacct.usage", roots[i]);
        fd = open_machine(name);
    }
    return fd;
}

// Only Intel's CPUs have it.
static void open_throttling(struct counter_files *files)
{
    char path[PATH_MAX];
    glob_t found;
    machine_path("/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count", path);
    if (glob(path, GLOB_NOSORT, NULL, &found) != 0)
        return;
    files->throttle_fd = calloc(found.gl_pathc, sizeof *files->throttle_fd);
    for (size_t i = 0; files->throttle_fd && i < found.gl_pathc; i++) {
        const int fd = open(found.gl_pathv[i], O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            files->throttle_fd[files->throttle_count++] = fd;
    }
    globfree(&found);
}

void counters_open(struct counter_files *files, bool often)
{
    struct sysinfo info;
    *files = (struct counter_files){.often = often, .network = often};
    for (size_t i = 0; i < COUNTER_FILES; i++)
        files->fd[i] = often && paths[i] ? open_machine(paths[i]) : -1;
    files->fd[COUNTER_BUSY] = open_busy();
    if (often) {
        files->fd[COUNTER_QUOTA] = cpus_throttled_open();
        files->fd[COUNTER_KILLS] = cgroup_kills_open();
    }
    files->swaps =
        !often || getenv("JOSTLE_KERNEL_ROOT") || (sysinfo(&info) == 0 && info.totalswap > 0);
    open_throttling(files);
}

void counters_close(struct counter_files *files)
{
    for (size_t i = 0; i < COUNTER_FILES; i++)
        if (files->fd[i] >= 0)
            (void)close(files->fd[i]);
    for (size_t i = 0; i < files->throttle_count; i++)
        (void)close(files->throttle_fd[i]);
    free(files->throttle_fd);
    *files = (struct counter_files){0};
    memset(files->fd, -1, sizeof files->fd);
}

// What is read once is opened when it is its turn.
static bool take_text(const struct counter_files *files, size_t file, char *text, size_t size)
{
    char whole[PATH_MAX];
    return files->often ? file_read_open(files->fd[file], text, size)
                        : file_read(AT_FDCWD, machine_path(paths[file], whole), text, size);
}

// The number that begins an open file; UNKNOWN where there is none.
static int64_t number_in(int fd)
{
    char text[64];
    uint64_t number;
    return file_read_open(fd, text, sizeof text) && file_number(text, "", &number) ? (int64_t)number
                                                                                   : UNKNOWN;
}

size_t cpus_busy_us(int64_t *busy_us, size_t most)
{
    char path[PATH_MAX], line[1024];
    size_t cpus = 0;
    FILE *file = fopen(machine_path("/proc/stat", path), "re");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0) {
        size_t cpu;
        long long user, nice, system, irq = 0, softirq = 0;
        if (sscanf(line, "cpu%zu %lld %lld %lld %*d %*d %lld %lld", &cpu, &user, &nice, &system,
                   &irq, &softirq) != 6 ||
            cpu >= most)
            continue;
        busy_us[cpu] = (user + nice + system + irq + softirq) * PROCESS_TICK_US;
        cpus = cpu + 1 > cpus ? cpu + 1 : cpus;
    }
    if (file)
        fclose(file);
    return cpus;
}

static unsigned count_cpus(void)
{
    char path[PATH_MAX], line[1024];
    unsigned cpus = 0;
    FILE *file = fopen(machine_path("/proc/stat", path), "re");
    while (file && fgets(line, sizeof line, file) && strncmp(line, "cpu", 3) == 0)
        cpus += line[3] != ' ';
    if (file)
        fclose(file);
    return cpus;
}

// The first line sums up the CPUs: user nice system idle iowait irq softirq steal
// (guests are part of user). Interrupts are nobody's load: they are left out.
// Ticks are samples: a task that works in short periods, as loads do, may be seen
// always or never.
static void take_cpus(struct counters *counters, const struct counter_files *files)
{
    char text[512];
    long long user, nice, system, idle = 0, waiting = 0, steal = 0;
    counters->busy_ns = counters->idle_us = counters->steal_us = UNKNOWN;
    if (take_text(files, COUNTER_STAT, text, sizeof text) &&
        sscanf(text, "cpu %lld %lld %lld %lld %lld %*d %*d %lld", &user, &nice, &system, &idle,
               &waiting, &steal) >= 3) {
        counters->busy_ns = (user + nice + system) * PROCESS_TICK_US * NS_PER_US;
        counters->idle_us = (idle + waiting) * PROCESS_TICK_US;
        counters->steal_us = steal * PROCESS_TICK_US;
    }
    const int64_t exact_ns = number_in(files->fd[COUNTER_BUSY]);
    if (exact_ns != UNKNOWN)
        counters->busy_ns = exact_ns;
    counters->busy_us = counters->busy_ns == UNKNOWN ? UNKNOWN : counters->busy_ns / NS_PER_US;
}

static void take_throttling(struct counters *counters, const struct counter_files *files)
{
    uint64_t throttled_ns;
    counters->throttle_count = UNKNOWN;
    for (size_t i = 0; i < files->throttle_count; i++) {
        const int64_t count = number_in(files->throttle_fd[i]);
        if (count != UNKNOWN)
            counters->throttle_count =
                (counters->throttle_count == UNKNOWN ? 0 : counters->throttle_count) + count;
    }
    counters->throttled_ns = cpus_throttled_ns(files->fd[COUNTER_QUOTA], &throttled_ns)
                                 ? (int64_t)throttled_ns
                                 : UNKNOWN;
}

static int64_t vmstat_field(const char *text, const char *name)
{
    uint64_t number;
    return file_number(text, name, &number) ? (int64_t)number : UNKNOWN;
}

// What is taken around each run comes from one read of a file that stays open.
static void take_vmstat(struct counters *counters, const struct counter_files *files)
{
    char text[16384];
    text[0] = '\n'; // before the first field
    const bool there = file_read_open(files->fd[COUNTER_VMSTAT], text + 1, sizeof text - 1);
    counters->machine_kills = there ? vmstat_field(text, "\noom_kill ") : UNKNOWN;
    if (files->swaps)
        counters->swap_in_pages = there ? vmstat_field(text, "\npswpin ") : UNKNOWN;
}

static void take_kills(struct counters *counters, const struct counter_files *files)
{
    uint64_t kills;
    counters->cgroup_kills =
        cgroup_kills(files->fd[COUNTER_KILLS], &kills) ? (int64_t)kills : UNKNOWN;
}

static void take_swap_space(struct counters *counters)
{
    const int64_t free_kib = machine_field_number("/proc/meminfo", "SwapFree", ": ");
    counters->swap_total_kib = machine_field_number("/proc/meminfo", "SwapTotal", ": ");
    counters->swap_used_kib = counters->swap_total_kib == UNKNOWN || free_kib == UNKNOWN
                                  ? UNKNOWN
                                  : counters->swap_total_kib - free_kib;
}

void pressure_parse(const char *text, int64_t *some_us, int64_t *full_us)
{
    uint64_t some, full;
    const char *line = strstr(text, "full ");
    *some_us = file_number(text, "total=", &some) ? (int64_t)some : UNKNOWN;
    *full_us = line && file_number(line, "total=", &full) ? (int64_t)full : UNKNOWN;
}

static void take_pressure(const struct counter_files *files, size_t file, int64_t *some_us,
                          int64_t *full_us)
{
    char text[512];
    pressure_parse(take_text(files, file, text, sizeof text) ? text : "", some_us, full_us);
}

static void take_load_average(double load_average[3])
{
    char line[256];
    if (!machine_line(line, sizeof line, "/proc/loadavg") ||
        sscanf(line, "%lf %lf %lf", &load_average[0], &load_average[1], &load_average[2]) != 3)
        load_average[0] = load_average[1] = load_average[2] = NAN;
}

struct network network_read(const char *path)
{
    struct network network = {UNKNOWN, UNKNOWN};
    char line[512];
    FILE *file = fopen(path, "re");
    while (file && fgets(line, sizeof line, file)) {
        char name[64];
        double received, sent;
        if (sscanf(line, " %63[^:]: %lf %*s %*s %*s %*s %*s %*s %*s %lf", name, &received, &sent) !=
            3)
            continue;
        if (network.bytes == UNKNOWN)
            network = (struct network){0, 0};
        if (strcmp(name, "lo") == 0)
            network.loopback_bytes += (int64_t)received;
        else
            network.bytes += (int64_t)(received + sent);
    }
    if (file)
        fclose(file);
    return network;
}

void counters_take(const struct counter_files *files, struct counters *counters)
{
    int64_t cpu_full_us; // newer kernels show it; of the whole machine it is 0
    *counters = (struct counters){.time = time(NULL)};
    take_cpus(counters, files);
    take_throttling(counters, files);
    if (files->often) {
        char path[PATH_MAX];
        take_vmstat(counters, files);
        take_kills(counters, files);
        counters->network = files->network ? network_read(machine_path("/proc/net/dev", path))
                                           : (struct network){UNKNOWN, UNKNOWN};
    }
    if (!files->often) {
        counters->swap_in_pages = machine_field_number("/proc/vmstat", "pswpin", " ");
        counters->cpus = count_cpus();
        counters->swap_out_pages = machine_field_number("/proc/vmstat", "pswpout", " ");
        take_swap_space(counters);
        take_load_average(counters->load_average);
    }
    take_pressure(files, COUNTER_CPU_PRESSURE, &counters->cpu_some_us, &cpu_full_us);
    take_pressure(files, COUNTER_MEMORY_PRESSURE, &counters->memory_some_us,
                  &counters->memory_full_us);
    take_pressure(files, COUNTER_IO_PRESSURE, &counters->io_some_us, &counters->io_full_us);
}

double foreign_most_cpus(double cpus)
{
    return fmin(0.05 * cpus, 1);
}

void counters_read(struct counters *counters)
{
    struct counter_files files;
    counters_open(&files, false);
    counters_take(&files, counters);
    counters_close(&files);
}
