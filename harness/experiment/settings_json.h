#ifndef EXPERIMENT_SETTINGS_JSON_H
#define EXPERIMENT_SETTINGS_JSON_H

#include "experiment.h"

/* What jostle capacity needs of its options beyond their form. */

/* Its limits on the number of runs, where none are given. Before settings_complete(). */
void capacity_limits(struct settings *settings, const struct options *given);
/* Whether the objectives are of metrics that there are, and what is varied is in the words of
 * each target. Wrong use ends the program. */
void capacity_check(const struct experiment *experiment);
/* `settings.capacity` of experiment.json: as it was given; null without --slo. */
json_t *capacity_to_json(const struct settings *settings);

#endif
