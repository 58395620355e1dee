// Rules for one condition.
#include "rules.h"

#include "../stats/gate.h"
#include "../stats/location.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>

enum { STEIN_FIRST = 12 };

static const double z95 = 1.959964, trimmed_share = 0.1;

struct interval rule_around(double center, double low, double high)
{
    return (struct interval){center, low, high, (high - low) / 2 / fabs(center)};
}

static struct interval student(struct seen *seen)
{
    const struct sample *s = &seen->base;
    return interval_mean(&seen->critical, s->mean, sample_variance(s), s->count, 1);
}

static struct interval widened(struct seen *seen)
{
    const struct sample *s = &seen->base;
    return interval_mean(&seen->critical, s->mean, sample_variance(s), s->count,
                         location_widening(s->count, true));
}

// C. Stein, Ann. Math. Statist. 16 (1945) 243-258: the variance of a first
// sample alone says how many runs are needed, and makes the interval.
static struct interval stein(struct seen *seen)
{
    const struct sample *s = &seen->base;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < STEIN_FIRST; i++) {
        double delta = s->value[i] - mean;
        mean += delta / (double)(i + 1);
        squares += delta * (s->value[i] - mean);
    }
    double half = critical_t(&seen->critical, STEIN_FIRST - 1) *
                  sqrt(squares / (STEIN_FIRST - 1) / (double)s->count);
    return rule_around(s->mean, s->mean - half, s->mean + half);
}

static struct interval sequence(struct seen *seen)
{
    const struct sample *s = &seen->base;
    double half = critical_sequence(0.95, s->count) * sqrt(sample_variance(s) / (double)s->count);
    return rule_around(s->mean, s->mean - half, s->mean + half);
}

static double median_of(const double *sorted, size_t n)
{
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

// The order statistics of a sign test: the largest r with P(X < r) <= 2.5 %
// for X binomial(n, 1/2).
static struct interval median(struct seen *seen)
{
    const double *sorted = seen->base.sorted;
    size_t n = seen->base.count, r = 0;
    double term = pow(0.5, (double)n), sum = term;
    while (sum <= 0.025) {
        r++;
        term *= (double)(n - r + 1) / (double)r;
        sum += term;
    }
    if (r == 0)
        return (struct interval){median_of(sorted, n), -INFINITY, INFINITY, INFINITY};
    return rule_around(median_of(sorted, n), sorted[r - 1], sorted[n - r]);
}

// All averages of two values, sorted; the caller frees them.
static double *averages(const double *sorted, size_t n, size_t *count)
{
    *count = n * (n + 1) / 2;
    double *average = malloc(*count * sizeof *average);
    size_t k = 0;
    for (size_t i = 0; average && i < n; i++)
        for (size_t j = i; j < n; j++)
            average[k++] = (sorted[i] + sorted[j]) / 2;
    if (average)
        gsl_sort(average, 1, *count);
    return average;
}

// The pseudo-median with the interval of the signed-rank test (its normal
// approximation): J. L. Hodges and E. L. Lehmann, Ann. Math. Statist. 34 (1963).
static struct interval hodges_lehmann(struct seen *seen)
{
    double n = (double)seen->base.count;
    size_t count;
    double *average = averages(seen->base.sorted, seen->base.count, &count);
    if (!average)
        return (struct interval){NAN, NAN, NAN, INFINITY};
    double rank = n * (n + 1) / 4 - z95 * sqrt(n * (n + 1) * (2 * n + 1) / 24);
    size_t k = rank > 1 ? (size_t)rank : 1;
    struct interval interval =
        rule_around(median_of(average, count), average[k - 1], average[count - k]);
    free(average);
    return interval;
}

static double pseudo_median_of(const double *sorted, size_t n)
{
    // Of the quantiles: as good as of all values, and n is large.
    enum { QUANTILES = 1000 };
    double quantile[QUANTILES];
    for (size_t i = 0; i < QUANTILES; i++)
        quantile[i] = sorted[(2 * i + 1) * n / (2 * QUANTILES)];
    size_t count;
    double *average = averages(quantile, QUANTILES, &count);
    double result = average ? median_of(average, count) : NAN;
    free(average);
    return result;
}

static double trimmed_of(const double *sorted, size_t n)
{
    size_t cut = (size_t)(trimmed_share * (double)n);
    double sum = 0;
    for (size_t i = cut; i < n - cut; i++)
        sum += sorted[i];
    return sum / (double)(n - 2 * cut);
}

// J. W. Tukey and D. H. McLaughlin, Sankhya A 25 (1963): the variance of the
// winsorised values.
static struct interval trimmed(struct seen *seen)
{
    const double *sorted = seen->base.sorted;
    size_t n = seen->base.count, cut = (size_t)(trimmed_share * (double)n);
    double mean = 0, squares = 0, left = (double)(n - 2 * cut);
    for (size_t i = 0; i < n; i++) {
        size_t at = i < cut ? cut : i >= n - cut ? n - cut - 1 : i;
        double delta = sorted[at] - mean;
        mean += delta / (double)(i + 1);
        squares += delta * (sorted[at] - mean);
    }
    double half = critical_t(&seen->critical, left - 1) * sqrt(squares / (left * (left - 1)));
    double center = trimmed_of(sorted, n);
    return rule_around(center, center - half, center + half);
}

const struct rule mean_rules[] = {
    {"t, from 3 runs", student, 3, RULE_MAX_RUNS, NULL, false, false},
    {"t", student, 12, RULE_MAX_RUNS, NULL, false, false},
    {"t, widened for looking", widened, 12, RULE_MAX_RUNS, NULL, false, false},
    {"Stein's two stages", stein, STEIN_FIRST, RULE_MAX_RUNS, NULL, false, false},
    {"confidence sequence", sequence, 12, RULE_MAX_RUNS, NULL, false, false},
    {"median, order statistics", median, 12, RULE_MAX_RUNS, median_of, false, false},
    {"Hodges-Lehmann", hodges_lehmann, 12, RULE_MAX_RUNS, pseudo_median_of, true, false},
    {"mean trimmed by 10 %", trimmed, 12, RULE_MAX_RUNS, trimmed_of, false, false},
    {"percentile bootstrap", rule_percentile, 12, RULE_MAX_RUNS, NULL, true, false},
    {"BCa bootstrap", rule_bca, 12, RULE_MAX_RUNS, NULL, true, false},
    {"bootstrap-t", rule_bootstrap_t, 12, RULE_MAX_RUNS, NULL, true, false},
};
const size_t mean_rule_count = sizeof mean_rules / sizeof *mean_rules;
