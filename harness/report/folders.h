#ifndef REPORT_FOLDERS_H
#define REPORT_FOLDERS_H

#include "experiment.h"
#include "family.h"

#include <stdbool.h>
#include <stddef.h>

/* The experiments below the folders of a command line. */

struct folder {
    char *name; /* its last part; the second of one name is NAME#2 */
    char *path;
};

struct folders {
    struct folder *item;
    size_t count, allocated;
};

/* Adds dir itself, whatever it is. */
void folders_add_named(struct folders *folders, const char *dir);
/* Adds the cells of a campaign, dir itself, or the experiments right below it,
 * in natural order. */
void folders_add(struct folders *folders, const char *dir);
/* Makes the names of all differ; once, after the last was added. */
void folders_distinguish(struct folders *folders);
void folders_free(struct folders *folders);
/* DIR/name is there. */
int folder_has(const char *dir, const char *name);

/* What a report is to show, and the reading of one folder for it. */

struct wanted {
    const char *only;    /* shell pattern of cells' names; NULL: all */
    const char *derived; /* folder with the results of unfinished experiments, by number from 1;
                            NULL: none */
    bool rows;           /* cells as texts, not as the model */
    bool page;           /* with what the page draws */
    bool table;          /* the table of the only experiment, too */
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

/* The campaigns of a report, and what they planned. */

struct campaigns {
    struct document *item;
    char **text; /* campaign.conf of each; NULL: none */
    size_t count, allocated;
    char **unstarted; /* names of cells that have no folder yet */
    size_t unstarted_count, unstarted_allocated;
};

void campaigns_add(struct campaigns *campaigns, const char *dir, struct problems *problems);
/* Finds out what was not started, of what wanted->only selects. */
void campaigns_settle(struct campaigns *campaigns, const struct folders *folders,
                      const struct wanted *wanted);
/* How many cells were planned. */
size_t campaigns_cells(const struct campaigns *campaigns);
void campaigns_free(struct campaigns *campaigns);

#endif
