#ifndef REPORT_COLUMNS_H
#define REPORT_COLUMNS_H

#include "experiment.h"
#include "legend.h"

#include "common/json.h"

/* The tables for people: columns are data, and a row has a text for each column. */

enum table {
    TABLE_CELLS,
    TABLE_CELL_METRICS, /* those other than the main one */
    TABLE_CONDITIONS,   /* of one experiment */
    TABLE_CONDITION_METRICS,
    TABLE_VARIANTS, /* of one metric */
    TABLE_CHANGES,  /* whether loads change the ratios of variants */
    TABLE_CAPACITY,
    TABLE_PROTECTION,
    TABLES
};

/* What a row is of; what its table does not ask for is NULL. */
struct row {
    const struct experiment *of;
    const struct metric *metric;
    const struct cell *cell;
    const char *name;                         /* of the condition */
    const struct value *baseline, *condition; /* condition NULL: there is only the baseline */
    const struct value *slowdown;             /* of the condition and metric */
    const struct value *entry; /* a comparison, an interaction, a capacity, or a protection */
    const struct value *variant, *load; /* their names */
    bool is_reference; /* of the variants; of protections: the load without settings */
};

/* Member "texts" of a row: {key: text}. */
void columns_put_texts(struct line *json, enum table table, const struct row *row);

/* Member "columns": {"cells": [{key, title, left, rank}], ..}, the columns of the
 * tables of cells and of one experiment's conditions, and those of their metrics
 * other than the main one. rank: which are left out first where it is narrow, the highest
 * first; 0: never. */
void columns_put_all(struct line *json, const struct legend *legend);

/* Member "columns" of one table; metric: of all its figures, or NULL; reference: what its ratios
 * are to, or NULL. */
void columns_put(struct line *json, enum table table, const struct legend *legend,
                 const char *reference, const struct metric *metric);

#endif
