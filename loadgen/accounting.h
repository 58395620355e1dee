#ifndef LOADGEN_ACCOUNTING_H
#define LOADGEN_ACCOUNTING_H

/* What a run has offered, done and used so far. */

#include "load.h"

/* Brings active time and offered amount up to at_ns, under the orders in force.
 * With the engine's mutex held. */
void accounting_update(struct run *run, int64_t at_ns);
/* Figures since the start. */
void accounting_snapshot(struct run *run, struct snapshot *snapshot);
/* window = later - earlier. */
void accounting_difference(const struct snapshot *later, const struct snapshot *earlier,
                           struct snapshot *window);

#endif
