#ifndef LOADGEN_EXEC_GUARDIAN_H
#define LOADGEN_EXEC_GUARDIAN_H

/* The guard's own side: see guard.h. */

#include "exec/guard.h"

enum guard_order { GUARD_RUN, GUARD_STOP, GUARD_SUSPEND, GUARD_CONTINUE };

/* The guard's whole life, in a new process with all signals blocked: takes orders (enum
 * guard_order) from fd, and answers with struct guard_event. */
_Noreturn void guardian(const struct guard_command *command, int fd);

#endif
