// The settings of an experiment, as one value that every part reads.
#ifndef STATS_SETTINGS_H
#define STATS_SETTINGS_H

#include "statistics.h"
#include "washout.h"

#include <stdbool.h>
#include <stddef.h>

// A metric is an index into the settings' `metrics`: the first four are always there, and
// each run has them; what else was chosen follows.
enum { WALL_S, USER_S, SYSTEM_S, MAX_RSS_BYTES, BASIC_METRICS, MAX_METRICS = 24 };

enum { METRIC_NAME_SIZE = 64, METRIC_UNIT_SIZE = 32 };

struct metric_setting {
    char name[METRIC_NAME_SIZE], unit[METRIC_UNIT_SIZE]; // unit "": none
    bool higher_is_better;
    bool from_output; // the record has it among its `metrics`
    bool chosen;  // its slowdown is reported
    bool decides; // it must reach the error, and pass the gate; of the chosen ones
};

#define DEFAULT_ERROR      0.05
#define DEFAULT_CONFIDENCE 0.95

enum {
    DEFAULT_MIN_RUNS = 15,
    DEFAULT_MAX_RUNS = 30,
    MAX_CONDITIONS = 64,
    MAX_RUNS_LIMIT = 1000000,
};

struct settings {
    char *conditions[MAX_CONDITIONS]; // the first is what the others are compared with
    size_t condition_count;
    struct metric_setting metrics[MAX_METRICS];
    size_t metric_count;
    enum statistic statistic;
    double error;      // relative half-width that the intervals must reach
    double confidence; // two-sided, as 0.95
    size_t min_runs;   // of each condition, without the discarded ones
    size_t max_runs;
    size_t discard_warmup; // this many first runs of each condition are left out
    unsigned long seed;
    double at_most; // limit of the gate; 0: no gate
    bool aa;        // the condition named `aa` is the baseline again
    bool ignore_failure;
    struct washout washout;
};

// To begin with: nothing but the four metrics, of which none is chosen.
void settings_begin(struct settings *settings);

// Adds a metric that is taken from the target's output, and chooses it. False where there
// are MAX_METRICS, one of that name, or a text that is too long.
bool settings_add_output(struct settings *settings, const char *name, const char *unit,
                         bool higher_is_better);

// Whether a metric is a time of the target as a whole: what is slow takes longer.
bool settings_is_time(const struct settings *settings, size_t metric);

// Whether its values must be above 0: a figure from the output of which ratios are made.
bool settings_needs_positive(const struct settings *settings, size_t metric);

// The number of metrics that decide.
size_t settings_deciding(const struct settings *settings);

// The index of the metric of that name; metric_count: there is none.
size_t settings_metric(const struct settings *settings, const char *name);

// Chooses a metric, which then decides, too.
void settings_choose(struct settings *settings, size_t metric);

// Whether the slowdown of this metric is reported: of the chosen ones, and of the
// wall time in any case.
bool settings_reports(const struct settings *settings, size_t metric);

// The index of the condition of that name, or -1.
int settings_condition(const struct settings *settings, const char *name);

// The number of runs is chosen by looking at them: min_runs and max_runs differ.
bool settings_is_sequential(const struct settings *settings);

// How many intervals share the error rate 1 - confidence (Bonferroni): those of
// the metrics that decide; with a gate those of every load too, as one of them is
// enough for the verdict.
size_t settings_family(const struct settings *settings);

// It is to be decided whether each slowdown is below or above a limit (gate.h).
bool settings_has_gate(const struct settings *settings);

// The index of the condition `aa` if --aa was given, else 0.
size_t settings_aa(const struct settings *settings);

// Whether that condition is one with a load: neither the baseline nor `aa`.
bool settings_is_loaded(const struct settings *settings, int condition);

// Chooses the metrics of a list such as "wall_s,user_s" or "all"; false where a name
// is none.
bool settings_add_metrics(struct settings *settings, const char *list);

// Whether it is such a list; else error says what to give. An option's check.
bool settings_check_metrics(const char *list, char *error, size_t size);

void settings_free(struct settings *settings);

#endif
