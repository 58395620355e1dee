// What measured pairs teach, for each place: which model, its weights, and intervals for programs
// that it has not seen: jostle.prediction-model/1.
#ifndef PREDICT_LEARN_H
#define PREDICT_LEARN_H

#include "model.h"

#include <jansson.h>

// From a study's folder (study.h), without the programs that are set aside. NULL after a message.
json_t *learn_folder(const char *folder);

// What was learned, for people, on stdout: a line for each place. False: it cannot be written.
bool learn_print(const json_t *record);

// The model of a place from such a file. machine: hash of the profiles' machine (NULL: any).
// False: `why`, without the path.
bool learn_read(const char *path, const char *place, const char *machine,
                struct predict_model *model, char *why, size_t size);

#endif
