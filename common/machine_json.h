#ifndef COMMON_MACHINE_JSON_H
#define COMMON_MACHINE_JSON_H

/* The machine in the records of the harness. Each function returns a new
 * reference, or NULL when memory runs out. */

#include "common/machine.h"
#include "common/record_json.h"

#include <jansson.h>

/* `before`, `after` of an experiment; with who else is on the node, where
 * JOSTLE_JOB_NEIGHBOURS says so (lines "job<TAB>ID", "cpus_allocated<TAB>N",
 * "cpus_ours<TAB>N"). */
json_t *counters_to_json(const struct counters *counters);
/* `environment`; load averages are those of the counters, and `job` is made of
 * JOSTLE_JOB_FACTS (lines "NAME<TAB>VALUE"), null where that is empty. */
json_t *environment_to_json(const struct environment *environment, const struct counters *counters);
/* That of now. */
json_t *environment_now(void);

#endif
