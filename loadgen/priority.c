#include "priority.h"

#include "load.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

const char *const priority_scheds[] = {[SCHED_AS_STARTED] = "as-started",
                                       [SCHED_AS_OTHER] = "other",
                                       [SCHED_AS_BATCH] = "batch",
                                       [SCHED_AS_IDLE] = "idle",
                                       NULL};

static void set_nice(const struct run *run)
{
    if (options_given(run->options, "nice") &&
        setpriority(PRIO_PROCESS, 0, (int)run->common.nice) != 0)
        usage_error("--nice %lld: %s: give a higher value, or run it as root",
                    (long long)run->common.nice, strerror(errno));
}

/* A policy counts within a session only, where the kernel makes a group of each (sched(7),
 * autogroup). Of a session that is ours alone the group yields to others; where there is none
 * the file is not there, either. */
static void yield_to_sessions(void)
{
    if (getsid(0) != getpid())
        return;
    FILE *file = fopen("/proc/self/autogroup", "we");
    if (file == NULL)
        return;
    fputs("19\n", file);
    fclose(file);
}

static void set_sched(const struct run *run)
{
    static const int policies[] = {[SCHED_AS_OTHER] = SCHED_OTHER,
                                   [SCHED_AS_BATCH] = SCHED_BATCH,
                                   [SCHED_AS_IDLE] = SCHED_IDLE};
    const struct sched_param none = {0};
    const int wanted = run->common.sched;
    if (wanted != SCHED_AS_STARTED && sched_setscheduler(0, policies[wanted], &none) != 0)
        usage_error("--sched %s: %s: leave it out", priority_scheds[wanted], strerror(errno));
    if (wanted == SCHED_AS_IDLE)
        yield_to_sessions();
}

void priority_set(const struct run *run)
{
    set_nice(run);
    set_sched(run);
}
