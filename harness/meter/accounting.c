// Finds where the target's CPU time is counted, and adds up what its processes have used.
#include "accounting.h"

#include "command_line.h"

#include "common/clock.h"
#include "common/group.h"
#include "common/messages.h"

#define NAME_PREFIX "jostle-meter"

bool accounting_find(struct group *group, enum accounting wanted)
{
    const bool any = wanted == ACCOUNTING_AUTO || wanted == ACCOUNTING_CGROUP;
    *group = GROUP_OF_NONE;
    if ((any || wanted == ACCOUNTING_CGROUP2) && group_find(group, NAME_PREFIX, GROUP_V2))
        return true;
    if ((any || wanted == ACCOUNTING_CGROUP1) && group_find(group, NAME_PREFIX, GROUP_V1))
        return true;
    return wanted == ACCOUNTING_AUTO || wanted == ACCOUNTING_RUSAGE ||
           complain("--accounting %s: no such group can be made here: use --accounting auto",
                    accounting_name(wanted));
}

enum accounting accounting_of(const struct group *group)
{
    switch (group->kind) {
    case GROUP_V2:
        return ACCOUNTING_CGROUP2;
    case GROUP_V1:
        return ACCOUNTING_CGROUP1;
    default:
        return ACCOUNTING_RUSAGE;
    }
}

void accounting_sweep(void *unused)
{
    (void)unused;
    group_sweep(NAME_PREFIX);
}

// Both are rounded down to microseconds, process by process.
#define SLACK_NS NS_PER_MS

void usage_add(struct usage *usage, const struct rusage *process)
{
    const uint64_t rss_bytes = (uint64_t)process->ru_maxrss * 1024;
    usage->user_ns += timeval_ns(process->ru_utime);
    usage->system_ns += timeval_ns(process->ru_stime);
    if (rss_bytes > usage->max_rss_bytes)
        usage->max_rss_bytes = rss_bytes;
    usage->major_faults += (uint64_t)process->ru_majflt;
    usage->minor_faults += (uint64_t)process->ru_minflt;
    usage->voluntary_switches += (uint64_t)process->ru_nvcsw;
    usage->involuntary_switches += (uint64_t)process->ru_nivcsw;
    usage->blocks_in += (uint64_t)process->ru_inblock;
    usage->blocks_out += (uint64_t)process->ru_oublock;
}

// Takes off so much, of the system's time as long as there is some: what a process
// does between its fork and its exec is the kernel's work.
static void without(struct usage *usage, int64_t launch_ns)
{
    const int64_t of_system = launch_ns < usage->system_ns ? launch_ns : usage->system_ns;
    const int64_t of_user = launch_ns - of_system;
    usage->system_ns -= of_system;
    usage->user_ns -= of_user < usage->user_ns ? of_user : usage->user_ns;
}

void usage_choose(struct usage *usage, enum accounting kind, const struct group_usage *group,
                  int64_t launch_ns, int64_t launch_group_ns)
{
    const int64_t summed_ns = usage->user_ns + usage->system_ns;
    const int64_t group_ns = group->user_ns + group->system_ns;
    usage->accounting = ACCOUNTING_RUSAGE;
    if (!group->has_cpu || group_ns + SLACK_NS < summed_ns) {
        without(usage, launch_ns);
        return;
    }
    usage->accounting = kind;
    usage->user_ns = group->user_ns;
    usage->system_ns = group->system_ns;
    without(usage, launch_group_ns);
}
