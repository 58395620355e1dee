/* The curves of a part. */
#ifndef BENCH_CHARTS_H
#define BENCH_CHARTS_H

#include "measured.h"

/* The chart of the plan with the figures of its cells, by their rows; points without a
 * figure are left out. `loads`: by cell, what its load achieved. A new reference. */
json_t *chart_build(const json_t *chart, const json_t *rows, const json_t *loads);

/* The chart over time of a cell that is a series; NULL: it has no figures. A new reference. */
json_t *chart_of_series(const struct measured *measured, const json_t *cell);

#endif
