// Stopping rules and intervals that jostle does not use, on the same
// populations: why it does not.
#ifndef SIMULATE_RULES_H
#define SIMULATE_RULES_H

#include "plan.h"

#include "../stats/interval.h"

enum { RULE_MAX_RUNS = 200 };

// What a rule sees: the values so far, in the order of measurement and sorted,
// with their moments; and for slowdowns those of the load, and their pairs.
struct seen {
    struct sample base, load;
    struct pairs pairs, logs; // logs: of (log base, log load)
    struct critical critical; // 95 %
    gsl_rng *rng;
    double asked; // the relative error
};

// An interval of the figure; an error of INFINITY asks for more runs.
typedef struct interval (*rule_interval)(struct seen *seen);

struct rule {
    const char *name;
    rule_interval interval;
    size_t min_runs, max_runs;
    // One condition: the same figure of `count` sorted values, for the truth;
    // NULL: the mean.
    double (*figure)(const double *sorted, size_t count);
    bool slow;        // worth fewer experiments
    bool loads_after; // all runs of the load come after all of the baseline's
};

extern const struct rule mean_rules[], ratio_rules[];
extern const size_t mean_rule_count, ratio_rule_count;

// The bootstraps, in rule_bootstrap.c.
struct interval rule_percentile(struct seen *seen);
struct interval rule_bca(struct seen *seen);
struct interval rule_bootstrap_t(struct seen *seen);

// center -+ half, with its relative error.
struct interval rule_around(double center, double low, double high);

// Simulates and prints their table. Returns the exit code.
int rules_run(const struct plan *plan);

#endif
