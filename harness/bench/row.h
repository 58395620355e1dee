/* A row of the bench: what a cell showed. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include "measured.h"

/* A row of bench.json, of a cell of the plan and its records. A new reference. */
json_t *row_build(struct measured *measured, const char *part, const json_t *cell);

#endif
