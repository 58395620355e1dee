// Two experiments side by side: two versions, two nodes, two days.
#ifndef STATS_COMPARE_H
#define STATS_COMPARE_H

#include "command_line.h"
#include "interval.h"
#include "session.h"

#include <stdio.h>

// Reads the two files of command->operands, compares command->condition in both
// (default: the first of --conditions), and writes one JSON object to
// command->summary (default: `output`). Returns the program's exit code.
int compare_run(const struct command_line *command, FILE *output);

// A new reference to the comparisons of that condition in two runs.jsonl, one for
// each metric of the settings; NULL after a message on stderr.
json_t *compare_files(const struct settings *settings, const char *condition, const char *a,
                      const char *b);

// How many times as slow the first condition of b is as that of a, with the
// confidence of a: the sessions share no block, so these are independent means.
struct interval compare_ratio(struct session *a, struct session *b, enum metric metric);

#endif
