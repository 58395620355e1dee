// experiment.json: what is measured, on what machine, as far as it is read here.
#ifndef STATS_EXPERIMENT_H
#define STATS_EXPERIMENT_H

#include "settings.h"

#include <jansson.h>

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

#endif
