#ifndef CAMPAIGN_STATUS_H
#define CAMPAIGN_STATUS_H

/* How far a campaign is: jostle.campaign-status/1. */

#include "life.h"
#include "states.h"

#include <stdio.h>

/* jobs_path: lines TIME<TAB>SCHEDULER<TAB>ROLE<TAB>ID of what was submitted; NULL: none.
 * To be released. */
json_t *status_of(const json_t *plan, const char *folder, const struct states *states,
                  const struct queue *queue, const char *jobs_path, double now_s);

/* Prints the ids of jobs, a line each, that cells say measure them, and that are not in
 * the queue. */
void status_print_lost(const struct states *states, const struct queue *queue, FILE *stream);

#endif
