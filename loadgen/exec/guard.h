#ifndef LOADGEN_EXEC_GUARD_H
#define LOADGEN_EXEC_GUARD_H

/* A small process that waits for the end of this one, whatever it is, and then ends
 * what is left in its control group and removes the group: SIGKILL leaves nobody else
 * to do it. */

#include "common/group.h"

/* Starts it, in a session of its own. Before this process becomes a subreaper: it must
 * not be one of its descendants. Returns the descriptor that keeps it waiting, which no
 * other process may inherit; -1: it could not be started. */
int guard_start(struct group *group);

#endif
