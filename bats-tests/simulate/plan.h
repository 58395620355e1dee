// The options, and the settings that the tables share.
#ifndef SIMULATE_PLAN_H
#define SIMULATE_PLAN_H

#include "trials.h"

struct plan {
    size_t experiments; // in each cell
    size_t threads;
    unsigned long seed;
    const char *populations; // names or beginnings of names, joined by commas; NULL: all
    const char *tables;      // names or beginnings of names, joined by commas; NULL: all
    double narrow;           // intervals are judged as if they were so many times as wide
    bool quick;              // few cells, bounds are checked
};

// When an experiment stops.
struct setting {
    const char *name;
    double oracle; // 0: at an error of 5 %; else at that which an oracle reaches with so many runs
    size_t min_runs, max_runs;
};

enum { SETTING_DEFAULT, SETTING_3_10, SETTING_5_15, SETTING_25, SETTING_80, SETTINGS };
extern const struct setting settings_of_plan[SETTINGS];

// Whether `name` begins with one of the names in `list` (NULL: any name does).
bool plan_wants(const char *list, const char *name);

// A cell of that setting. `ratio`: the true slowdown, 0 for one condition.
struct cell plan_cell(const struct plan *plan, const struct population *population,
                      const struct setting *setting, double ratio);

// The same, of medians. A lone condition has no true median where its level moves
// for good: the cell's truth is NAN.
struct cell plan_median(const struct plan *plan, const struct population *population,
                        const struct setting *setting, double ratio);

// ---- the tables: each is simulated and printed; false if memory or threads ran out or, in the
// short form, a bound is broken ----

// jostle capacity: how far off it is, how often its intervals hold, and how many runs it
// takes, on queues whose capacity is known.

// Whether one of its services has a name that the list of --populations wants.
bool capacity_has(const char *list);

bool capacity_table(const struct plan *plan);

// Carry-over: what becomes of the slowdown when a loaded run slows the unloaded run after
// it, with and without --washout.
bool carry_table(const struct plan *plan);

// Many slowdowns at once: how many of those that look distinguishable are chance?
bool discoveries_table(const struct plan *plan);

// The promises other than the interval of one figure: comparing two results, the
// noise floor of --aa, several metrics at once, the gate, metrics of which more is better.

// Whether a list of tables names one of them.
bool promises_has(const char *list);

// Simulates and prints those of the plan. Returns the exit code: 1 if memory or
// threads ran out or, in the short form, a bound is broken.
int promises_run(const struct plan *plan);

// Metrics of which more is better, such as a throughput: of work that takes a time t it
// is 1 / t, hence skewed to the other side.
bool rates_table(const struct plan *plan);

// A load whose own effect changes from block to block: is that said, and what do intervals cover?
bool series_table(const struct plan *plan);

// How often something is called a problem: where nothing is wrong, and where something is.

// Whether a list of populations names one that only this table has.
bool problems_has(const char *list);

bool problems_table(const struct plan *plan);

// Several sessions of one experiment: does the interval over them hold what one
// session's cannot promise?
bool sessions_table(const struct plan *plan);

// Pairs of two kinds: loads that slow some of the runs, stragglers on both sides, and what comes
// back every few runs.

// Whether a list of populations names one of them.
bool modes_has(const char *list);

bool modes_table(const struct plan *plan);

// The typical slowdown beside that of the means, with and without stragglers.

// Whether a list of populations names one that only this table has.
bool typical_has(const char *list);

bool typical_table(const struct plan *plan);

// Verdicts: how often variants are called faster, slower or the same, and how often wrongly;
// whether a load changes a comparison; and what looking often costs.
bool verdicts_table(const struct plan *plan);
bool interactions_table(const struct plan *plan);
bool looks_table(const struct plan *plan);

#endif
