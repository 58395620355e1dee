// Counts events of a neighbour by perf_event_open(2), where the kernel lets us.

#include "events.h"

#include "common/perf_event.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

// As perf names them (see perf_ratio_read()).
static const char *const names[EVENTS] = {
    [EVENT_CPU_NS] = "task-clock",
    [EVENT_SWITCHES] = "context-switches",
    [EVENT_FORKS] = "sched:sched_process_fork",
    [EVENT_FSYNC] = "syscalls:sys_enter_fsync",
    [EVENT_FDATASYNC] = "syscalls:sys_enter_fdatasync",
    [EVENT_CYCLES] = "cycles",
    [EVENT_INSTRUCTIONS] = "instructions",
    [EVENT_CACHE_MISSES] = "cache-misses",
};

// One event of a thread with all that it starts, or of a group on a CPU.
static int open_one(struct perf_event_attr attributes, pid_t target, int cpu, unsigned long flags)
{
    attributes.size = sizeof attributes;
    attributes.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
    attributes.disabled = 0;
    attributes.inherit = cpu < 0;
    return (int)syscall(SYS_perf_event_open, &attributes, target, cpu, -1,
                        flags | PERF_FLAG_FD_CLOEXEC);
}

static void close_event(struct events *events, size_t event)
{
    for (size_t i = 0; events->fd[event] && i < events->count; i++)
        if (events->fd[event][i] >= 0)
            (void)close(events->fd[event][i]);
    free(events->fd[event]);
    events->fd[event] = NULL;
}

// A thread that has ended meanwhile counts nothing; any other failure leaves the event out.
static void open_all(struct events *events, const pid_t *threads, pid_t group, unsigned long flags)
{
    char why[512];
    for (size_t event = 0; event < EVENTS; event++) {
        struct perf_ratio ratio;
        events->fd[event] = calloc(events->count + 1, sizeof *events->fd[event]);
        if (!events->fd[event] || !perf_ratio_read(&ratio, names[event], why, sizeof why)) {
            events->error[event] = events->fd[event] ? ENOENT : ENOMEM;
            free(events->fd[event]);
            events->fd[event] = NULL;
            continue;
        }
        for (size_t i = 0; i < events->count; i++)
            events->fd[event][i] = -1;
        for (size_t i = 0; i < events->count && events->fd[event]; i++) {
            const int fd = threads ? open_one(ratio.event[0], threads[i], -1, flags)
                                   : open_one(ratio.event[0], group, (int)i, flags);
            if (fd < 0 && errno != ESRCH && errno != ENODEV) {
                events->error[event] = errno;
                close_event(events, event);
            } else {
                events->fd[event][i] = fd;
            }
        }
    }
}

void events_open(struct events *events, const pid_t *threads, size_t count)
{
    *events = (struct events){.count = count};
    open_all(events, threads, 0, 0);
}

void events_open_group(struct events *events, const char *folder)
{
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *events = (struct events){.count = (size_t)sysconf(_SC_NPROCESSORS_CONF)};
    open_all(events, NULL, fd, PERF_FLAG_PID_CGROUP);
    if (fd >= 0)
        (void)close(fd);
}

double events_read(const struct events *events, enum event event)
{
    double sum = 0, share;
    uint64_t value;
    if (events->count == 0 || !events->fd[event])
        return NAN;
    for (size_t i = 0; i < events->count; i++)
        if (events->fd[event][i] >= 0 && perf_event_read(events->fd[event][i], &value, &share))
            sum += (double)value;
    return sum;
}

void events_close(struct events *events)
{
    for (size_t event = 0; event < EVENTS; event++)
        close_event(events, event);
    events->count = 0;
}
