#include "harness/probe/series.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_SIZE       64
#define LEAST_CORRELATED 8 /* values that show a correlation */
#define LEAST_ERROR      3
#define MOST_CORRELATION 0.95

bool series_add(struct series *series, double value)
{
    if (series->count == series->size) {
        const size_t size = series->size == 0 ? FIRST_SIZE : 2 * series->size;
        double *larger = reallocarray(series->value, size, sizeof *larger);
        if (larger == NULL)
            return false;
        series->value = larger;
        series->size = size;
    }
    series->value[series->count++] = value;
    return true;
}

void series_clear(struct series *series)
{
    series->count = 0;
}

void series_free(struct series *series)
{
    free(series->value);
    *series = (struct series){0};
}

static double correlation_of(const struct series *series)
{
    if (series->count < LEAST_CORRELATED)
        return NAN;
    const double found = gsl_stats_lag1_autocorrelation(series->value, 1, series->count);
    return isfinite(found) ? fmin(fmax(found, 0), MOST_CORRELATION) : 0;
}

bool series_summarise(const struct series *series, struct series_summary *summary)
{
    const size_t count = series->count;
    *summary = (struct series_summary){NAN, NAN, NAN, NAN, NAN};
    if (count == 0)
        return true;
    double *sorted = malloc(2 * count * sizeof *sorted);
    if (sorted == NULL)
        return false;
    memcpy(sorted, series->value, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    summary->mean = gsl_stats_mean(series->value, 1, count);
    summary->median = gsl_stats_median_from_sorted_data(sorted, 1, count);
    summary->spread =
        count < LEAST_ERROR ? NAN : gsl_stats_mad(series->value, 1, count, sorted + count);
    free(sorted);
    summary->correlation = correlation_of(series);
    if (count < LEAST_ERROR)
        return true;
    const double r = isnan(summary->correlation) ? 0 : summary->correlation;
    summary->error =
        sqrt(gsl_stats_variance(series->value, 1, count) / (double)count * (1 + r) / (1 - r));
    return true;
}
