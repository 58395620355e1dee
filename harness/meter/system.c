#include "system.h"

#include "clock.h"
#include "common/file.h"
#include "common/machine.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

// read_below: the start of a file of the machine. False with errno.
static bool read_below(const struct system_sources *sources, const char *path, char *text,
                       size_t size)
{
    char whole[PATH_MAX];
    (void)snprintf(whole, sizeof whole, "%s%s", sources->root, path);
    return file_read(AT_FDCWD, whole, text, size);
}

static int open_below(const struct system_sources *sources, const char *path)
{
    char whole[PATH_MAX];
    (void)snprintf(whole, sizeof whole, "%s%s", sources->root, path);
    return open(whole, O_RDONLY | O_CLOEXEC);
}

// open_busy: cgroup v1 counts the CPU time of all tasks to the nanosecond, in its
// root (and release_agent is nowhere else). cgroup v2 has ticks there, too.
static int open_busy(const struct system_sources *sources)
{
    static const char *const folders[] = {"cpuacct", "cpu,cpuacct"};
    char path[PATH_MAX];
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, sizeof path, "%s/sys/fs/cgroup/%s/release_agent", sources->root,
                       folders[i]);
        if (access(path, F_OK) != 0)
            continue;
        (void)snprintf(path, sizeof path, "/sys/fs/cgroup/%s/cpuacct.usage", folders[i]);
        const int fd = open_below(sources, path);
        if (fd >= 0)
            return fd;
    }
    return -1;
}

static void open_files(struct system_sources *sources)
{
    static const char *const paths[SYSTEM_FILES] = {
        [SYSTEM_CPU_PRESSURE] = "/proc/pressure/cpu",
        [SYSTEM_MEMORY_PRESSURE] = "/proc/pressure/memory",
        [SYSTEM_IO_PRESSURE] = "/proc/pressure/io",
        [SYSTEM_STAT] = "/proc/stat",
    };
    for (size_t i = 0; i < SYSTEM_FILES; i++)
        sources->fd[i] = paths[i] == NULL ? -1 : open_below(sources, paths[i]);
    sources->fd[SYSTEM_BUSY] = open_busy(sources);
    sources->fd[SYSTEM_QUOTA] = cpus_throttled_open();
}

static void find_throttling(struct system_sources *sources)
{
    const long cpus = sysconf(_SC_NPROCESSORS_CONF);
    if (cpus <= 0 || (sources->throttle_fds = calloc((size_t)cpus, sizeof(int))) == NULL)
        return;
    for (long cpu = 0; cpu < cpus; cpu++) {
        char path[PATH_MAX];
        (void)snprintf(path, sizeof path,
                       "%s/sys/devices/system/cpu/cpu%ld/thermal_throttle/core_throttle_count",
                       sources->root, cpu);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        if (fd >= 0)
            sources->throttle_fds[sources->throttle_count++] = fd;
    }
}

void system_find(struct system_sources *sources)
{
    struct sysinfo info;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    const char *root = getenv("JOSTLE_KERNEL_ROOT");
    *sources = (struct system_sources){.root = root == NULL ? "" : root,
                                       .cpus = cpus > 0 ? (unsigned)cpus : 1};
    sources->swaps = root != NULL || (sysinfo(&info) == 0 && info.totalswap > 0);
    open_files(sources);
    find_throttling(sources);
}

void system_forget(struct system_sources *sources)
{
    for (size_t i = 0; i < SYSTEM_FILES; i++)
        if (sources->fd[i] >= 0)
            (void)close(sources->fd[i]);
    for (size_t i = 0; i < sources->throttle_count; i++)
        (void)close(sources->throttle_fds[i]);
    free(sources->throttle_fds);
    sources->throttle_fds = NULL;
    sources->throttle_count = 0;
}

// A pressure file has a line "some ... total=N" and mostly one "full ... total=N".
static bool read_pressure(int fd, uint64_t *some_us, uint64_t *full_us)
{
    char text[512];
    if (!file_read_open(fd, text, sizeof text))
        return false;
    if (!file_number(text, "total=", some_us))
        return false;
    const char *full = strstr(text, "full ");
    if (full_us != NULL && full != NULL)
        return file_number(full, "total=", full_us);
    return true;
}

// The first line of /proc/stat, in clock ticks of all CPUs together. Guests are
// part of user; interrupts are nobody's load.
static void read_cpu_times(struct system_totals *totals, const struct system_sources *sources)
{
    enum { USER, NICE, SYSTEM, IDLE, IOWAIT, IRQ, SOFTIRQ, STEAL, FIELDS };
    char text[512];
    uint64_t ticks[FIELDS] = {0};
    const long ticks_per_s = sysconf(_SC_CLK_TCK);
    if (ticks_per_s <= 0 || !file_read_open(sources->fd[SYSTEM_STAT], text, sizeof text) ||
        strncmp(text, "cpu ", 4) != 0)
        return;
    const char *field = text + 3;
    for (int i = 0; i < FIELDS && field != NULL; i++) {
        if (!file_number(field, " ", &ticks[i]))
            break;
        field += strspn(field, " ");
        field = strchr(field, ' ');
    }
    const uint64_t tick_ns = (uint64_t)(NS_PER_S / ticks_per_s);
    totals->steal_ns = ticks[STEAL] * tick_ns;
    totals->has_busy = true;
    totals->busy_ns = (ticks[USER] + ticks[NICE] + ticks[SYSTEM]) * tick_ns;
}

static void read_busy(struct system_totals *totals, const struct system_sources *sources)
{
    char text[64];
    if (sources->fd[SYSTEM_BUSY] < 0)
        return;
    totals->has_busy = file_read_open(sources->fd[SYSTEM_BUSY], text, sizeof text) &&
                       file_number(text, "", &totals->busy_ns);
}

static void read_swapping(struct system_totals *totals, const struct system_sources *sources)
{
    char text[16384];
    totals->has_swap_in =
        !sources->swaps || (read_below(sources, "/proc/vmstat", text, sizeof text) &&
                            file_number(text, "pswpin ", &totals->swap_in_pages));
}

static void read_throttling(struct system_totals *totals, const struct system_sources *sources)
{
    for (size_t i = 0; i < sources->throttle_count; i++) {
        char text[32];
        uint64_t count;
        const ssize_t length = pread(sources->throttle_fds[i], text, sizeof text - 1, 0);
        if (length <= 0)
            continue;
        text[length] = '\0';
        if (!file_number(text, "", &count))
            continue;
        totals->has_throttle = true;
        totals->throttle_count += count;
    }
}

void system_read(struct system_totals *totals, const struct system_sources *sources)
{
    *totals = (struct system_totals){0};
    const int *fd = sources->fd;
    totals->has_pressure =
        read_pressure(fd[SYSTEM_CPU_PRESSURE], &totals->cpu_some_us, NULL) &&
        read_pressure(fd[SYSTEM_MEMORY_PRESSURE], &totals->memory_some_us,
                      &totals->memory_full_us) &&
        read_pressure(fd[SYSTEM_IO_PRESSURE], &totals->io_some_us, &totals->io_full_us);
    read_cpu_times(totals, sources);
    read_busy(totals, sources);
    read_swapping(totals, sources);
    read_throttling(totals, sources);
    totals->has_quota = cpus_throttled_ns(fd[SYSTEM_QUOTA], &totals->throttled_ns);
}
