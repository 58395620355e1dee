#include "counters.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

struct kind {
    const char *name;
    uint32_t type;
    uint64_t config;
};

// The kernel's generic cache events: the last level on most Intel processors,
// the one before it on most of AMD's.
#define HARDWARE_KINDS                                                                             \
    {"instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS},                              \
        {"cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES},                                  \
        {"cache_references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES},                  \
    {                                                                                              \
        "cache_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES                             \
    }
#define SOFTWARE_KINDS                                                                             \
    {"task_clock_ns", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK},                               \
        {"page_faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS},                            \
    {                                                                                              \
        "context_switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES                     \
    }

static const struct kind kinds[COUNTERS_NONE][COUNTERS_MAX] = {
    [COUNTERS_HARDWARE] = {HARDWARE_KINDS},
    [COUNTERS_SOFTWARE] = {SOFTWARE_KINDS},
    [COUNTERS_ALL] = {HARDWARE_KINDS, SOFTWARE_KINDS},
};

static int open_one(const struct kind *kind, bool user_only)
{
    struct perf_event_attr attributes = {
        .type = kind->type,
        .size = sizeof attributes,
        .config = kind->config,
        .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
        .disabled = 1,
        .inherit = 1,
        .enable_on_exec = 1,
        .exclude_kernel = user_only,
        .exclude_hv = user_only,
    };
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void counters_close(struct counters *counters)
{
    for (size_t i = 0; i < COUNTERS_MAX; i++) {
        if (counters->counter[i].fd >= 0)
            close(counters->counter[i].fd);
        counters->counter[i].fd = -1;
    }
}

// open_all: false if one was refused that the user's own part would be allowed of.
static bool open_all(struct counters *counters, const struct kind *kind)
{
    for (size_t i = 0; i < COUNTERS_MAX && kind[i].name != NULL; i++) {
        struct counter *counter = &counters->counter[i];
        counter->name = kind[i].name;
        counter->fd = open_one(&kind[i], counters->user_only);
        if (counter->fd < 0 && (errno == EACCES || errno == EPERM))
            return false;
    }
    return true;
}

void counters_open(struct counters *counters, enum counter_set set)
{
    *counters = (struct counters){.running = 1};
    for (size_t i = 0; i < COUNTERS_MAX; i++)
        counters->counter[i].fd = -1;
    if (set == COUNTERS_NONE || open_all(counters, kinds[set]))
        return;
    // All of them or none: parts of different extent could not be compared.
    counters_close(counters);
    counters->user_only = true;
    if (open_all(counters, kinds[set]))
        return;
    counters_close(counters);
    for (size_t i = 0; i < COUNTERS_MAX; i++)
        counters->counter[i].name = kinds[set][i].name;
}

void counters_read(struct counters *counters)
{
    for (size_t i = 0; i < COUNTERS_MAX; i++) {
        struct counter *counter = &counters->counter[i];
        struct {
            uint64_t value, enabled_ns, running_ns;
        } sum;
        if (counter->fd < 0 || read(counter->fd, &sum, sizeof sum) != (ssize_t)sizeof sum)
            continue;
        // Never enabled: the target was not started. Never running: no room for it.
        if (sum.enabled_ns == 0 || sum.running_ns == 0)
            continue;
        const double share = (double)sum.running_ns / (double)sum.enabled_ns;
        counter->known = true;
        // With fewer registers than events the kernel takes turns.
        counter->value = share < 1 ? (uint64_t)((double)sum.value / share) : sum.value;
        counters->running = share < counters->running ? share : counters->running;
    }
}
