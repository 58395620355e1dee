#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "legend.h"

#include "common/json.h"

/* Member "columns": {"cells": [{key, title, left, rank}], ..}, the columns of the
 * tables of cells and of one experiment's conditions, and those of their metrics
 * other than the wall time (cell_metrics, condition_metrics). rank: which are left
 * out first where it is narrow, the highest first; 0: never. */
void columns_put(struct line *json, const struct legend *legend);

/* Members "columns" of the tables of variants: of one metric, whose ratios are to this
 * reference; and whether loads change the ratios. */
void columns_put_variants(struct line *json, const struct legend *legend, const char *reference,
                          const struct metric *metric);
void columns_put_changes(struct line *json, const struct legend *legend);
/* And of the table of capacities. */
void columns_put_capacity(struct line *json, const struct legend *legend);

#endif
