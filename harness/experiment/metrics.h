#ifndef EXPERIMENT_METRICS_H
#define EXPERIMENT_METRICS_H

/* What each run is judged by: the metrics of --metric, and which of them decide (--decide). */

#include "arena.h"
#include "variants.h"

#include "common/metric.h"
#include "common/options.h"

#include <jansson.h>

struct chosen_metric {
    const char *name;
    const struct builtin_metric *builtin; /* NULL: it is found in the output */
    const char *lacking; /* a variant that has no source of it, and so no figure; NULL: none */
    bool helper;         /* recorded only: it says something about the run (role=) */
    bool decides;
};

/* Where a metric is found in the output: of one variant (NAME@VARIANT=), or of all that have
 * no source of their own. */
struct sourced_metric {
    struct metric metric;
    const char *adapter; /* where it is from; NULL */
};

struct metrics {
    struct chosen_metric *metric;
    size_t count;
    struct sourced_metric *source;
    size_t source_count;
};

/* Reads the texts of --metric, and of --decide (NULL: not given); without one that all variants
 * have the wall time decides. Wrong use ends the program. metrics_free() frees them. */
void metrics_make(struct metrics *metrics, struct arena *arena, const struct option_list *texts,
                  const char *deciding, const struct variants *variants);
/* Refuses what hyperfine does not measure: it keeps what the target prints, and counts
 * nothing. Wrong use ends the program. */
void metrics_check_hyperfine(const struct metrics *metrics);
/* Adds `metric`, `metrics` and `decide` to the settings of experiment.json. */
void metrics_to_json(const struct metrics *metrics, json_t *settings);
/* The events that meter has to count for them, as its --counters has it; NULL: its default
 * will do. */
const char *metrics_counters(const struct metrics *metrics);
/* Whether any is found in what the target writes. */
bool metrics_need_output(const struct metrics *metrics);
/* And in what it writes to stdout. */
bool metrics_need_stdout(const struct metrics *metrics);
/* Refuses, before anything runs, what would fail in each run: an event that this machine does
 * not count, an expression that jq does not understand, a figure of a service where
 * has_service is false. Wrong use ends the program. */
void metrics_check_machine(struct metrics *metrics, bool has_service);
void metrics_free(struct metrics *metrics);

/* A check of the option --metric. */
bool metrics_check(const char *text, char *error, size_t size);

#endif
