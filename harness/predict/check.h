// What --check measures: each program of a pair beside the other, which runs again and again.
#ifndef PREDICT_CHECK_H
#define PREDICT_CHECK_H

#include "programs.h"

#include <stdbool.h>
#include <stdint.h>

struct check_settings {
    bool with_itself;
    uint64_t min_runs, max_runs;
    int64_t max_time_ns; // of each pair
    const char *records; // folder of what was measured before
};

// Prints for the shell, after what the caller has, how many pairs there are and how long each takes
// at most ("2m"); then for each "A@B.PLACE", how many words follow, and these words, the options
// and the program of a `jostle slowdown`. Each is ended by NUL. False after a message, also where a
// profile does not say how its program is run, or the records are of other programs.
bool check_print(const struct program_list *list, const struct check_settings *settings);

#endif
