#ifndef REPORT_CELL_ROW_H
#define REPORT_CELL_ROW_H

#include "experiment.h"

/* A cell as texts, each number with its unit: what the formats for people lay
 * out. A line of JSON, to be freed; charts: what the page draws of it (cell_plots), or NULL;
 * first: of the cells of its experiment, which has what is of all of them. */
char *cell_row(const struct cell *cell, const char *charts, bool first);

#endif
