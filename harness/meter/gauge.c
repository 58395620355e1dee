#include "meter.h"

#include "common/messages.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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

bool gauge_begin(struct sought *sought)
{
    const struct metric *metric = &sought->metric;
    char error[256];
    return metric->source != METRIC_PERF ||
           perf_ratio_read(&sought->ratio, metric->expression, error, sizeof error) ||
           complain("metric %s: %s", metric->name, error);
}

void gauge_open(struct sought *sought)
{
    sought->figure = (struct figure){.value = NAN};
    sought->share = 1;
    if (sought->metric.source == METRIC_PERF &&
        !perf_ratio_open(&sought->ratio, sought->fd, &sought->user_only))
        reason_set(sought->figure.reason, "the kernel does not count it here (%s)",
                   strerror(errno));
}

void gauge_start(struct sought *sought)
{
    if (sought->metric.source == METRIC_ENERGY)
        energy_read(&sought->energy);
}

// What one event came to; NAN after a failure.
static double count(struct sought *sought, int fd)
{
    uint64_t value;
    double share;
    if (!perf_event_read(fd, &value, &share)) {
        reason_set(sought->figure.reason, "nothing was counted");
        return NAN;
    }
    sought->share = share < sought->share ? share : sought->share;
    if (share >= GAUGE_SHARE)
        return (double)value;
    reason_set(sought->figure.reason,
               "it was counted for %.0f %% of the time, as others took turns with it: choose fewer "
               "events",
               100 * share);
    return NAN;
}

static void stop_events(struct sought *sought)
{
    double value[2] = {NAN, 1};
    for (size_t i = 0; i < sought->ratio.count; i++) {
        if (sought->fd[i] < 0)
            return;
        value[i] = count(sought, sought->fd[i]);
    }
    if (sought->ratio.count == 2 && value[1] == 0)
        reason_set(sought->figure.reason, "of what it is divided by nothing was counted");
    if (sought->figure.reason[0] == '\0')
        sought->figure.value = value[0] / value[1] * sought->metric.scale;
}

static void stop_energy(struct sought *sought)
{
    const struct metric *metric = &sought->metric;
    struct energy after;
    energy_read(&after);
    const double joules = energy_between(&sought->energy, &after);
    const double seconds = (double)(after.at_ns - sought->energy.at_ns) / 1e9;
    if (isnan(joules))
        reason_set(sought->figure.reason, after.count == 0
                                              ? "the packages' energy cannot be read"
                                              : "the run was longer than the counter can hold");
    else if (strcmp(metric->expression, "package") == 0)
        sought->figure.value = joules * metric->scale;
    else if (joules <= 0 || isnan(metric->idle_w))
        reason_set(sought->figure.reason,
                   "it is not known what the packages take when nothing runs");
    else
        sought->figure.value = metric->idle_w * seconds / joules * metric->scale;
}

void gauge_stop(struct sought *sought)
{
    if (sought->metric.source == METRIC_ENERGY)
        stop_energy(sought);
    else
        stop_events(sought);
    fd_close(&sought->fd[0]);
    fd_close(&sought->fd[1]);
}
