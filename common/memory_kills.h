// Processes that the kernel kills for want of memory.
#ifndef COMMON_MEMORY_KILLS_H
#define COMMON_MEMORY_KILLS_H

#include <stdbool.h>
#include <stdint.h>

// How many processes of this machine the kernel has killed for want of memory; UNKNOWN: it does not
// count them (before Linux 4.13).
int64_t memory_kills_read(void);
// What can be said of a process that it may have been: the count is the machine's.
#define MEMORY_KILLED "and the kernel killed processes of this machine for want of memory meanwhile"
// Whether that is to be said of a process that ended with this status, as of waitpid(): it, or what
// it waited for, was killed, and the count has grown since it was kills_before.
bool memory_may_have_killed(int status, int64_t kills_before);

#endif
