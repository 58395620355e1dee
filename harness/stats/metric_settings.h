// The metrics of an experiment: which there are, which are chosen, and which decide.
#ifndef STATS_METRIC_SETTINGS_H
#define STATS_METRIC_SETTINGS_H

#include "common/metric.h"

#include <stdbool.h>
#include <stddef.h>

// A metric is an index into the settings' `metrics`: the first four are always there, and
// each run has them; what else was chosen follows.
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

struct settings;

// The four that are always there, none of them chosen.
void metrics_begin(struct settings *settings);

// Adds a metric that is taken from the target's output, or one that jostle measures, unless
// it is there, and chooses it. False where there are MAX_METRICS, where no metric has that
// name, or a text is too long.
bool settings_choose_output(struct settings *settings, const char *name, const char *unit,
                            bool higher_is_better);
bool settings_choose_builtin(struct settings *settings, const char *name);

// The index of the metric of that name, which is added, and not chosen, where jostle
// measures it. MAX_METRICS: there is none, or no room.
size_t settings_know(struct settings *settings, const char *name);

// Chooses what an option --metric says: a list of names such as "wall_s,cpu_s", "all" for
// the four that are always there, or a definition (common/metric.h). False, and error says
// what to give.
bool settings_choose_text(struct settings *settings, const char *text, char *error, size_t size);

// Whether it is such a text. An option's check.
bool settings_check_metric(const char *text, char *error, size_t size);

// Of the chosen metrics only those of a list of names decide. False, and error says what to
// give, where one is none of them.
bool settings_decide(struct settings *settings, const char *list, char *error, size_t size);

// The number of metrics that decide.
size_t settings_deciding(const struct settings *settings);

// The index of the metric of that name; metric_count: there is none.
size_t settings_metric(const struct settings *settings, const char *name);

// Chooses a metric, which then decides, too.
void settings_choose(struct settings *settings, size_t metric);

// Whether the slowdown of this metric is reported: of the chosen ones, and of the
// wall time in any case.
bool settings_reports(const struct settings *settings, size_t metric);

// Whether a metric is a time of the target as a whole: what is slow takes longer. And
// whether it is a CPU time that the kernel may count in ticks.
bool settings_is_time(const struct settings *settings, size_t metric);
bool settings_is_ticks(const struct settings *settings, size_t metric);

// Whether its values must be above 0: a figure from the output of which ratios are made.
bool settings_needs_positive(const struct settings *settings, size_t metric);

#endif
