#include "sample.h"

#include "common/memory.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static void reserve(struct sample *sample, size_t capacity)
{
    sample->value = must(reallocarray(sample->value, capacity, sizeof *sample->value));
    sample->sorted = must(reallocarray(sample->sorted, capacity, sizeof *sample->sorted));
    sample->capacity = capacity;
}

// Where the value belongs: behind those that equal it. Most often that is near neither end, and
// a sample may have thousands.
static size_t place_of(const struct sample *sample, double value)
{
    size_t low = 0, high = sample->count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sample->sorted[middle] > value)
            high = middle;
        else
            low = middle + 1;
    }
    return low;
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
    const size_t at = place_of(sample, value);
    memmove(sample->sorted + at + 1, sample->sorted + at,
            (sample->count - at) * sizeof *sample->sorted);
    sample->sorted[at] = value;
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
    for (size_t i = 0; i < count; i++) {
        sample->sorted[i] = sample->value[i];
        take_moments(sample, sample->value[i]);
    }
    gsl_sort(sample->sorted, 1, count);
}

void sample_clear(struct sample *sample)
{
    sample->count = 0;
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

double sample_skewness(const struct sample *sample)
{
    if (sample->count < 3 || !(sample->squares > 0))
        return 0;
    return sqrt((double)sample->count) * sample->cubes / pow(sample->squares, 1.5);
}

double sample_median(const struct sample *sample)
{
    size_t n = sample->count;
    return n == 0 ? NAN : (sample->sorted[(n - 1) / 2] + sample->sorted[n / 2]) / 2;
}

// The deviations to the left and to the right of the median are two sorted
// lists: merging them as far as the middle needs no sorting.
double sample_mad(const struct sample *sample)
{
    size_t n = sample->count;
    if (n == 0)
        return NAN;
    double median = sample_median(sample), last = 0, before = 0;
    size_t right = n / 2, left = right;
    for (size_t taken = 0; taken <= n / 2; taken++) {
        double down = left > 0 ? median - sample->sorted[left - 1] : INFINITY;
        double up = right < n ? sample->sorted[right] - median : INFINITY;
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
