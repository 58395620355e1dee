/* A series: one run whose figures over time are kept. */
#ifndef BENCH_SERIES_H
#define BENCH_SERIES_H

#include "measured.h"

struct sequence {
    double *time_s, *value; /* since the start of the run, at the end of each interval */
    size_t count, allocated;
};

/* What the cell's run printed at each interval; empty where there is none. To be freed. */
void sequence_read(struct sequence *sequence, const struct measured *measured, const json_t *cell);
void sequence_free(struct sequence *sequence);

/* Replaces the row's value by the mean of its series, with an interval that allows for
 * neighbours that resemble each other; and adds to `more` the coefficient of variation, the
 * smallest and the largest figure. */
void series_put(json_t *row, const struct measured *measured, const json_t *cell);

#endif
