// Reads for how long the target could not continue although it had work: its group's pressure,
// its main thread's run delay.
#include "stalls.h"

#include "fields.h"
#include "open_files.h"

#include "common/clock.h"
#include "common/counters.h"
#include "common/file.h"
#include "common/group.h"
#include "common/json.h"
#include "common/machine.h"
#include "common/schedstat.h"

#include <fcntl.h>
#include <unistd.h>

// The members of "stalls" in a record.
static const char *const stall_names[STALL_COUNT] = {
    [STALL_CPU] = "cpu_s",
    [STALL_MEMORY] = "memory_s",
    [STALL_IO] = "io_s",
    [STALL_CPU_FULL] = "cpu_full_s",
};

// One reading; also of a process that has ended and has not been reaped.
static bool schedstat_of(pid_t pid, struct schedstat *schedstat)
{
    int fd = schedstat_open(pid);
    const bool known = schedstat_read(fd, schedstat);
    fd_close(&fd);
    return known;
}

void stalls_open(struct stall_files *files, const struct group *group)
{
    static const char *const names[STALL_FILES] = {
        [STALL_CPU] = "cpu.pressure",
        [STALL_MEMORY] = "memory.pressure",
        [STALL_IO] = "io.pressure",
    };
    *files = (struct stall_files){.open = group->kind == GROUP_V2};
    if (!files->open)
        return;
    for (size_t i = 0; i < STALL_FILES; i++) {
        files->fd[i] = openat(group->folder_fd, names[i], O_RDONLY | O_CLOEXEC);
        files->open = files->open && files->fd[i] >= 0;
    }
    for (size_t i = 0; i < STALL_FILES && !files->open; i++)
        fd_close(&files->fd[i]);
}

void stalls_close(struct stall_files *files)
{
    for (size_t i = 0; i < STALL_FILES && files->open; i++)
        (void)close(files->fd[i]);
    files->open = false;
}

bool stalls_read(const struct stall_files *files, uint64_t totals_us[STALL_COUNT])
{
    bool good = files->open;
    for (size_t i = 0; i < STALL_FILES && good; i++) {
        char text[512];
        int64_t some_us, full_us;
        pressure_parse(file_read_open(files->fd[i], text, sizeof text) ? text : "", &some_us,
                       &full_us);
        good = some_us != UNKNOWN;
        totals_us[i] = (uint64_t)some_us;
        if (i == STALL_CPU)
            totals_us[STALL_CPU_FULL] = full_us == UNKNOWN ? STALL_UNKNOWN : (uint64_t)full_us;
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

bool stalls_write(struct line *line, const uint64_t *before_us, const uint64_t *after_us,
                  int64_t delay_ns, int64_t time_ns, int64_t least_ns)
{
    if (!before_us && delay_ns < 0) {
        line_null(line, "stalls");
        return false;
    }
    line_object(line, "stalls");
    line_text(line, "source", before_us ? "cgroup" : "schedstat");
    for (size_t i = 0; i < STALL_COUNT; i++) {
        int64_t stall_ns = -1;
        if (before_us && before_us[i] != STALL_UNKNOWN && after_us[i] != STALL_UNKNOWN)
            stall_ns =
                after_us[i] > before_us[i] ? (int64_t)(after_us[i] - before_us[i]) * NS_PER_US : 0;
        if (stall_ns == 0 && time_ns < least_ns)
            stall_ns = -1;
        if (i == STALL_CPU && delay_ns > stall_ns)
            stall_ns = delay_ns;
        // What is shared out cannot be longer than the time: the clocks differ a little.
        field_seconds(line, stall_names[i], stall_ns >= 0, stall_ns > time_ns ? time_ns : stall_ns,
                      6);
    }
    return true;
}
