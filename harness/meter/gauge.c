// Measures metrics that are counted of a run: events of the kernel, and energy.
#include "gauge.h"

#include "open_files.h"
#include "sought.h"
#include "tally.h"

#include "common/energy.h"
#include "common/messages.h"
#include "common/metric.h"
#include "common/perf_event.h"

#include <errno.h>
#include <math.h>
#include <string.h>

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
