#ifndef CAMPAIGN_PROGRESS_H
#define CAMPAIGN_PROGRESS_H

/* Where a campaign is: a bar on a terminal, a line a cell in a log. While a cell is
 * measured, all that happens is one look at its status.json a second, and that only
 * where there is a terminal. */

#include "states.h"

struct progress {
    const struct states *states;
    const char *folder;
    bool quiet, terminal;
    size_t finished;
    size_t current; /* index of the cell that is being measured */
    bool measuring;
    double since_s;  /* when it began */
    double *spent_s; /* of each cell that is done; NAN of the others */
    bool *waiting;   /* is it still to be measured */
};

void progress_begin(struct progress *progress, const struct states *states, const char *folder,
                    bool quiet);
void progress_end(struct progress *progress);

/* A cell begins. */
void progress_cell(struct progress *progress, size_t index);
/* It has ended. reason may be "". */
void progress_cell_end(struct progress *progress, const char *state, const char *reason);
/* Draws the bar, where there is a terminal. */
void progress_tick(const struct progress *progress);
/* Takes the bar away. */
void progress_clear(const struct progress *progress);

#endif
