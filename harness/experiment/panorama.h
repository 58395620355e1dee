#ifndef EXPERIMENT_PANORAMA_H
#define EXPERIMENT_PANORAMA_H

/* `jostle slowdown -- COMMAND` without a load: what neighbours that use half of the machine cost
 * it. */

#include "experiment.h"

/* Whether the command line asks for it. --quick or --for with a load, or without one where
 * there are variants, end the program: what they would shorten has limits of its own. */
bool panorama_wanted(const struct experiment *experiment, const struct option_list *loads);

/* The loads, each with half of what this machine can do; those that cannot be had here are left
 * out, and said. Sets how long to measure where the command line does not. */
struct option_list panorama_loads(struct experiment *experiment);

#endif
