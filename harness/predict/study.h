// A folder of profiles and measured pairs, as predictions are judged by and learned from:
//   pairs.jsonl                     jostle.pair/1
//   profiles/**/NAME.profile.json   of each program at each place; NAME as in the pairs
//   holdout                         names, a line each, of programs that are set aside
#ifndef PREDICT_STUDY_H
#define PREDICT_STUDY_H

#include "dataset.h"
#include "pairs.h"

#include <jansson.h>

struct study_profile {
    char *path, *name; // name: of the file
    struct program_profile profile;
};

struct study {
    struct pair_list pairs;
    struct study_profile **profile;
    size_t profiles;
    char **holdout;
    size_t holdouts;
};

// Of a pair that has no part in the data, and why.
struct study_none {
    const char *a, *b;
    char why[PREDICT_WHY];
};

// The pairs of a place as data.
struct study_place {
    const char *place;
    struct dataset data;
    bool *held;                      // [data.count]: a program of it is set aside
    const struct pair_truth **truth; // [data.count]
    struct study_none *none;         // without a number
    size_t none_count;
    size_t set_aside; // pairs that are held
};

// False after a message.
bool study_read(struct study *study, const char *folder);
void study_free(struct study *study);

// The places of the pairs, each once; the caller frees the list, not what it names. *count.
const char **study_places(const struct study *study, size_t *count);

// The profile of a program at a place; NULL: there is none.
const struct study_profile *study_find(const struct study *study, const char *name,
                                       const char *place);

bool study_held(const struct study *study, const char *name);

// False: no memory.
bool study_place(const struct study *study, const char *place, struct study_place *made);
void study_place_free(struct study_place *place);

#endif
