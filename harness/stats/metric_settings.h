// The metrics of an experiment: which there are, which are chosen, and which decide.
#ifndef STATS_METRIC_SETTINGS_H
#define STATS_METRIC_SETTINGS_H

#include "common/metric.h"

#include <stdbool.h>
#include <stddef.h>

// A metric is an index into this list: the first four are always there, and each run has
// them; what else was chosen follows.
enum { WALL_S, USER_S, SYSTEM_S, MAX_RSS_BYTES, BASIC_METRICS, MAX_METRICS = 24 };

enum { METRIC_NAME_SIZE = 65, METRIC_UNIT_SIZE = 32 };

struct metric_setting {
    char name[METRIC_NAME_SIZE], unit[METRIC_UNIT_SIZE]; // unit "": none
    bool higher_is_better;
    const struct builtin_metric *builtin; // NULL: it is taken from the target's output
    bool chosen;                          // its slowdown is reported
    bool alone;                           // one variant only has it
    bool decides; // it must reach the error, and pass the gate; of the chosen ones
};

struct metric_settings {
    struct metric_setting item[MAX_METRICS];
    size_t count;
};

// The four that are always there, none of them chosen.
void metrics_begin(struct metric_settings *metrics);

// Adds a metric that is taken from the target's output, or one that jostle measures, unless
// it is there, and chooses it. False where there are MAX_METRICS, where no metric has that
// name, or a text is too long.
bool metrics_choose_output(struct metric_settings *metrics, const char *name, const char *unit,
                           bool higher_is_better);
bool metrics_choose_builtin(struct metric_settings *metrics, const char *name);

// The index of the metric of that name, which is added, and not chosen, where jostle
// measures it. MAX_METRICS: there is none, or no room.
size_t metrics_know(struct metric_settings *metrics, const char *name);

// The number of metrics that decide.
size_t metrics_deciding(const struct metric_settings *metrics);

// The index of the metric of that name. MAX_METRICS: there is none.
size_t metrics_find(const struct metric_settings *metrics, const char *name);

// Chooses a metric, which then decides, too.
void metrics_choose(struct metric_settings *metrics, size_t metric);

// Whether the slowdown of this metric is reported: of the chosen ones, and of the
// wall time in any case.
bool metrics_reports(const struct metric_settings *metrics, size_t metric);

// Whether a metric is a time of the target as a whole: what is slow takes longer. And
// whether it is a CPU time that the kernel may count in ticks.
bool metrics_is_time(const struct metric_settings *metrics, size_t metric);
bool metrics_is_ticks(const struct metric_settings *metrics, size_t metric);

#endif
