/* A row of the bench: what a cell showed. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include "measured.h"

/* A row of bench.json, of a cell of the plan and its records. A new reference. */
json_t *row_build(struct measured *measured, const char *part, const json_t *cell);

/* Of the cells of a part and their rows, in the same order: where the peak of one was withdrawn, as
 * its operations exceeded it, the CPU is another one than it is taken for, and those of the others
 * are not known either. */
void rows_check_peaks(const json_t *cells, json_t *rows);

#endif
