#ifndef EXPERIMENT_PROTECT_H
#define EXPERIMENT_PROTECT_H

/* jostle protect: each load as it is, and with each setting that may protect the target. */

#include "experiment.h"

/* The loads of the command line, each once more for each --try, or for all that this machine and
 * user can set; and what settings of the target cost it alone. Sets experiment->left_out. Wrong use
 * ends the program. */
struct option_list protect_loads(struct experiment *experiment, const struct option_list *given);

#endif
