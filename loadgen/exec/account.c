// The CPU time of a command's whole process tree, however this machine lets it be found.

#include "exec/exec.h"

#include "common/processes.h"
#include "common/tree.h"

#include <sys/wait.h>

const char *const exec_accounting_names[] = {"auto", "cgroup2", "cgroup1", "processes", NULL};

#define NAME_PREFIX "jostle-load"

// Whether a process can be started in the group: some may be made, and not be used.
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

bool exec_find_group(struct group *group, enum exec_accounting wanted)
{
    static const enum group_kind kinds[] = {[EXEC_CGROUP2] = GROUP_V2, [EXEC_CGROUP1] = GROUP_V1};
    for (int way = EXEC_CGROUP2; way <= EXEC_CGROUP1; way++) {
        if ((wanted != EXEC_AUTO && (int)wanted != way) ||
            !group_find(group, NAME_PREFIX, kinds[way]))
            continue;
        if (is_usable(group))
            return true;
        group_give_up(group);
    }
    return wanted == EXEC_AUTO || wanted == EXEC_PROCESSES;
}

int64_t exec_used_ns(struct exec_state *state)
{
    struct group_usage used;
    if (state->group.kind == GROUP_NONE || state->outside) {
        // What ended unnoticed between two walks makes a walk find less: only what it finds
        // more is added.
        const int64_t now_ns = tree_cpu_ns();
        if (now_ns > state->walked_ns)
            state->sum_ns += now_ns - state->walked_ns;
        state->walked_ns = now_ns;
        return state->sum_ns;
    }
    group_read(&state->group, &used);
    if (used.has_cpu && used.user_ns + used.system_ns > state->sum_ns)
        state->sum_ns = used.user_ns + used.system_ns;
    return state->sum_ns;
}
