// Rules for a slowdown.
#include "rules.h"

#include "../stats/gate.h"
#include "../stats/location.h"

#include <math.h>

enum { FIXED_RUNS = 25 };

static struct interval fieller(struct seen *seen)
{
    return interval_ratio(&seen->pairs, critical_t(&seen->critical, (double)seen->pairs.count - 1));
}

static struct interval fieller_widened(struct seen *seen)
{
    return interval_ratio(&seen->pairs,
                          location_widening(seen->pairs.count, true) *
                              critical_t(&seen->critical, (double)seen->pairs.count - 1));
}

static struct interval sequence(struct seen *seen)
{
    return interval_ratio(&seen->pairs, critical_sequence(0.95, seen->pairs.count));
}

static struct interval exp_around(double center, double half)
{
    return rule_around(exp(center), exp(center - half), exp(center + half));
}

static struct interval log_pairs(struct seen *seen)
{
    const struct pairs *p = &seen->logs;
    double n = (double)p->count;
    double half =
        critical_t(&seen->critical, n - 1) * sqrt((p->xx - 2 * p->xy + p->yy) / (n - 1) / n);
    return exp_around(p->mean_y - p->mean_x, half);
}

// The ratio of the means, its variance by the first derivatives.
static struct interval delta(struct seen *seen)
{
    const struct pairs *p = &seen->pairs;
    double n = (double)p->count, r = p->mean_y / p->mean_x;
    double variance = (p->yy - 2 * r * p->xy + r * r * p->xx) / (n - 1) / n;
    double half = critical_t(&seen->critical, n - 1) * sqrt(fmax(variance, 0)) / p->mean_x;
    return rule_around(r, r - half, r + half);
}

static struct interval welch(struct seen *seen)
{
    const struct sample *x = &seen->base, *y = &seen->load;
    double vx = sample_variance(x) / (double)x->count / (x->mean * x->mean);
    double vy = sample_variance(y) / (double)y->count / (y->mean * y->mean);
    double df = (vx + vy) * (vx + vy) /
                (vx * vx / (double)(x->count - 1) + vy * vy / (double)(y->count - 1));
    // A whole number is looked up, a fraction computed.
    double half = critical_t(&seen->critical, floor(df)) * sqrt(vx + vy);
    return exp_around(log(y->mean / x->mean), half);
}

const struct rule ratio_rules[] = {
    {"log-ratio t, pairs", log_pairs, 12, RULE_MAX_RUNS, NULL, false, false},
    {"delta method, pairs", delta, 12, RULE_MAX_RUNS, NULL, false, false},
    {"Fieller, pairs", fieller, 12, RULE_MAX_RUNS, NULL, false, false},
    {"Fieller, widened for looking", fieller_widened, 12, RULE_MAX_RUNS, NULL, false, false},
    {"confidence sequence, pairs", sequence, 12, RULE_MAX_RUNS, NULL, false, false},
    {"Welch, unpaired", welch, 12, RULE_MAX_RUNS, NULL, false, false},
    {"Welch, baseline first", welch, FIXED_RUNS, FIXED_RUNS, NULL, false, true},
};
const size_t ratio_rule_count = sizeof ratio_rules / sizeof *ratio_rules;
