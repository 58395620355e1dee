// Estimates a statistic of one condition, and its ratio between two: means, quantiles, typical
// changes, interactions.
#include "statistic.h"

#include "ranks.h"

#include "common/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A quantile and its bounds, from the ranks of ascending values alone: they hold
// whatever the distribution of independent values is.

enum { VALUES_MOST = 1000000 };

// The estimate number 8 of R. J. Hyndman and Y. Fan, "Sample quantiles in
// statistical packages", Am. Stat. 50 (1996) 361-365, which they recommend: its
// median is nearly that of the true quantile, whatever the distribution.
// The estimate of the quantile p from n > 0 ascending values.
static double quantile_value(double p, const double *sorted, size_t n)
{
    const double at = p * ((double)n + 1.0 / 3) + 1.0 / 3; // rank, from 1
    if (at <= 1)
        return sorted[0];
    if (at >= (double)n)
        return sorted[n - 1];
    const size_t below = (size_t)at;
    return sorted[below - 1] + (at - (double)below) * (sorted[below] - sorted[below - 1]);
}

// The r-th of n values in the direction of the bound: from below, or from above.
struct side {
    const double *sorted;
    size_t n;
    double p; // share of the values before the quantile, in that direction
    bool from_above;
};

static double ranked(const struct side *side, size_t rank)
{
    return side->sorted[side->from_above ? side->n - rank : rank - 1];
}

// Probability that the rank-th value is beyond the quantile: fewer than rank values
// are before it.
static double beyond(const struct side *side, size_t rank)
{
    return rank == 0 ? 0 : gsl_cdf_binomial_P((unsigned)rank - 1, side->p, (unsigned)side->n);
}

// A bound that the quantile is beyond with probability `tail`, whatever the
// distribution; NAN where even the outermost value is beyond it more often. Between
// two order statistics it is interpolated as by J. Nyblom, "Note on interpolated
// order statistics", Stat. Probab. Lett. 14 (1992) 129-131, which for the median is
// T. P. Hettmansperger and S. J. Sheather, Stat. Probab. Lett. 4 (1986) 75-79.
static double bound_by_rank(const struct side *side, double tail)
{
    size_t low = 0, high = side->n; // beyond(low) <= tail < beyond(high)
    if (beyond(side, 1) > tail)
        return NAN;
    while (high - low > 1) {
        const size_t middle = low + (high - low) / 2;
        if (beyond(side, middle) <= tail)
            low = middle;
        else
            high = middle;
    }
    const double n = (double)side->n, r = (double)low;
    const double below = beyond(side, low), above = beyond(side, high);
    const double inner = (n - r) * side->p * (tail - below);
    const double outer = r * (1 - side->p) * (above - tail);
    const double share = inner / (inner + outer);
    return ranked(side, low) + share * (ranked(side, high) - ranked(side, low));
}

// An interval that contains it with that probability. The error rate is split evenly
// where each end has a bound at half of it; else an end that has none takes what it
// needs. low, high: NAN where the values are too few; error is not filled in.
static struct interval quantile_interval(double confidence, double p, const double *sorted,
                                         size_t n)
{
    const struct side lower = {sorted, n, p, false}, upper = {sorted, n, 1 - p, true};
    const double error_rate = 1 - confidence;
    double low_tail = error_rate / 2, high_tail = error_rate / 2;
    if (beyond(&upper, 1) > high_tail) {
        high_tail = beyond(&upper, 1);
        low_tail = error_rate - high_tail;
    } else if (beyond(&lower, 1) > low_tail) {
        low_tail = beyond(&lower, 1);
        high_tail = error_rate - low_tail;
    }
    return (struct interval){.center = quantile_value(p, sorted, n),
                             .low = low_tail > 0 ? bound_by_rank(&lower, low_tail) : NAN,
                             .high = high_tail > 0 ? bound_by_rank(&upper, high_tail) : NAN};
}

static const double trim_share = 0.2; // of the values, at each end
enum { TRIMMED_FROM = 6 };

// Which quantile it is; 0: none.
static const double quantile_of[STATISTICS] = {[STATISTIC_MEDIAN] = 0.5,
                                               [STATISTIC_P90] = 0.9,
                                               [STATISTIC_P99] = 0.99,
                                               [STATISTIC_TYPICAL] = 0.5};

// How many of n values the trimmed mean leaves out at each end.
static size_t statistic_trimmed(size_t n)
{
    return (size_t)(trim_share * (double)n);
}

static double trimmed_value(const double *sorted, size_t n)
{
    const size_t cut = statistic_trimmed(n);
    double sum = 0;
    for (size_t i = cut; i < n - cut; i++)
        sum += sorted[i];
    return sum / (double)(n - 2 * cut);
}

double statistic_value(enum statistic statistic, const double *sorted, size_t n)
{
    if (n == 0)
        return NAN;
    if (statistic == STATISTIC_TRIMMED)
        return trimmed_value(sorted, n);
    if (quantile_of[statistic] > 0)
        return quantile_value(quantile_of[statistic], sorted, n);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sorted[i];
    return sum / (double)n;
}

static struct interval finished(struct interval interval)
{
    if (isnan(interval.low) || isnan(interval.high))
        return interval_unbounded(interval.center);
    interval.error = interval.high > interval.low
                         ? (interval.high - interval.low) / 2 / fabs(interval.center)
                         : 0;
    return interval;
}

static struct interval widened(struct interval interval, double widen)
{
    interval.low = interval.center - widen * (interval.center - interval.low);
    interval.high = interval.center + widen * (interval.high - interval.center);
    return finished(interval);
}

// ---- the trimmed mean ----

// Pairs as many as are not cut, with the trimmed means, and the sums of the values of
// which those that are cut are replaced by the last that is not: their t interval is that
// of J. W. Tukey and D. H. McLaughlin, Sankhya A 25 (1963) 331-352, and for the
// ratio the paired form of K. K. Yuen's (Biometrika 61, 1974): R. R. Wilcox,
// "Introduction to Robust Estimation and Hypothesis Testing" (2012), section 5.9.
static struct pairs trimmed_pairs(const double *x, const double *y, const double *sorted_x,
                                  const double *sorted_y, size_t n)
{
    const size_t cut = statistic_trimmed(n), last = n - 1 - cut;
    struct pairs rest = {0};
    for (size_t i = 0; i < n; i++)
        pairs_sum(&rest, fmin(fmax(x[i], sorted_x[cut]), sorted_x[last]),
                  fmin(fmax(y[i], sorted_y[cut]), sorted_y[last]));
    rest.count = n - 2 * cut;
    rest.mean_x = trimmed_value(sorted_x, n);
    rest.mean_y = trimmed_value(sorted_y, n);
    return rest;
}

// ---- of one condition ----

struct interval statistic_location(struct critical *critical, enum statistic statistic,
                                   const struct sample *sample, double widen)
{
    const double *sorted = sample_sorted(sample), p = quantile_of[statistic];
    const size_t n = sample->count;
    if (n < 2)
        return interval_unbounded(statistic_value(statistic, sorted, n));
    if (sorted[0] == sorted[n - 1])
        return interval_constant(sorted[0]);
    struct interval interval;
    if (statistic == STATISTIC_TRIMMED) {
        const struct pairs rest = trimmed_pairs(sorted, sorted, sorted, sorted, n);
        interval = n < TRIMMED_FROM
                       ? interval_unbounded(rest.mean_x)
                       : interval_mean(critical, rest.mean_x, rest.xx / ((double)rest.count - 1),
                                       rest.count, widen);
    } else {
        interval = widened(quantile_interval(critical->confidence, p, sorted, n), widen);
    }
    interval.constant = false; // most values may be alike, but not all
    return interval;
}

size_t statistic_runs(enum statistic statistic, double confidence)
{
    const double p = quantile_of[statistic];
    if (!(p > 0))
        return statistic == STATISTIC_TRIMMED ? TRIMMED_FROM : 2;
    size_t n = 1; // until it has both bounds
    while (n < VALUES_MOST && pow(p, (double)n) + pow(1 - p, (double)n) > 1 - confidence)
        n++;
    return n;
}

// ---- ratios ----

// Of a value its place before (1), on (1/2) or behind (0) the quantile.
static double place(double value, double quantile)
{
    if (value == quantile)
        return 0.5;
    return value < quantile ? 1 : 0;
}

// The correlation of the two quantiles' errors is that of the pairs' places before and
// behind them (R. R. Bahadur, Ann. Math. Stat. 37 (1966) 577-580). A dozen pairs show
// one by chance: it is shrunk by what independent ones would show (the positive part of
// W. James and C. Stein, 1961).
static double statistic_correlation(const double *x, const double *y, size_t n, double quantile_x,
                                    double quantile_y)
{
    struct pairs places = {0};
    for (size_t i = 0; i < n; i++)
        pairs_sum(&places, place(x[i], quantile_x), place(y[i], quantile_y));
    const double square = places.xy * places.xy / (places.xx * places.yy);
    const double by_chance = 1 / ((double)n - 1);
    return square > by_chance ? places.xy / sqrt(places.xx * places.yy) * (1 - by_chance / square)
                              : 0;
}

// All r for which y - r x has an interval that contains 0, made of the distances a of y's
// and b of x's bound in that direction, as G. Y. Zou and A. Donner recover variances from
// limits (Stat. Med. 27 (2008) 1693-1702); Fieller's, if all intervals are t's.
// `sign`: -1 for the lower end, 1 for the upper. NAN: there is none.
static double ratio_bound(double x, double y, double b, double a, double rho, double sign)
{
    const double square = x * x - b * b, middle = x * y - rho * a * b, rest = y * y - a * a;
    const double root = sqrt(fmax(middle * middle - square * rest, 0));
    return square > 0 ? (middle + sign * root) / square : NAN;
}

// x and y: the two sides of the pairs.
static struct interval trimmed_ratio(struct critical *critical, const struct sample *x,
                                     const struct sample *y, double widen)
{
    const struct pairs rest =
        trimmed_pairs(x->value, y->value, sample_sorted(x), sample_sorted(y), x->count);
    if (x->count < TRIMMED_FROM)
        return interval_unbounded(rest.mean_x > 0 ? rest.mean_y / rest.mean_x : NAN);
    const double t = widen * critical_t(critical, (double)rest.count - 1);
    return interval_ratio(&rest, t, t);
}

static struct interval quantile_ratio(double confidence, double p, const struct sample *sample_x,
                                      const struct sample *sample_y, double widen)
{
    const size_t n = sample_x->count;
    const struct interval x =
        widened(quantile_interval(confidence, p, sample_sorted(sample_x), n), widen);
    const struct interval y =
        widened(quantile_interval(confidence, p, sample_sorted(sample_y), n), widen);
    if (!(x.center > 0) || isinf(x.error) || isinf(y.error))
        return interval_unbounded(x.center > 0 ? y.center / x.center : NAN);
    const double rho =
        statistic_correlation(sample_x->value, sample_y->value, n, x.center, y.center);
    return finished((struct interval){
        .center = y.center / x.center,
        .low = ratio_bound(x.center, y.center, x.high - x.center, y.center - y.low, rho, -1),
        .high = ratio_bound(x.center, y.center, x.center - x.low, y.high - y.center, rho, 1),
    });
}

struct interval statistic_ratio(struct critical *critical, enum statistic statistic,
                                const struct pairs *pairs, double widen)
{
    const size_t n = pairs->count, last = n - 1;
    struct sample x = {0}, y = {0};
    struct interval ratio;
    if (statistic == STATISTIC_TYPICAL)
        return typical_ratio(critical, pairs, widen);
    if (n == 0)
        return interval_unbounded(NAN);
    sample_fill(&x, pairs->x, n);
    sample_fill(&y, pairs->y, n);
    const double first = sample_sorted(&y)[0] / sample_sorted(&x)[0];
    const bool positive = sample_sorted(&x)[last] > 0;
    if (n < 2 || !positive) {
        ratio = interval_unbounded(positive ? first : NAN);
    } else if (sample_sorted(&x)[0] == sample_sorted(&x)[last] &&
               sample_sorted(&y)[0] == sample_sorted(&y)[last]) {
        ratio = interval_constant(first);
    } else {
        ratio = statistic == STATISTIC_TRIMMED
                    ? trimmed_ratio(critical, &x, &y, widen)
                    : quantile_ratio(critical->confidence, quantile_of[statistic], &x, &y, widen);
        ratio.constant = false; // most values may be alike, but not all
    }
    sample_free(&x);
    sample_free(&y);
    return ratio;
}

// Changes farther than so many robust standard deviations from their median count as that far,
// where they are stragglers. To signed ranks a straggler is the farthest of all either way; but two
// in fifteen are enough to take a bound with them, to halfway between a straggler and the others.
// A group of them is what the pairs do, and counts as it is (groups.h). Found with `make simulate`.
static const double far = 3, normal_mad = 1.4826;

enum change typical_changes(const struct pairs *pairs, struct sample *changes)
{
    const size_t n = pairs->count;
    bool ratios = true;
    for (size_t i = 0; i < n; i++)
        ratios = ratios && pairs->x[i] > 0 && pairs->y[i] > 0;
    if (!ratios) // `changes` holds x for a moment
        sample_fill(changes, pairs->x, n);
    const double scale = ratios ? 1 : sample_median(changes);
    if (n == 0 || !(scale > 0))
        return CHANGE_NONE;
    sample_begin(changes, n);
    for (size_t i = 0; i < n; i++)
        changes->value[i] =
            ratios ? log(pairs->y[i] / pairs->x[i]) : (pairs->y[i] - pairs->x[i]) / scale;
    sample_finish(changes, n);
    return ratios ? CHANGE_LOGARITHM : CHANGE_DIFFERENCE;
}

double change_ratio(enum change change, double value)
{
    return change == CHANGE_LOGARITHM ? exp(value) : 1 + value;
}

// The centre of the changes and its bounds.
static struct interval centre_of(struct critical *critical, const struct sample *changes)
{
    const size_t n = changes->count;
    const double median = sample_median(changes), mad = sample_mad(changes);
    double reach = mad > 0 ? far * normal_mad * mad : INFINITY;
    if (groups_beyond(changes, reach))
        reach = INFINITY;
    const double *own = sample_sorted(changes);
    OWNED double *sorted = must(malloc(n * sizeof *sorted));
    for (size_t i = 0; i < n; i++)
        sorted[i] = fmax(fmin(own[i], median + reach), median - reach);
    return ranks_interval(ranks_bound(critical, n), sorted, n);
}

// The ratio of changes that are known.
static struct interval typical_of(struct critical *critical, enum change change,
                                  const struct sample *changes, double widen)
{
    const size_t n = changes->count;
    if (change == CHANGE_NONE || n == 0)
        return interval_unbounded(NAN);
    const struct interval centre = centre_of(critical, changes);
    struct interval ratio = {.center = change_ratio(change, centre.center)};
    if (n > 1 && sample_sorted(changes)[0] == sample_sorted(changes)[n - 1])
        return interval_constant(ratio.center);
    ratio.low = change_ratio(change, centre.center - widen * (centre.center - centre.low));
    ratio.high = change_ratio(change, centre.center + widen * (centre.high - centre.center));
    ratio.error = isnan(ratio.low) || !(ratio.center > 0)
                      ? INFINITY
                      : (ratio.high - ratio.low) / 2 / ratio.center;
    return ratio;
}

struct interval typical_ratio(struct critical *critical, const struct pairs *pairs, double widen)
{
    struct sample changes = {0};
    const enum change change = typical_changes(pairs, &changes);
    const struct interval ratio = typical_of(critical, change, &changes, widen);
    sample_free(&changes);
    return ratio;
}

struct groups typical_groups(const struct pairs *pairs, double apart)
{
    struct sample changes = {0};
    const enum change change = typical_changes(pairs, &changes);
    struct groups groups = change == CHANGE_NONE ? (struct groups){0} : groups_of(&changes);
    sample_free(&changes);
    if (groups.low_count == 0)
        return groups;
    groups.low = change_ratio(change, groups.low);
    groups.high = change_ratio(change, groups.high);
    return groups.high - groups.low > apart * fabs(groups.low) ? groups : (struct groups){0};
}

double typical_error_of_one(const struct pairs *pairs)
{
    struct sample changes = {0};
    const enum change change = typical_changes(pairs, &changes);
    const double spread = normal_mad * sample_mad(&changes);
    const double ratio = change_ratio(change, sample_median(&changes));
    sample_free(&changes);
    if (change == CHANGE_NONE)
        return NAN;
    return change == CHANGE_LOGARITHM ? spread : spread / fabs(ratio);
}

// Found with `make simulate`; the alternatives are in docs/statistics.md.
static const double look_cost = 0.13; // of having looked: look_cost / sqrt(n)
static const double few_cost = 0.8;   // of having looked early: few_cost / min_runs,
static const double few = 12;         // less what that is with so many

double location_widening(const struct settings *settings, size_t n)
{
    if (!settings_is_sequential(settings))
        return 1;
    const double early = fmax(1 / (double)settings->min_runs - 1 / few, 0);
    return 1 + look_cost / sqrt((double)n) + few_cost * early;
}

struct interval location_estimate(struct critical *critical, const struct sample *sample,
                                  double widen)
{
    struct interval interval =
        interval_mean(critical, sample->mean, sample_variance(sample), sample->count, widen);
    if (interval.constant || !isfinite(interval.error))
        return interval;
    const struct stretch stretch = stretch_of(sample, false, false);
    const double center = interval.center, half = interval.high - center;
    return interval_between(center, center - half * stretch.low, center + half * stretch.high);
}

// ---- interactions: ratios of four corners ----

// Of the logarithm of the ratio.
static const double sign[CORNERS] = {
    [REFERENCE_ALONE] = 1, [VARIANT_ALONE] = -1, [REFERENCE_LOADED] = -1, [VARIANT_LOADED] = 1};

// The loads add delays where loaded values vary by more than this: variances of relative
// values, as for a slowdown.
static const double delays_from = 4;

void crossed_free(struct crossed *crossed)
{
    for (enum corner i = 0; i < CORNERS; i++)
        free(crossed->value[i]);
    *crossed = (struct crossed){0};
}

static struct interval around(double logarithm, double down, double up)
{
    if (!isfinite(down) || !isfinite(up))
        return interval_unbounded(exp(logarithm));
    if (!(down > 0) && !(up > 0))
        return interval_constant(exp(logarithm));
    return interval_between(exp(logarithm), exp(logarithm - down), exp(logarithm + up));
}

// What is estimated of each corner, and the values that its error is that of.
struct center {
    double estimate, least, most; // values below and above count as these
    double spread;                // relative variance
};

static void find_centers(enum statistic statistic, const struct crossed *crossed,
                         struct center *centers, struct sample *values)
{
    for (enum corner i = 0; i < CORNERS; i++) {
        sample_fill(values, crossed->value[i], crossed->count);
        const size_t cut = statistic == STATISTIC_TRIMMED ? statistic_trimmed(crossed->count) : 0;
        centers[i].estimate = statistic_value(statistic, sample_sorted(values), values->count);
        centers[i].least = sample_sorted(values)[cut];
        centers[i].most = sample_sorted(values)[values->count - 1 - cut];
        centers[i].spread = sample_variance(values) / pow(centers[i].estimate, 2);
    }
}

// Each block's part in the logarithm, times `direction`.
static void add_parts(const struct crossed *crossed, const struct center *centers, double direction,
                      struct sample *parts)
{
    sample_clear(parts);
    for (size_t block = 0; block < crossed->count; block++) {
        double part = 0;
        for (enum corner i = 0; i < CORNERS; i++)
            part += direction * sign[i] *
                    fmin(fmax(crossed->value[i][block], centers[i].least), centers[i].most) /
                    centers[i].estimate;
        sample_add(parts, part);
    }
}

// How far the logarithm may be off towards `direction`. Of means: a delay of the reference's loaded
// runs moves the ratio down as one of the variant's moves it up, so either side may be the long
// one. Of trimmed means: the values that are cut count as the last that are not (J. W. Tukey and D.
// H. McLaughlin, Sankhya A 25 (1963) 331-352).
static double reach_of_means(const struct crossed *crossed, const struct center *centers,
                             double direction, double t, size_t left, struct sample *parts)
{
    const double n = (double)crossed->count;
    const bool delayed =
        centers[REFERENCE_LOADED].spread + centers[VARIANT_LOADED].spread >
        delays_from * (centers[REFERENCE_ALONE].spread + centers[VARIANT_ALONE].spread);
    add_parts(crossed, centers, direction, parts);
    if (left < crossed->count)
        return t * sqrt(sample_variance(parts) * (n - 1) / ((double)left - 1) / (double)left);
    return t * stretch_of(parts, delayed, false).high * sqrt(sample_variance(parts) / n);
}

static struct interval of_means(struct critical *critical, enum statistic statistic,
                                const struct crossed *crossed, double widen, struct sample *values)
{
    struct center centers[CORNERS] = {0};
    const size_t n = crossed->count;
    const size_t left = statistic == STATISTIC_TRIMMED ? n - 2 * statistic_trimmed(n) : n;
    double logarithm = 0;
    find_centers(statistic, crossed, centers, values);
    for (enum corner i = 0; i < CORNERS; i++)
        logarithm += sign[i] * log(centers[i].estimate);
    if (!isfinite(logarithm))
        return interval_unbounded(NAN);
    if (n < statistic_runs(statistic, critical->confidence))
        return around(logarithm, INFINITY, INFINITY);
    const double t = widen * critical_t(critical, (double)left - 1);
    const double down = reach_of_means(crossed, centers, -1, t, left, values);
    return around(logarithm, down, reach_of_means(crossed, centers, 1, t, left, values));
}

// A quantile, and how far its bounds are, as logarithms of ratios.
struct part {
    double center, below, above;
};

static bool find_parts(struct critical *critical, enum statistic statistic,
                       const struct crossed *crossed, double widen, struct part *parts,
                       struct sample *values)
{
    for (enum corner i = 0; i < CORNERS; i++) {
        sample_fill(values, crossed->value[i], crossed->count);
        const struct interval one = statistic_location(critical, statistic, values, widen);
        if (!(one.center > 0))
            return false;
        parts[i].center = one.center;
        // An end below 0 is no bound of a logarithm.
        parts[i].below = one.low > 0 ? log(one.center / one.low) : INFINITY;
        parts[i].above = isfinite(one.high) ? log(one.high / one.center) : INFINITY;
    }
    return true;
}

// How far the sum of the four logarithms may be off in that direction.
static double reach_of_quantiles(const struct crossed *crossed, const struct part *parts,
                                 double direction)
{
    double reach[CORNERS], square = 0;
    for (enum corner i = 0; i < CORNERS; i++) {
        reach[i] = direction * sign[i] > 0 ? parts[i].above : parts[i].below;
        if (!isfinite(reach[i]))
            return INFINITY;
        square += reach[i] * reach[i];
    }
    for (enum corner i = 0; i < CORNERS; i++)
        for (enum corner k = i + 1; k < CORNERS; k++)
            square += 2 * sign[i] * sign[k] * reach[i] * reach[k] *
                      statistic_correlation(crossed->value[i], crossed->value[k], crossed->count,
                                            parts[i].center, parts[k].center);
    return sqrt(fmax(square, 0));
}

// Of quantiles, by the intervals of the four.
static struct interval of_intervals(struct critical *critical, enum statistic statistic,
                                    const struct crossed *crossed, double widen,
                                    struct sample *values)
{
    struct part parts[CORNERS] = {0};
    double logarithm = 0;
    if (!find_parts(critical, statistic, crossed, widen, parts, values))
        return interval_unbounded(NAN);
    for (enum corner i = 0; i < CORNERS; i++)
        logarithm += sign[i] * log(parts[i].center);
    return around(logarithm, reach_of_quantiles(crossed, parts, -1),
                  reach_of_quantiles(crossed, parts, 1));
}

// The centre of what the blocks' four values say, and its signed ranks.
static struct interval of_blocks(struct critical *critical, const struct crossed *crossed,
                                 double widen, struct sample *values)
{
    sample_clear(values);
    for (size_t block = 0; block < crossed->count; block++) {
        double logarithm = 0;
        for (enum corner i = 0; i < CORNERS; i++)
            logarithm += sign[i] * log(crossed->value[i][block]);
        if (!isfinite(logarithm))
            return interval_unbounded(NAN);
        sample_add(values, logarithm);
    }
    return typical_of(critical, CHANGE_LOGARITHM, values, widen);
}

struct interval interaction_ratio(struct critical *critical, enum statistic statistic,
                                  const struct crossed *crossed, double widen,
                                  struct sample *values)
{
    if (crossed->count < 2)
        return interval_unbounded(NAN);
    if (statistic == STATISTIC_TYPICAL)
        return of_blocks(critical, crossed, widen, values);
    return statistic == STATISTIC_MEAN || statistic == STATISTIC_TRIMMED
               ? of_means(critical, statistic, crossed, widen, values)
               : of_intervals(critical, statistic, crossed, widen, values);
}
