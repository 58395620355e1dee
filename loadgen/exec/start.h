#ifndef LOADGEN_EXEC_START_H
#define LOADGEN_EXEC_START_H

#include "exec/guard.h"

/* Starts the command in a process group of its own, and in its control group, with /dev/null as
 * its stdin. It is killed when this process ends. 0, and its *pid; or the errno with which it
 * could not be started. */
int start_command(const struct guard_command *command, pid_t *pid);

#endif
