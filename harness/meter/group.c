#include "group.h"

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
