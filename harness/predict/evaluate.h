// How far off predictions are for programs that were left out.
#ifndef PREDICT_EVALUATE_H
#define PREDICT_EVALUATE_H

#include <jansson.h>
#include <stdbool.h>

// Of the profiles and pairs in a folder: the record, a new reference; NULL after a message.
json_t *evaluate_folder(const char *folder, bool open_holdout);

#endif
