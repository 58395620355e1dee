// How far off predictions are for pairs, victims, aggressors and programs that the model has not
// seen: jostle.prediction-evaluation/1.
#ifndef PREDICT_EVALUATE_H
#define PREDICT_EVALUATE_H

#include <jansson.h>
#include <stdbool.h>

// Of a study's folder (study.h). Programs that are set aside have no part, unless open_holdout:
// then they are predicted by what the others teach, and that they were opened is written to
// holdout.opened in the folder. NULL after a message.
json_t *evaluate_folder(const char *folder, bool open_holdout);

#endif
