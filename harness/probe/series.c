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

/* Q_n of Rousseeuw and Croux (1993): of all pairs' distances, the quarter; 82 % as efficient as the
 * standard deviation, where the median absolute deviation has 37 %, and it has no centre. */
static bool spread_of(const double *sorted, size_t count, double *spread)
{
    double *work = calloc(3 * count, sizeof *work);
    int *index = calloc(5 * count, sizeof *index);
    const bool good = work != NULL && index != NULL;
    if (good)
        *spread = gsl_stats_Qn_from_sorted_data(sorted, 1, count, work, index);
    free(work);
    free(index);
    return good;
}

bool series_summarise(const struct series *series, struct series_summary *summary)
{
    const size_t count = series->count;
    *summary = (struct series_summary){NAN, NAN, NAN, NAN, NAN};
    if (count == 0)
        return true;
    double *sorted = malloc(count * sizeof *sorted);
    if (sorted == NULL)
        return false;
    memcpy(sorted, series->value, count * sizeof *sorted);
    gsl_sort(sorted, 1, count);
    summary->mean = gsl_stats_mean(series->value, 1, count);
    summary->median = gsl_stats_median_from_sorted_data(sorted, 1, count);
    const bool good = count < LEAST_ERROR || spread_of(sorted, count, &summary->spread);
    free(sorted);
    summary->correlation = correlation_of(series);
    if (count < LEAST_ERROR)
        return good;
    const double r = isnan(summary->correlation) ? 0 : summary->correlation;
    summary->error =
        sqrt(gsl_stats_variance(series->value, 1, count) / (double)count * (1 + r) / (1 - r));
    return good;
}
