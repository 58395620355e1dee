// Two experiments side by side: two versions, two nodes, two days.
#ifndef STATS_COMPARE_H
#define STATS_COMPARE_H

#include "interval.h"
#include "options.h"
#include "session.h"

#include <stdio.h>

// Reads the two files of options->compare, compares options->condition in both
// (default: the first of --conditions), and writes one JSON object to
// options->summary (default: `output`). Returns the program's exit code.
int compare_run(const struct options *options, FILE *output);

// How many times as slow the first condition of b is as that of a, with the
// confidence of a: the sessions share no block, so these are independent means.
struct interval compare_ratio(struct session *a, struct session *b, enum metric metric);

#endif
