#include "meter.h"

#include <fcntl.h>
#include <unistd.h>

#include "common/clock.h"
#include "common/file.h"

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

int schedstat_open(pid_t pid)
{
    char path[64];
    if (pid == 0)
        return open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    return open(path, O_RDONLY | O_CLOEXEC);
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
    for (size_t i = 0; i < STALL_COUNT && good; i++) {
        char text[512];
        int64_t some_us, full_us;
        pressure_parse(file_read_open(files->fd[i], text, sizeof text) ? text : "", &some_us,
                       &full_us);
        good = some_us != UNKNOWN;
        totals_us[i] = (uint64_t)some_us;
    }
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
