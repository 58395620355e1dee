// Counts events of the kernel's perf over the whole tree of processes.
#include "perf_counters.h"

#include "open_files.h"

#include "common/perf_event.h"

#include <errno.h>

void perf_counters_close(struct perf_counters *counters)
{
    for (size_t i = 0; i < COUNTERS_MAX; i++)
        fd_close(&counters->counter[i].fd);
}

// False if one was refused that the user's own part would be allowed of.
static bool open_all(struct perf_counters *counters, enum counter_set set)
{
    for (size_t i = 0; i < perf_event_count(set); i++) {
        struct counter *counter = &counters->counter[i];
        if (counters->refused & UINT32_C(1) << i)
            continue;
        counter->fd = perf_event_open(set, i, counters->user_only);
        if (counter->fd < 0 && (errno == EACCES || errno == EPERM))
            return false;
        // A lack of descriptors or memory may be over by the next run.
        if (counter->fd < 0 && errno != EMFILE && errno != ENFILE && errno != ENOMEM)
            counters->refused |= UINT32_C(1) << i;
    }
    return true;
}

void perf_counters_open(struct perf_counters *counters, enum counter_set set, uint32_t refused)
{
    *counters = (struct perf_counters){.running = 1, .refused = refused};
    for (size_t i = 0; i < COUNTERS_MAX; i++)
        counters->counter[i].fd = -1;
    for (size_t i = 0; i < perf_event_count(set); i++)
        counters->counter[i].name = perf_event_name(set, i);
    if (open_all(counters, set))
        return;
    // All of them or none: parts of different extent could not be compared.
    perf_counters_close(counters);
    counters->user_only = true;
    if (open_all(counters, set))
        return;
    perf_counters_close(counters);
    counters->refused = UINT32_MAX;
}

void perf_counters_read(struct perf_counters *counters)
{
    for (size_t i = 0; i < COUNTERS_MAX; i++) {
        struct counter *counter = &counters->counter[i];
        double share = 0;
        // Never enabled: the target was not started. Never running: no room for it.
        if (counter->fd < 0 || !perf_event_read(counter->fd, &counter->value, &share) || share == 0)
            continue;
        counter->known = true;
        counters->running = share < counters->running ? share : counters->running;
    }
}
