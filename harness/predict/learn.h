// A model chosen by measured pairs, kept as jostle.prediction-model/1.
#ifndef PREDICT_LEARN_H
#define PREDICT_LEARN_H

#include "model.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

// Learns from the profiles and pairs in a folder: the record, a new reference; NULL after a
// message.
json_t *learn_folder(const char *folder);

// Reads the model of a place. False: `why` says what is wrong, such as that it is of another
// machine than that of the hash `machine`.
bool learn_read(const char *path, const char *place, const char *machine,
                struct predict_model *model, char *why, size_t size);

#endif
