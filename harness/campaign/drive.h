#ifndef CAMPAIGN_DRIVE_H
#define CAMPAIGN_DRIVE_H

#include "plan.h"

#include <stdbool.h>
#include <stddef.h>

/* The dialogue with the shell that runs the cells of a campaign. The shell starts and
 * ends processes; what to start, and what became of it, is decided here.
 *
 * Commands on stdin, each answered by a line with tabs on stdout:
 *   next          cell NAME SCRATCH    make it the next one: DIR/cells/NAME/cell.json
 *                                      says what to measure, in the folder SCRATCH
 *                 session NUMBER FILE COMMAND
 *                                      first run the command, which prepares this session, in
 *                                      the folder of the campaign file
 *                 end FAILED BROKEN HELD
 *                                      there is no other; so many targets failed; so many
 *                                      cells could not be measured; so many are being
 *                                      measured by another jostle
 *                 failed               no further cell would do better; a message was
 *                                      printed
 *   ended STATUS  ended                the exit status of jostle for that cell
 *   prepared      prepared             the session is: ask for the next cell again
 * The end of stdin ends it. */

struct drive_settings {
    const char *folder;      /* of the campaign */
    const char *scratch;     /* where working folders are made */
    const char *stderr_path; /* what a cell's jostle printed on stderr */
    const char *prepare;     /* what is run before each session; NULL: nothing */
    const char *file;        /* of the campaign */
    bool quiet;
};

/* False after a message. */
bool drive(const struct drive_settings *settings, const struct states *states);

/* Where a campaign is: a bar on a terminal, a line a cell in a log. While a cell is
 * measured, all that happens is one look at its status.json a second, and that only
 * where there is a terminal. */

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
