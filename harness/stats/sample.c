// Keeps measured values and describes them: their order, their shape, and how they depend on
// each other.
#include "sample.h"

#include "common/memory.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double normal_mad = 1.4826; // sd over MAD of a normal distribution

enum { FEW_NEW = 8 }; // values that are put between the others one by one

static void reserve(struct sample *sample, size_t capacity)
{
    sample->value = must(reallocarray(sample->value, capacity, sizeof *sample->value));
    sample->sorted = must(reallocarray(sample->sorted, capacity, sizeof *sample->sorted));
    sample->capacity = capacity;
}

// Puts the next value where it belongs: behind those that equal it. Most often that is near neither
// end.
static void insert_next(struct sample *sample)
{
    const double value = sample->value[sample->sorted_count];
    size_t low = 0, high = sample->sorted_count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sample->sorted[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    memmove(sample->sorted + low + 1, sample->sorted + low,
            (sample->sorted_count++ - low) * sizeof *sample->sorted);
    sample->sorted[low] = value;
}

const double *sample_sorted(const struct sample *sample)
{
    struct sample *own = (struct sample *)sample; // what it holds stays the same
    if (own->count - own->sorted_count <= FEW_NEW)
        while (own->sorted_count < own->count)
            insert_next(own);
    else {
        memcpy(own->sorted, own->value, own->count * sizeof *own->sorted);
        gsl_sort(own->sorted, 1, own->count);
        own->sorted_count = own->count;
    }
    return own->sorted;
}

// Counts it, and adds it to the sums.
static void take_moments(struct sample *sample, double value)
{
    // T. B. Terriberry, "Computing higher-order moments online" (2007).
    double n = (double)++sample->count, delta = value - sample->mean, step = delta / n;
    sample->cubes += delta * step * step * (n - 1) * (n - 2) - 3 * step * sample->squares;
    sample->squares += delta * step * (n - 1);
    sample->mean += step;
}

void sample_add(struct sample *sample, double value)
{
    if (sample->count == sample->capacity)
        reserve(sample, sample->capacity ? 2 * sample->capacity : 32);
    sample->value[sample->count] = value;
    take_moments(sample, value);
}

void sample_begin(struct sample *sample, size_t count)
{
    if (count > sample->capacity)
        reserve(sample, 2 * count);
}

void sample_finish(struct sample *sample, size_t count)
{
    sample_clear(sample);
    for (size_t i = 0; i < count; i++)
        take_moments(sample, sample->value[i]);
}

void sample_fill(struct sample *sample, const double *value, size_t count)
{
    sample_begin(sample, count);
    memcpy(sample->value, value, count * sizeof *value);
    sample_finish(sample, count);
}

void sample_clear(struct sample *sample)
{
    sample->count = sample->sorted_count = 0;
    sample->mean = sample->squares = sample->cubes = 0;
}

void sample_free(struct sample *sample)
{
    free(sample->value);
    free(sample->sorted);
    *sample = (struct sample){0};
}

void sample_moments(const double *value, size_t n, double *mean, double *squares)
{
    *mean = *squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double delta = value[i] - *mean;
        *mean += delta / (double)(i + 1);
        *squares += delta * (value[i] - *mean);
    }
}

double sample_variance(const struct sample *sample)
{
    return sample->count < 2 ? NAN : sample->squares / (double)(sample->count - 1);
}

double sample_median(const struct sample *sample)
{
    const size_t n = sample->count;
    const double *sorted = sample_sorted(sample);
    return n == 0 ? NAN : (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

// The deviations to the left and to the right of the median are two sorted
// lists: merging them as far as the middle needs no sorting.
double sample_mad(const struct sample *sample)
{
    size_t n = sample->count;
    if (n == 0)
        return NAN;
    const double *sorted = sample_sorted(sample);
    double median = sample_median(sample), last = 0, before = 0;
    size_t right = n / 2, left = right;
    for (size_t taken = 0; taken <= n / 2; taken++) {
        double down = left > 0 ? median - sorted[left - 1] : INFINITY;
        double up = right < n ? sorted[right] - median : INFINITY;
        before = last;
        if (down < up) {
            last = down;
            left--;
        } else {
            last = up;
            right++;
        }
    }
    return n % 2 ? last : (before + last) / 2;
}

double sample_robust_sd(const struct sample *sample)
{
    return normal_mad * sample_mad(sample);
}

enum { OUTLIERS_FROM = 8, SPLIT_FROM = 8 };

static const double split_within = 0.1;

struct outliers shape_outliers(const struct sample *sample)
{
    struct outliers found = {0};
    size_t n = sample->count;
    const double *sorted = sample_sorted(sample);
    double median = sample_median(sample), mad = sample_mad(sample);
    // Half of the values alike: there is no scale to measure the others with.
    if (n >= OUTLIERS_FROM && mad > 0 && sorted[0] > 0) {
        // The MAD of few values is itself uncertain; found by simulation (make coverage): below 0.5
        // % of normal samples of any size have an "outlier".
        double scale = normal_mad * log1p(mad / median), far = 4.5 * (1 + 8 / (double)n);
        while (log(sorted[n - 1 - found.high] / median) > far * scale)
            found.high++;
        while (median - sorted[found.low] > far * normal_mad * mad)
            found.low++;
    }
    return found;
}

struct split shape_split(const struct sample *sample)
{
    size_t n = sample->count, lower = 0;
    double sum = 0, best = 0, low = 0, total = sample->mean * (double)n;
    if (n < SPLIT_FROM || !(sample->squares > 0))
        return (struct split){0};
    const double *sorted = sample_sorted(sample);
    for (size_t k = 1; k < n; k++) {
        sum += sorted[k - 1];
        double gap = (total - sum) / (double)(n - k) - sum / (double)k;
        double between = gap * gap * (double)k * (double)(n - k) / (double)n;
        if (between > best) {
            best = between;
            lower = k;
            low = sum;
        }
    }
    double within = fmax(sample->squares - best, 0);
    if (within > split_within * sample->squares)
        return (struct split){0};
    return (struct split){lower, low / (double)lower, (total - low) / (double)(n - lower),
                          within / (double)(n - 2)};
}

double shape_step(const struct sample *sample)
{
    const double *sorted = sample_sorted(sample);
    size_t different = 1;
    double step = INFINITY;
    for (size_t i = 1; i < sample->count; i++) {
        double gap = sorted[i] - sorted[i - 1];
        // Decimal fractions leave rounding dust between equal readings.
        if (gap <= 1e-12 * sorted[i])
            continue;
        different++;
        step = fmin(step, gap);
    }
    return 2 * different <= sample->count && isfinite(step) ? step : 0;
}

static void find_step(const double *value, size_t n, double mean, double squares,
                      struct order *order)
{
    double before = 0, count = (double)n;
    for (size_t k = 1; k < n; k++) {
        before += value[k - 1] - mean;
        double first = (double)k, last = count - first;
        double gap = -before / last - before / first;
        double between = gap * gap * first * last / count;
        double rest = fmax(squares - between, 1e-12 * squares);
        double t = copysign(sqrt(between / (rest / (count - 2))), gap);
        // A single run at either end is an outlier or a warm-up, no step.
        if (k >= 2 && k + 2 <= n && fabs(t) > fabs(order->step_t)) {
            order->step_t = t;
            order->step = gap;
            order->step_at = k;
        }
    }
}

struct fit fit_of(const double *value, size_t n)
{
    const double count = (double)n, middle = (count - 1) / 2;
    const double xx = count * (count * count - 1) / 12;
    struct fit fit;
    double xy = 0;
    sample_moments(value, n, &fit.mean, &fit.squares);
    for (size_t i = 0; i < n; i++)
        xy += ((double)i - middle) * (value[i] - fit.mean);
    fit.slope = xy / xx;
    const double rest = fmax(fit.squares - fit.slope * xy, 1e-12 * fit.squares);
    fit.error = sqrt(rest / (count - 2) / xx);
    return fit;
}

struct order order_analyse(const double *value, size_t n)
{
    double rest_mean, rest_squares;
    struct order order = {0};
    const struct fit fit = fit_of(value, n);
    if (n < 4 || !(fit.squares > 0))
        return order;
    order.trend = fit.slope * (double)(n - 1);
    order.trend_t = fit.slope / fit.error;
    find_step(value, n, fit.mean, fit.squares, &order);
    const double later = (double)(n - n / 2);
    sample_moments(value + n / 2, n - n / 2, &rest_mean, &rest_squares);
    const double sd = sqrt(rest_squares / (later - 1) * (1 + 1 / later));
    order.first_z = sd > 0 ? (value[0] - rest_mean) / sd : 0;
    return order;
}

// Found with `make simulate`; the alternatives are in docs/statistics.md.
static const double skew_cost = 6;  // times squared skewness / n
static const double skew_noise = 3; // squared skewness that normal values show, times n
static const double skew_most = 4;  // squared
static const double delay_cost = 8; // of a tail that may not have shown yet, over n
enum { FEW = 2 };                   // values of a smaller group whose size is not known yet

struct stretch stretch_of(const struct sample *sample, bool delayed, bool delayed_down)
{
    struct stretch stretch = {1, 1};
    const size_t n = sample->count;
    const struct split split = shape_split(sample);
    if (n < 2 || !(sample->squares > 0))
        return stretch;
    const double count = (double)n;
    if (split.lower > 0) {
        const size_t fewer = split.lower < n - split.lower ? split.lower : n - split.lower;
        // Two groups, by chance most values in one of them: the sample's own variance is then far
        // too small. The share of each is taken as (k + 1) / (n + 2), as A. Agresti and B. A. Coull
        // do for a binomial share (Am. Stat. 52, 1998).
        const double share = ((double)split.lower + 1) / (count + 2);
        const double gap = split.high_mean - split.low_mean;
        const double smooth = split.within + gap * gap * share * (1 - share) * count / (count - 1);
        stretch.low = stretch.high = sqrt(fmax(smooth / sample_variance(sample), 1));
        // Of two groups the shares say all, the skewness only follows from them.
        if (fewer > FEW)
            return stretch;
    }
    // The third standardised moment. The error of the t interval of skewed values grows with
    // skewness^2 / n, and it is the side of the long tail that falls short: P. Hall, "The Bootstrap
    // and Edgeworth Expansion" (1992), section 2.6.
    const double skewness = n < 3 ? 0 : sqrt(count) * sample->cubes / pow(sample->squares, 1.5);
    const double excess = fmin(skewness * skewness, skew_most) - skew_noise / count;
    const double share = excess > 0 ? skew_cost * excess / count : 0;
    // What a tail of delays that did not show yet asks of its side. One to the other side speaks
    // against delays.
    const double up = delayed ? delay_cost / count * fmax(1 + fmin(skewness, 0), 0) : 0;
    const double down = delayed_down ? delay_cost / count * fmax(1 + fmin(-skewness, 0), 0) : 0;
    stretch.high *= 1 + fmax(skewness > 0 ? share : 0, up);
    stretch.low *= 1 + fmax(skewness < 0 ? share : 0, down);
    return stretch;
}

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

static const double far = 2.5; // robust standard deviations; values beyond count as that

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
    OWNED double *value = must(malloc((sample->count + 1) * sizeof *value));
    for (size_t i = 0; i < sample->count; i++)
        value[i] = series_near(sample, reach, sample->value[i]);
    struct steadiness steadiness = {
        .seen = dependence_of(value, sample->count, 1), .drift_p = 1, .count = sample->count};
    if (sample->count >= DRIFT_FROM)
        steadiness.drift_p =
            2 * gsl_cdf_tdist_Q(fabs(order_analyse(value, sample->count).trend_t), df);
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
