#ifndef CAMPAIGN_DRIVE_H
#define CAMPAIGN_DRIVE_H

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

#include "states.h"

#include <stdbool.h>

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

#endif
