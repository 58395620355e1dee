#include "gauge.h"

#include "common/messages.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

bool gauge_begin(struct gauge *gauge, const struct metric *metric)
{
    char error[256];
    *gauge = (struct gauge){.metric = metric, .fd = {-1, -1}, .share = 1};
    if (metric->source == METRIC_PERF &&
        !perf_ratio_read(&gauge->ratio, metric->expression, error, sizeof error))
        return complain("metric %s: %s", metric->name, error);
    return true;
}

static void fail(struct gauge *gauge, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// fail: there is no figure; the first reason holds.
static void fail(struct gauge *gauge, const char *format, ...)
{
    va_list arguments;
    if (gauge->figure.reason[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(gauge->figure.reason, sizeof gauge->figure.reason, format, arguments);
    va_end(arguments);
    gauge->figure.value = NAN;
}

void gauge_open(struct gauge *gauge)
{
    gauge->figure = (struct figure){.value = NAN};
    gauge->share = 1;
    if (gauge->metric->source == METRIC_PERF &&
        !perf_ratio_open(&gauge->ratio, gauge->fd, &gauge->user_only))
        fail(gauge, "the kernel does not count it here (%s)", strerror(errno));
}

void gauge_start(struct gauge *gauge)
{
    if (gauge->metric->source == METRIC_ENERGY)
        energy_read(&gauge->before);
}

// count: what one event came to; NAN after a failure.
static double count(struct gauge *gauge, int fd)
{
    uint64_t value;
    double share;
    if (!perf_event_read(fd, &value, &share)) {
        fail(gauge, "nothing was counted");
        return NAN;
    }
    gauge->share = share < gauge->share ? share : gauge->share;
    if (share < GAUGE_SHARE) {
        fail(gauge,
             "it was counted for %.0f %% of the time, as others took turns with it: choose fewer "
             "events",
             100 * share);
        return NAN;
    }
    return (double)value;
}

static void stop_events(struct gauge *gauge)
{
    double value[2] = {NAN, 1};
    for (size_t i = 0; i < gauge->ratio.count; i++) {
        if (gauge->fd[i] < 0)
            return;
        value[i] = count(gauge, gauge->fd[i]);
    }
    if (gauge->ratio.count == 2 && value[1] == 0)
        fail(gauge, "of what it is divided by nothing was counted");
    if (gauge->figure.reason[0] == '\0')
        gauge->figure.value = value[0] / value[1] * gauge->metric->scale;
}

static void stop_energy(struct gauge *gauge)
{
    const struct metric *metric = gauge->metric;
    struct energy after;
    energy_read(&after);
    const double joules = energy_between(&gauge->before, &after);
    const double seconds = (double)(after.at_ns - gauge->before.at_ns) / 1e9;
    if (isnan(joules))
        fail(gauge, after.count == 0 ? "the packages' energy cannot be read"
                                     : "the run was longer than the counter can hold");
    else if (strcmp(metric->expression, "package") == 0)
        gauge->figure.value = joules * metric->scale;
    else if (joules <= 0 || isnan(metric->idle_w))
        fail(gauge, "it is not known what the packages take when nothing runs");
    else
        gauge->figure.value = metric->idle_w * seconds / joules * metric->scale;
}

void gauge_stop(struct gauge *gauge)
{
    if (gauge->metric->source == METRIC_ENERGY)
        stop_energy(gauge);
    else
        stop_events(gauge);
    for (size_t i = 0; i < 2; i++) {
        if (gauge->fd[i] >= 0)
            (void)close(gauge->fd[i]);
        gauge->fd[i] = -1;
    }
}
