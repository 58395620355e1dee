// The settings of an experiment, as one value that every part reads.
#ifndef RECORD_SETTINGS_H
#define RECORD_SETTINGS_H

#include "defaults.h"
#include "objective.h"
#include "run.h"

#include "common/metric.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// The metrics of an experiment: which there are, which are chosen, and which decide.

struct metric_settings {
    struct metric_setting item[MAX_METRICS];
    size_t count;
};

// The index of the metric of that name. MAX_METRICS: there is none.
size_t metrics_find(const struct metric_settings *metrics, const char *name);

// Adds a metric, whose texts have to outlive it. Its index; MAX_METRICS where it is there already,
// or there is no room.
size_t metrics_add(struct metric_settings *metrics, const struct metric_setting *metric);

// The index of the metric of that name, which is added, and not chosen, where jostle
// measures it. MAX_METRICS: there is none, or no room.
size_t metrics_know(struct metric_settings *metrics, const char *name);

// The number of metrics that decide.
size_t metrics_deciding(const struct metric_settings *metrics);

// Chooses a metric, which then decides, too; none for MAX_METRICS.
void metrics_choose(struct metric_settings *metrics, size_t metric);

// Whether the slowdown of this metric is reported: of the chosen ones, and of the
// wall time in any case.
bool metrics_reports(const struct metric_settings *metrics, size_t metric);

// Whether a metric is a time of the target as a whole: what is slow takes longer. And
// whether it is a CPU time that the kernel may count in ticks.
bool metrics_is_time(const struct metric_settings *metrics, size_t metric);
bool metrics_is_ticks(const struct metric_settings *metrics, size_t metric);

// The plan: a look after each block from the `from`-th to the `to`-th.
struct looks {
    size_t from, to;
    double for_s; // it ends after this time, in whose middle and end it has most to say; 0: it has
                  // one rate, and `to` is all that is known of its end
};

struct settings {
    char *conditions[MAX_CONDITIONS]; // each variant alone, then each under the first load, ...
    size_t condition_count;
    bool adjusted[MAX_CONDITIONS]; // its loads or its target have settings of the kernel
    size_t variants;               // how many; 1: a single program
    struct metric_settings metrics;
    enum statistic statistic;
    double error;          // relative half-width that the intervals must reach
    double confidence;     // two-sided, as 0.95
    size_t min_runs;       // of each condition, without the discarded ones
    size_t max_runs;       // MAX_RUNS_LIMIT: there is no limit
    size_t warmup;         // unmeasured runs of each condition before the first block
    bool each_block;       // a service is started anew for each block
    bool each_run;         // or for each run, as conditions have settings of it
    size_t service_warmup; // unmeasured runs of its client after each start; 0: none, or no service
    size_t discard_warmup; // this many first runs of each condition are left out
    unsigned long seed;
    struct looks looks; // min_runs and max_runs when the experiment began; to 0: those of now
    double at_most;     // the gate (decide.h): its limit; 0: none
    double tolerance;   // and the relative difference that is none; 0: not given
    bool aa;            // the condition named `aa` is the baseline again
    struct ignored ignored;
    struct washout washout;
    struct objectives objectives; // of jostle capacity; 0: it is no such experiment
    struct vary vary;             // and what it varies
    const char *achieved; // the metric that is the rate that the client made, borrowed; NULL: none
};

// To begin with: nothing but the four metrics, of which none is chosen.
void settings_begin(struct settings *settings);

// Reads them from experiment.json. False: it has no conditions or no settings.
bool settings_read(struct settings *settings, const json_t *experiment);

// The member "confidence" of settings: above 0 and below 1; else the default.
double settings_confidence(struct node settings);

// Adds a condition; false: there are MAX_CONDITIONS.
bool settings_add_condition(struct settings *settings, const char *name);

// The index of the condition of that name, or -1.
int settings_condition(const struct settings *settings, const char *name);

// The number of runs is chosen by looking at them: min_runs and max_runs differ.
bool settings_is_sequential(const struct settings *settings);

// How many intervals share the error rate 1 - confidence (Bonferroni): those of
// the metrics that decide; with a gate those of every comparison that decides, too, as one
// of them is enough for the verdict.
size_t settings_family(const struct settings *settings);

// The experiment ends when each ratio that decides is known to be below or above a limit, or
// to be better, worse or the same (decide.h).
bool settings_has_gate(const struct settings *settings);

// It is to be found how far the objectives are kept (decide.h). Runs are at different
// rates then: they are no pairs, and there are no slowdowns.
bool settings_has_capacity(const struct settings *settings);

// Whether what is varied is the rate that the client is told to make.
bool settings_varies_rate(const struct settings *settings);

// What a condition is compared with: its own variant alone (a slowdown), the first variant
// under the same load, or both: whether the load changes how the two variants compare (an
// interaction: statistic.h), which is of four conditions, and of no pairs.
enum against { AGAINST_ALONE, AGAINST_REFERENCE, PAIRINGS, AGAINST_BOTH = PAIRINGS };

// A ratio: of a condition to what it is compared with, in one metric.
struct ratio {
    size_t condition;
    enum against against;
    size_t metric;
};

// Of a condition: which variant it runs, and under which load (0: none; of a single
// program, that of --aa counts as one).
size_t settings_variant(const struct settings *settings, size_t condition);
size_t settings_load(const struct settings *settings, size_t condition);

// The condition that it is paired with; itself where there is none. For AGAINST_BOTH that of
// AGAINST_REFERENCE.
size_t settings_reference(const struct settings *settings, size_t condition, enum against against);

// Whether the condition is compared in that way.
bool settings_compares(const struct settings *settings, size_t condition, enum against against);

// The comparisons that decide when to stop, and are held to what the gate asks:
// between variants; of a single program the slowdowns.
enum against settings_decides_by(const struct settings *settings);
struct ratio settings_deciding(const struct settings *settings, size_t condition, size_t metric);

// The name of a condition's load; NULL: it has none. Of a variant the condition's name is
// VARIANT@LOAD.
const char *settings_load_name(const struct settings *settings, size_t condition);

// How many loads there are, without --aa.
size_t settings_loads(const struct settings *settings);

// The index of the condition `aa` if --aa was given, else 0.
size_t settings_aa(const struct settings *settings);

// Whether that condition is one with a load: neither a variant alone nor `aa`.
bool settings_is_loaded(const struct settings *settings, int condition);

// Whether the metric's values must be above 0: a figure from the output of which ratios are made,
// unless they are typical ones of what is better when it is lower, such as a count of errors.
bool settings_needs_positive(const struct settings *settings, size_t metric);

void settings_free(struct settings *settings);

#endif
