// status.json: how far a cell of a campaign is.

#ifndef CONDUCT_STATUS_H
#define CONDUCT_STATUS_H

#include "course.h"

#include <jansson.h>
#include <stdbool.h>

// status.json: how far a cell of a campaign is, for those who watch from
// elsewhere. Its times are those of the records: it is written between runs, and
// never looks at a clock. How much time was spent comes from the machine's uptime, as the
// time of day may be set meanwhile.

struct status {
    char *path;            // NULL: not a cell, nothing is written
    json_t *fixed;         // the members that never change
    double began_s;        // when this session began, seconds since 1970
    double began_uptime_s; // the same moment since the machine was started; NAN: not known
    double now_s;          // the end of the last run, seconds since 1970
    double spent_s;        // how long after the beginning that was
    double before_s;       // seconds that earlier sessions took
    double written_s;      // spent_s when it was last written
};

// Whether FOLDER/status.json says that its cell is done.
bool status_is_done(const char *folder);

// Prepares FOLDER/status.json, if the experiment is a cell. `pid` is jostle's; now_s is the
// time of day, uptime_s the same moment since the machine was started, or NAN.
void status_begin(struct status *status, const struct experiment *experiment, const char *folder,
                  const char *host, long pid, double now_s, double uptime_s);

// After a run: writes "running", a second after the last time at the earliest.
void status_run(struct status *status, const struct course *course);

// Writes `state`: running, done, failed or interrupted. `reason` may be NULL. A
// folder that cannot be written to is found by the records, hence no error here.
void status_write(struct status *status, const struct course *course, const char *state,
                  const char *reason);

void status_free(struct status *status);

#endif
