#ifndef PROBE_SERIES_H
#define PROBE_SERIES_H

/* Values in the order in which they were measured, and what they are worth when neighbours
 * resemble each other. */

#include <stdbool.h>
#include <stddef.h>

struct series {
    double *value;
    size_t count, size;
};

/* False: out of memory; the value is left out. */
bool series_add(struct series *series, double value);
void series_clear(struct series *series);
void series_free(struct series *series);

/* NAN for what so few values do not show. */
struct series_summary {
    double mean, median;
    double spread;      /* robust standard deviation (Q_n), from 3 values on */
    double correlation; /* of neighbours (lag 1), kept to 0 ... 0.95; from 8 values on */
    double error;       /* standard error of the mean, from 3 values on: with the variance of n
                           values of a first-order autoregression, s^2 / n (1 + r) / (1 - r) */
};

/* False: out of memory. */
bool series_summarise(const struct series *series, struct series_summary *summary);

#endif
