// Counts the processes that the kernel kills for want of memory.
#include "common/memory_kills.h"

#include "common/machine.h"

#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>

int64_t memory_kills_read(void)
{
    return machine_field_number("/proc/vmstat", "oom_kill", " ");
}

enum { SHELL_SIGNAL = 128 }; // and the signal's number: a shell whose child was killed

bool memory_may_have_killed(int status, int64_t kills_before)
{
    const bool killed = WIFSIGNALED(status) ? WTERMSIG(status) == SIGKILL
                                            : WEXITSTATUS(status) == SHELL_SIGNAL + SIGKILL;
    return killed && kills_before != UNKNOWN && memory_kills_read() > kills_before;
}
