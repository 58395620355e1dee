// Two experiments side by side: two versions, two nodes, two days.
#ifndef ESTIMATE_COMPARE_H
#define ESTIMATE_COMPARE_H

#include "options.h"

#include <stdio.h>

// Reads the two files of options->compare, compares options->condition in both
// (default: the first of --conditions), and writes one JSON object to
// options->summary (default: `output`). Returns the program's exit code.
int compare_run(const struct options *options, FILE *output);

#endif
