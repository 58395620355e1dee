// How far off predictions are for programs that were left out.
#ifndef PREDICT_EVALUATE_H
#define PREDICT_EVALUATE_H

#include <stdbool.h>

// Of the profiles and pairs in a folder. json: NULL, a file, or "-" for stdout. Returns the exit
// status.
int evaluate_run(const char *folder, bool open_holdout, const char *json);

#endif
