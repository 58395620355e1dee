// The records of an experiment, fed to the session that judges them.
#ifndef STATS_REPLAY_H
#define STATS_REPLAY_H

#include "experiment.h"
#include "session.h"

struct replay {
    json_t *records; // array of all that are not set aside
    json_t **used;   // [i]: the record of session->runs[i], borrowed from `records`
    size_t capacity;
};

// Takes one record (a new reference is made). False: it does not fit, and does not count: `why`
// says why.
bool replay_take(struct replay *replay, struct session *session, json_t *record, char *why,
                 size_t why_size);

// Takes every line of FOLDER/runs.jsonl; a line that is no record is passed over.
// False after a message on stderr.
bool replay_file(struct replay *replay, struct session *session, const char *folder);

// The experiment in FOLDER with all of its runs: all three, which begin with zeros and are freed by
// their own functions whatever this returns. False after a message on stderr.
bool replay_open(struct replay *replay, struct experiment *experiment, struct session *session,
                 const char *folder);

void replay_free(struct replay *replay);

#endif
