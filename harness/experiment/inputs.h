#ifndef EXPERIMENT_INPUTS_H
#define EXPERIMENT_INPUTS_H

/* The files that an experiment is known to read: those that words of the target's and of the
 * service's command name, and --input. What a program opens by itself is not known. */

#include "experiment.h"

/* An array of {word, path, sha256, size_bytes, mtime, mtime_ns, reason}, a new reference. */
json_t *inputs_to_json(const struct experiment *experiment);

/* Of the inputs of the experiment in that folder (of its last session) those that are others by
 * now, as they are: a new array. */
json_t *inputs_changed(const char *folder);

#endif
