#include "exec/usage.h"

#include "common/processes.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#define NAME_PREFIX "jostle-load"

const char *const exec_accounting_names[] = {"auto", "cgroup2", "cgroup1", "processes", NULL};

/* Whether a process can be started in the group: some may be made, and not be used. */
static bool is_usable(const struct group *group)
{
    int status = -1;
    const pid_t child = group_fork(group);
    if (child == 0)
        _exit(group_enter(group) ? 0 : 1);
    while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return child > 0 && status == 0;
}

static bool try_group(struct exec_usage *usage, enum group_kind kind)
{
    if (!group_find(&usage->group, NAME_PREFIX, kind))
        return false;
    if (!is_usable(&usage->group))
        group_give_up(&usage->group);
    return usage->group.kind != GROUP_NONE;
}

bool exec_usage_open(struct exec_usage *usage, enum exec_accounting wanted)
{
    const bool any = wanted == EXEC_AUTO;
    *usage = (struct exec_usage){.group = GROUP_OF_NONE, .walked_ns = 0};
    return ((any || wanted == EXEC_CGROUP2) && try_group(usage, GROUP_V2)) ||
           ((any || wanted == EXEC_CGROUP1) && try_group(usage, GROUP_V1)) || any ||
           wanted == EXEC_PROCESSES;
}

void exec_usage_close(struct exec_usage *usage)
{
    group_give_up(&usage->group);
}

/* What ended unnoticed between two walks makes a walk find less: only what it finds
 * more is added. */
static int64_t walk(struct exec_usage *usage)
{
    const int64_t now_ns = tree_cpu_ns();
    if (now_ns > usage->walked_ns)
        usage->sum_ns += now_ns - usage->walked_ns;
    usage->walked_ns = now_ns;
    return usage->sum_ns;
}

int64_t exec_usage_ns(struct exec_usage *usage)
{
    struct group_usage used;
    if (usage->group.kind == GROUP_NONE)
        return walk(usage);
    group_read(&usage->group, &used);
    if (used.has_cpu && used.user_ns + used.system_ns > usage->sum_ns)
        usage->sum_ns = used.user_ns + used.system_ns;
    return usage->sum_ns;
}

const char *exec_usage_name(const struct exec_usage *usage)
{
    switch (usage->group.kind) {
    case GROUP_V2:
        return exec_accounting_names[EXEC_CGROUP2];
    case GROUP_V1:
        return exec_accounting_names[EXEC_CGROUP1];
    default:
        return exec_accounting_names[EXEC_PROCESSES];
    }
}
