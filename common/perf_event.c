#include "common/perf_event.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define HARDWARE_EVENTS 4

/* The kernel's generic cache events: the last level on most Intel processors, the one before
 * it on most of AMD's. */
static const struct event {
    const char *name;
    uint32_t type;
    uint64_t config;
} events[PERF_EVENTS] = {
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},
    {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},
    {"cache_references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},
    {"cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES},
    {"task_clock_ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},
    {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},
    {"context_switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES},
};

static const struct {
    size_t first, count;
} sets[] = {
    [COUNTERS_HARDWARE] = {0, HARDWARE_EVENTS},
    [COUNTERS_SOFTWARE] = {HARDWARE_EVENTS, PERF_EVENTS - HARDWARE_EVENTS},
    [COUNTERS_ALL] = {0, PERF_EVENTS},
    [COUNTERS_NONE] = {0, 0},
};

size_t perf_event_count(enum counter_set set)
{
    return sets[set].count;
}

const char *perf_event_name(enum counter_set set, size_t event)
{
    return events[sets[set].first + event].name;
}

static int open_event(const struct event *event, bool user_only)
{
    struct perf_event_attr attributes = {
        .type = event->type,
        .size = sizeof attributes,
        .config = event->config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .inherit = 1,
        .enable_on_exec = 1,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int perf_event_open(enum counter_set set, size_t event, bool user_only)
{
    return open_event(&events[sets[set].first + event], user_only);
}

bool perf_event_counts(const char *name)
{
    for (size_t i = 0; i < PERF_EVENTS; i++) {
        if (strcmp(events[i].name, name) != 0)
            continue;
        int fd = open_event(&events[i], false);
        if (fd < 0 && (errno == EACCES || errno == EPERM))
            fd = open_event(&events[i], true);
        if (fd < 0)
            return false;
        (void)close(fd);
        return true;
    }
    errno = ENOENT;
    return false;
}
