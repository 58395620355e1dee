#ifndef EXPERIMENT_CALIBRATIONS_H
#define EXPERIMENT_CALIBRATIONS_H

/* What the percentages in limits refer to, which is measured before an experiment. */

#include "experiment.h"

#include <stdbool.h>

/* Prints the command line that calibrates each load of this node whose limit is in
 * percent, unless that was done before: `word` and a word, again and again, then `end`
 * and "", all ended by a 0. Finds out the CPUs of the loads (placed). False: stdout cannot
 * be written. */
bool calibrations_write(struct experiment *experiment);

#endif
