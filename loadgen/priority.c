// --nice and --sched: how much a load yields to other programs.

#include "common/machine.h"
#include "frame.h"

#include <sys/resource.h>

// The words of stress-ng's --sched, but none that would come before others.
enum priority_sched { SCHED_AS_STARTED, SCHED_AS_OTHER, SCHED_AS_BATCH, SCHED_AS_IDLE };
const char *const priority_scheds[] = {[SCHED_AS_STARTED] = "as-started",
                                       [SCHED_AS_OTHER] = "other",
                                       [SCHED_AS_BATCH] = "batch",
                                       [SCHED_AS_IDLE] = "idle",
                                       NULL};

// Nice values and policies count within a session only, where the kernel makes a group of each
// (sched(7), autogroup). Of a session that is ours alone the group yields to others by that nice
// value; in one that is not, whoever asked for it is told.
static void yield_to_sessions(struct run *run, const char *option, int nice)
{
    if (machine_number("/proc/sys/kernel/sched_autogroup_enabled") != 1)
        return;
    FILE *file = getsid(0) == getpid() ? fopen("/proc/self/autogroup", "we") : NULL;
    bool yields = file && fprintf(file, "%d\n", nice) > 0;
    yields = file && fclose(file) == 0 && yields;
    if (!yields)
        report_print(&run->report,
                     "%s: --%s counts within this session only: programs of other sessions keep "
                     "their share of the CPUs; start it with setsid to yield to them, too\n",
                     run->load->name, option);
}

void priority_set(struct run *run)
{
    if (options_given(run->options, "nice") &&
        setpriority(PRIO_PROCESS, 0, (int)run->common.nice) != 0)
        usage_error("--nice %lld: %s: give a higher value, or run it as root",
                    (long long)run->common.nice, strerror(errno));
    static const int policies[] = {[SCHED_AS_OTHER] = SCHED_OTHER,
                                   [SCHED_AS_BATCH] = SCHED_BATCH,
                                   [SCHED_AS_IDLE] = SCHED_IDLE};
    const struct sched_param none = {0};
    const int wanted = run->common.sched;
    if (wanted != SCHED_AS_STARTED && sched_setscheduler(0, policies[wanted], &none) != 0)
        usage_error("--sched %s: %s: leave it out", priority_scheds[wanted], strerror(errno));
    if (wanted == SCHED_AS_IDLE)
        yield_to_sessions(run, "sched idle", 19);
    else if (run->common.nice > 0)
        yield_to_sessions(run, "nice", (int)run->common.nice);
}
