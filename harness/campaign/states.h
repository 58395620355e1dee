#ifndef CAMPAIGN_STATES_H
#define CAMPAIGN_STATES_H

/* How far the cells of a campaign are, by the status.json of each. */

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct state {
    const json_t *cell; /* of the plan */
    json_t *status;     /* jostle.status/1; NULL: none, or a damaged one */
    /* waiting (nothing yet), changed (measured by another definition), limits (the
     * same experiment, but with other limits), or as in status.json */
    const char *name;
    bool todo; /* is it to be measured now? */
};

struct states {
    struct state *list;
    size_t count;
};

/* Reads the status of all cells (an array of a plan's) in a campaign's folder, which
 * need not exist. retry: cells whose target failed are to be measured again. */
struct states states_read(const char *folder, const json_t *cells, bool retry);
void states_free(struct states *states);

bool state_is(const struct state *state, const char *name);

#endif
