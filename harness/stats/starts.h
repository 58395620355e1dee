#ifndef STATS_STARTS_H
#define STATS_STARTS_H

#include "carry_over.h"
#include "session.h"

#include <jansson.h>

// Runs by how long their service was up: one that has just started may be slow (cold caches, code
// that is not compiled yet), one that was used for a while, too (a leak, a log that grows).

enum { ALL_LOADS = -1 };

// What a load leaves behind for the baseline, of an experiment whose service is started anew for
// each block: how much more the baseline's last runs of a block differ from its first ones than
// those beside the load do. `load`: its index from 1, or ALL_LOADS. Variants are not looked at: all
// is NAN.
struct carry_over starts_carry_over(struct session *session, int load, size_t metric);

// Adds what a start of the service does to a deciding metric: the unmeasured runs after it against
// the measured ones, and, where it is started anew for each block, the first measured ones against
// the last.
void starts_warnings(struct session *session, json_t *warnings);

#endif
