// The campaign that measures what is predicted: each program of a pair beside the other.
#ifndef PREDICT_CAMPAIGN_H
#define PREDICT_CAMPAIGN_H

#include "programs.h"

#include <stdbool.h>
#include <stdint.h>

struct campaign_settings {
    bool with_itself;
    uint64_t min_runs, max_runs;
    double max_time_s; // of each pair
};

// Writes a campaign file with a target and a load of each program, as their profiles have
// them: words, stdin, preparation. False after a message, also where a profile does not say
// how its program is run, or where they are not all of one place.
bool campaign_write(const struct program_list *list, const struct campaign_settings *settings,
                    const char *path);

#endif
