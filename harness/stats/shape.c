#include "shape.h"

#include <math.h>

enum { OUTLIERS_FROM = 8, SPLIT_FROM = 8 };

static const double normal_mad = 1.4826; // sd over MAD of a normal distribution
static const double split_within = 0.1;

// The MAD of few values is itself uncertain; found by simulation (make
// coverage): below 0.5 % of normal samples of any size have an "outlier".
static double far_z(size_t n)
{
    return 4.5 * (1 + 8 / (double)n);
}

static void rest_of(const struct sample *sample, struct outliers *found)
{
    size_t n = sample->count - found->low - found->high;
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        double value = sample->sorted[found->low + i], delta = value - mean;
        mean += delta / (double)(i + 1);
        squares += delta * (value - mean);
    }
    found->mean = mean;
    found->variance = n > 1 ? squares / (double)(n - 1) : NAN;
}

struct outliers shape_outliers(const struct sample *sample)
{
    struct outliers found = {0};
    size_t n = sample->count;
    double median = sample_median(sample), mad = sample_mad(sample);
    // Half of the values alike: there is no scale to measure the others with.
    if (n >= OUTLIERS_FROM && mad > 0 && sample->sorted[0] > 0) {
        double scale = normal_mad * log1p(mad / median), far = far_z(n);
        const double *sorted = sample->sorted;
        while (log(sorted[n - 1 - found.high] / median) > far * scale)
            found.high++;
        while (median - sorted[found.low] > far * normal_mad * mad)
            found.low++;
    }
    if (found.low + found.high > 0)
        rest_of(sample, &found);
    return found;
}

struct split shape_split(const struct sample *sample)
{
    size_t n = sample->count, lower = 0;
    double sum = 0, best = 0, low = 0, total = sample->mean * (double)n;
    if (n < SPLIT_FROM || !(sample->squares > 0))
        return (struct split){0};
    for (size_t k = 1; k < n; k++) {
        sum += sample->sorted[k - 1];
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
    size_t different = 1;
    double step = INFINITY;
    for (size_t i = 1; i < sample->count; i++) {
        double gap = sample->sorted[i] - sample->sorted[i - 1];
        // Decimal fractions leave rounding dust between equal readings.
        if (gap <= 1e-12 * sample->sorted[i])
            continue;
        different++;
        step = fmin(step, gap);
    }
    return 2 * different <= sample->count && isfinite(step) ? step : 0;
}
