// The models that are used: of each place what was learned from pairs there, where there is such
// a thing.
#ifndef PREDICT_MODELS_H
#define PREDICT_MODELS_H

#include "model.h"

#include <jansson.h>
#include <stdbool.h>

enum { MODELS_PLACES = 5, MODELS_PATH = 4096 };

struct models {
    size_t count;
    struct {
        char place[SENSITIVITY_NAME];
        struct predict_model model;
        bool learned;
    } of[MODELS_PLACES];
    char path[MODELS_PATH]; // of the file; "": none
    bool is_given;          // by --model
    char machine[IDENTITY_DIGITS + 1];
};

// path: of --model; NULL: the file of this host in the folder of calibrations, if there is one.
// machine: the hash of the profiles' machine; a model of another one is refused (wrong use
// where it was given by name, else not used).
void models_begin(struct models *models, const char *path, const char *host, const char *machine);

// The model of a place, as struct table_settings wants it.
const struct predict_model *models_find(void *models, const char *place);

// `models` of a jostle.prediction/1, a new reference.
json_t *models_to_json(const struct models *models);

#endif
