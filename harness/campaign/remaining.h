#ifndef CAMPAIGN_REMAINING_H
#define CAMPAIGN_REMAINING_H

/* How long cells will take, by the best that is known: what an earlier session needed
 * for a part of the very cell; the mean of done cells of the same target with the same
 * parameters, or of the same target; a single run of the target; else nothing. */

#include "states.h"

/* Mean times of what is done. */
struct means {
    json_t *by_label, *by_target; /* {label: seconds} */
    double all;                   /* seconds; NAN: nothing is done */
};
void means_of(const struct states *states, struct means *means);
void means_free(struct means *means);

/* Seconds that the rest of a cell takes, as far as it was measured; NAN: unknown. */
double rest_of_cell(const json_t *status);

/* jostle.plan/1 of the states' cells. probes: {label: seconds of one run}. To be
 * released. */
json_t *remaining_plan(const json_t *plan, const struct states *states, const json_t *probes);

#endif
