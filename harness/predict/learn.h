// A model chosen by measured pairs, kept as jostle.prediction-model/1.
#ifndef PREDICT_LEARN_H
#define PREDICT_LEARN_H

#include "model.h"

#include <stdbool.h>
#include <stddef.h>

// Learns from the profiles and pairs in a folder; writes to `output`, NULL: where
// `jostle predict` finds it. Returns the exit status.
int learn_run(const char *folder, const char *output);

// Reads the model of a place. False: `why` says what is wrong, such as that it is of another
// machine than that of the hash `machine`.
bool learn_read(const char *path, const char *place, const char *machine,
                struct predict_model *model, char *why, size_t size);

#endif
