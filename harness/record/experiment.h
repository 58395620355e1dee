// The record of an experiment: what is measured, and on what machine.
#ifndef RECORD_EXPERIMENT_H
#define RECORD_EXPERIMENT_H

#include "files.h"
#include "settings.h"

struct experiment {
    json_t *json; // all of it, as it is in the file
    struct settings settings;
    bool shared_at_once; // other jobs were on the node when the measurement began
    double cpus;         // of the machine
};

// Reads experiment.json of a folder. False after a message on stderr.
bool experiment_open(struct experiment *experiment, const char *folder);

// `variant` or `load` of that condition; NULL: it has none. In an older
// experiment a condition is a load.
const char *experiment_member(const struct experiment *experiment, size_t condition,
                              const char *member);

// Why the experiment ended, where the records alone do not show it; NULL if they do.
const char *experiment_stopped(const struct experiment *experiment);

// Whether the target is the client of a service.
bool service_is_there(const struct experiment *experiment);

// Whether a condition has settings of the service: then each run has a new one.
bool service_is_set(const struct experiment *experiment);

void experiment_close(struct experiment *experiment);

// A setting as experiment.json has it, such as the definitions of metrics; NULL: there is no
// experiment, or it has none of that name.
const json_t *experiment_setting(const struct experiment *experiment, const char *name);

#endif
