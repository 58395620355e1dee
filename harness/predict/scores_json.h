// Scores in records. New references.
#ifndef PREDICT_SCORES_JSON_H
#define PREDICT_SCORES_JSON_H

#include "scores.h"

#include <jansson.h>

// Of the chosen model and of each predictor.
json_t *scores_to_json(const struct dataset *data, const struct tests *tests);

json_t *ceiling_to_json(const struct ceiling *ceiling);

json_t *candidate_to_json(const struct candidate *candidate);

#endif
