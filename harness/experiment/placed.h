#ifndef EXPERIMENT_PLACED_H
#define EXPERIMENT_PLACED_H

/* Where target, loads and service sit, from --place, --target-cpus, --load-cpus and
 * --service-cpus. With a service, which is what loads disturb, --place is seen from it. */

#include "arena.h"
#include "settings.h"

#include <jansson.h>

struct placed {
    const char *target_cpus;  /* the target is pinned to, in every condition; NULL: not pinned */
    const char *load_cpus;    /* the same of the loads on this node */
    const char *service_cpus; /* of the service */
    json_t *record;           /* `placement` of experiment.json */
};

/* What the machine, or what is allowed of it, does not have is wrong use and ends
 * the program. A warning goes to stderr. */
void placed_find(struct placed *placed, struct arena *arena, const struct settings *settings);
void placed_free(struct placed *placed);

#endif
