#ifndef REPORT_READING_H
#define REPORT_READING_H

/* What a report is to show, and the reading of one folder for it. */

#include "experiment.h"
#include "family.h"
#include "folders.h"

#include <stdbool.h>
#include <stddef.h>

struct wanted {
    const char *only;    /* shell pattern of cells' names; NULL: all */
    const char *derived; /* folder with the results of unfinished experiments, by number from 1;
                            NULL: none */
    bool rows;           /* cells as texts, not as the model */
    bool page;           /* with what the page draws */
    bool lists;          /* the model with lists of runs */
    bool figures;        /* cells as lines of CSV, see figures.h */
    const struct family *family; /* of all slowdowns; NULL: not known yet */
};

bool pattern_fits(const char *pattern, const char *text);
/* Is what has this name in the report? */
bool name_wanted(const struct wanted *wanted, const char *name);
/* Is a cell in the report, by its name, or by that of all its sessions? */
bool cell_wanted(const struct wanted *wanted, const struct cell *cell);

/* Reads the documents and, with options, the runs of one folder. number: from 1, for
 * wanted->derived. */
void experiment_read(struct experiment *experiment, const struct folder *folder, size_t number,
                     const struct wanted *wanted, const struct run_options *options,
                     struct problems *problems);

#endif
