#include "dependence.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

#include "common/memory.h"
#include "sample.h"

static const double grid[DEPENDENCE_GRID] = {0, 0.3, 0.6, 0.8, 0.9, 0.95};
enum { SEEN_FROM = 4 };

// 1' C^-1 1 of n values of an AR(1) process of innovation variance 1: the
// information about its mean.
static double information(double rho, double n)
{
    return (1 - rho) * (n - (n - 2) * rho);
}

struct dependence dependence_see(const double *value, size_t n, double mean, double squares,
                                 size_t means)
{
    struct dependence seen = {.likelihood = {1}, .variance = {1}}; // independent
    if (n < SEEN_FROM || !(squares > 0))
        return seen;
    double cross = 0, count = (double)n;
    for (size_t i = 1; i < n; i++)
        cross += (value[i] - mean) * (value[i - 1] - mean);
    const double first = value[0] - mean, last = value[n - 1] - mean;
    const double between = squares - first * first - last * last;
    const double apart = (squares + between - 2 * cross) / squares; // of neighbours, squared
    seen.alike = (1 - apart / 2) / sqrt((count - 2) / (count * count - 1));
    // The density of the values given rho, the mean and the variance integrated
    // out with their usual flat priors: A. Zellner, "An Introduction to Bayesian
    // Inference in Econometrics" (1971), section 4.1. Any further mean is that
    // of values scattered among the others, whose information is about
    // 1 + rho^2 each.
    for (size_t i = 0; i < DEPENDENCE_GRID; i++) {
        const double rho = grid[i], k = information(rho, count);
        const double shift = rho * (1 - rho) * (first + last); // of the mean's estimate, times k
        double rest = squares - 2 * rho * cross + rho * rho * between - shift * shift / k;
        rest = fmax(rest, 1e-12 * squares) / squares;
        seen.likelihood[i] = sqrt((1 - rho * rho) * count / k) *
                             pow(1 + rho * rho, -((double)means - 1) / 2) *
                             pow(rest, -(count - (double)means) / 2);
        seen.variance[i] = rest / (1 - rho * rho);
    }
    return seen;
}

// The weight of each correlation; independence has the first.
static void weigh(const struct dependence *seen, double prior, double *weight)
{
    double sum = 0;
    for (size_t i = 0; i < DEPENDENCE_GRID; i++) {
        weight[i] = seen->likelihood[i] * (i == 0 ? 1 - prior : prior / (DEPENDENCE_GRID - 1));
        sum += weight[i];
    }
    for (size_t i = 0; i < DEPENDENCE_GRID; i++)
        weight[i] /= sum;
}

double dependence_probability(const struct dependence *seen, double prior)
{
    double weight[DEPENDENCE_GRID];
    weigh(seen, prior, weight);
    return 1 - weight[0];
}

double dependence_rho(const struct dependence *seen, double prior)
{
    double weight[DEPENDENCE_GRID], sum = 0;
    weigh(seen, prior, weight);
    for (size_t i = 0; i < DEPENDENCE_GRID; i++)
        sum += weight[i] * grid[i];
    return sum;
}

double dependence_factor(const struct dependence *seen, double prior, size_t n, size_t every)
{
    double weight[DEPENDENCE_GRID], sum = 0, count = (double)n;
    weigh(seen, prior, weight);
    for (size_t i = 0; i < DEPENDENCE_GRID; i++) {
        const double rho = every == 1 ? grid[i] : pow(grid[i], (double)every);
        sum += weight[i] * seen->variance[i] * (1 - rho * rho) * count / information(rho, count);
    }
    return fmax(sum, 1);
}

static const double far = 2.5;           // robust standard deviations; values beyond count as that
static const double normal_mad = 1.4826; // sd over MAD of a normal distribution

// Found with `make simulate --tables series`; what they reach is in docs/statistics.md.
static const double unsteady = 2.05, drift_level = 0.005; // said
static const double suspect = 1, drift_suspect = 0.2;     // allowed for, and looked into
static const double suspect_varies = -1;
static const double prior = 0.5; // of dependence, where it is allowed for
// Where it is not said, an interval is at most so many times as wide: few independent pairs that
// look alike by chance would else have one of five times its width.
static const double most_unsaid = 2.5;
enum { DRIFT_FROM = 6 };

// How far beside the median a value counts. Where more than half are alike there is no scale.
double series_reach(const struct sample *sample)
{
    const double mad = sample_mad(sample);
    return mad > 0 ? far * normal_mad * mad : INFINITY;
}

double series_near(const struct sample *sample, double reach, double value)
{
    const double median = sample_median(sample);
    return median + fmax(fmin(value - median, reach), -reach);
}

struct dependence dependence_of(const double *value, size_t n, size_t means)
{
    double mean, squares;
    sample_moments(value, n, &mean, &squares);
    return dependence_see(value, n, mean, squares, means);
}

struct steadiness series_of_pairs(const struct sample *sample)
{
    const double reach = series_reach(sample), df = (double)sample->count - 2;
    double *value = must(malloc((sample->count + 1) * sizeof *value));
    for (size_t i = 0; i < sample->count; i++)
        value[i] = series_near(sample, reach, sample->value[i]);
    struct steadiness steadiness = {
        .seen = dependence_of(value, sample->count, 1), .drift_p = 1, .count = sample->count};
    if (sample->count >= DRIFT_FROM)
        steadiness.drift_p = 2 * gsl_cdf_tdist_Q(fabs(order_trend_t(value, sample->count)), df);
    free(value);
    return steadiness;
}

bool series_is_unsteady(const struct steadiness *steadiness)
{
    return steadiness->seen.alike > unsteady || steadiness->drift_p < drift_level;
}

bool series_is_suspect(const struct steadiness *steadiness, bool varies)
{
    return steadiness->seen.alike > (varies ? suspect_varies : suspect) ||
           steadiness->drift_p < drift_suspect;
}

double series_widening(const struct steadiness *steadiness)
{
    if (!(steadiness->seen.alike > suspect) && !series_is_unsteady(steadiness))
        return 1;
    const double factor = sqrt(dependence_factor(&steadiness->seen, prior, steadiness->count, 1));
    return series_is_unsteady(steadiness) ? factor : fmin(factor, most_unsaid);
}
