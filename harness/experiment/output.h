#ifndef EXPERIMENT_OUTPUT_H
#define EXPERIMENT_OUTPUT_H

/* Where the target's stdout goes. */

#include "experiment.h"

/* Whether it is /dev/null: nobody wants it. */
bool output_is_null(const struct experiment *experiment);

/* The first program of the variants that does less where its stdout is /dev/null, which it
 * is; NULL: none does. */
const char *output_missed_by(const struct experiment *experiment);

#endif
