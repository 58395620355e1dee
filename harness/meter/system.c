#include "system.h"

#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "clock.h"
#include "common/file.h"
#include "common/machine.h"

const char *const stall_names[STALL_COUNT] = {
    [STALL_CPU] = "cpu_s",
    [STALL_MEMORY] = "memory_s",
    [STALL_IO] = "io_s",
};

void fd_close(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

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
        fd_close(&sources->fd[i]);
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
    if (!file_read_open(fd, text, sizeof text) || !file_number(text, "total=", some_us))
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

int schedstat_open(pid_t pid)
{
    char path[64];
    if (pid == 0)
        return open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool schedstat_read(int fd, struct schedstat *schedstat)
{
    char text[96];
    if (!file_read_open(fd, text, sizeof text))
        return false;
    int64_t slices;
    return sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64, &schedstat->run_ns,
                  &schedstat->delay_ns, &slices) == 3 &&
           slices > 0;
}

// schedstat_of: one reading; also of a process that has ended and has not been reaped.
static bool schedstat_of(pid_t pid, struct schedstat *schedstat)
{
    int fd = schedstat_open(pid);
    const bool known = schedstat_read(fd, schedstat);
    fd_close(&fd);
    return known;
}

// The longest tick that a kernel is built with (CONFIG_HZ=100).
#define TICK_NS (10 * NS_PER_MS)

void stalls_open(struct stall_files *files, const struct group *group)
{
    static const char *const names[STALL_COUNT] = {
        [STALL_CPU] = "cpu.pressure",
        [STALL_MEMORY] = "memory.pressure",
        [STALL_IO] = "io.pressure",
    };
    *files = (struct stall_files){.open = group->kind == GROUP_V2};
    if (!files->open)
        return;
    for (size_t i = 0; i < STALL_COUNT; i++) {
        files->fd[i] = openat(group->folder_fd, names[i], O_RDONLY | O_CLOEXEC);
        files->open = files->open && files->fd[i] >= 0;
    }
    for (size_t i = 0; i < STALL_COUNT && !files->open; i++)
        fd_close(&files->fd[i]);
}

void stalls_close(struct stall_files *files)
{
    for (size_t i = 0; i < STALL_COUNT && files->open; i++)
        (void)close(files->fd[i]);
    files->open = false;
}

bool stalls_read(const struct stall_files *files, uint64_t totals_us[STALL_COUNT])
{
    bool good = files->open;
    for (size_t i = 0; i < STALL_COUNT && good; i++)
        good = read_pressure(files->fd[i], &totals_us[i], NULL);
    return good;
}

void stalls_begin(struct stall_totals *totals, const struct stall_files *files)
{
    stalls_end(totals, files, 0);
    // schedstat's own run_ns is a tick old while we run.
    if (totals->has_delay)
        totals->run_ns = clock_cpu_ns();
}

void stalls_end(struct stall_totals *totals, const struct stall_files *files, pid_t target)
{
    struct schedstat schedstat;
    totals->has_group = stalls_read(files, totals->group_us);
    totals->has_delay = schedstat_of(target, &schedstat);
    if (!totals->has_delay)
        return;
    totals->delay_ns = schedstat.delay_ns;
    totals->run_ns = schedstat.run_ns;
}

// grown_ns: of a total of microseconds. A fresh group's totals can only grow.
static int64_t grown_ns(uint64_t before_us, uint64_t after_us)
{
    return after_us > before_us ? (int64_t)(after_us - before_us) * NS_PER_US : 0;
}

struct stalls stalls_between(const struct stall_totals *before, const struct stall_totals *after,
                             int64_t wall_ns)
{
    struct stalls stalls = {.from_group = before->has_group && after->has_group};
    for (size_t i = 0; i < STALL_COUNT && stalls.from_group; i++) {
        stalls.ns[i] = grown_ns(before->group_us[i], after->group_us[i]);
        // Nothing in less than a tick may be something that the kernel did not count.
        stalls.known[i] = stalls.ns[i] > 0 || wall_ns >= TICK_NS;
    }
    if (before->has_delay && after->has_delay) {
        stalls.has_delay = true;
        stalls.delay_ns = after->delay_ns - before->delay_ns;
        stalls.run_ns = after->run_ns - before->run_ns;
        stalls.known[STALL_CPU] = true;
        if (stalls.delay_ns > stalls.ns[STALL_CPU])
            stalls.ns[STALL_CPU] = stalls.delay_ns;
    }
    // What is shared out cannot be longer than the run: the clocks differ a little.
    for (size_t i = 0; i < STALL_COUNT; i++)
        stalls.ns[i] = stalls.ns[i] > wall_ns ? wall_ns : stalls.ns[i];
    return stalls;
}
