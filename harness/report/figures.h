#ifndef REPORT_FIGURES_H
#define REPORT_FIGURES_H

#include "experiment.h"

/* The long form for R, pandas, DuckDB: a line for each figure of each condition of a cell. */

/* The names of the columns, as the fields of a line without its end; to be freed. */
char *figures_columns(void);
/* The cell's lines of CSV, without the end of the last one, to be freed. */
char *figures_of(const struct cell *cell);

#endif
