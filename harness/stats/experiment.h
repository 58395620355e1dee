#ifndef STATS_EXPERIMENT_H
#define STATS_EXPERIMENT_H

#include "session.h"
#include "settings.h"

#include <jansson.h>

// experiment.json: what is measured, on what machine, as far as it is read here.

struct experiment {
    json_t *json; // all of it, as it is in the file
    struct settings settings;
    bool shared_at_once; // other jobs were on the node when the measurement began
    double cpus;         // of the machine
};

// Reads FOLDER/experiment.json. False after a message on stderr.
bool experiment_open(struct experiment *experiment, const char *folder);

// `variant` or `load` of that condition; NULL: it has none. In an older
// experiment a condition is a load.
const char *experiment_member(const struct experiment *experiment, size_t condition,
                              const char *member);

// Why the experiment ended, where the records alone do not show it; NULL if they do.
const char *experiment_stopped(const struct experiment *experiment);

void experiment_close(struct experiment *experiment);

// The records of an experiment, fed to the session that judges them.

// Takes one record (a new reference is made). False: it does not fit, and does not count: `why`
// says why.
bool replay_take(struct session *session, json_t *record, char *why, size_t why_size);

// The records of a runs.jsonl, null for each line that is none; a new reference. NULL after a
// message on stderr: it cannot be read, or one is of another version.
json_t *records_read(const char *path);

// Takes all of them; one that does not fit does not count.
void replay_records(struct session *session, const json_t *records);

// Takes every line of FOLDER/runs.jsonl; a line that is no record is passed over.
// False after a message on stderr.
bool replay_file(struct session *session, const char *folder);

// The experiment in FOLDER with all of its runs: both begin with zeros and are freed by their own
// functions whatever this returns. False after a message on stderr.
bool replay_open(struct experiment *experiment, struct session *session, const char *folder);

#endif
