#ifndef METER_GROUP_H
#define METER_GROUP_H

#include "common/group.h"
#include "settings.h"

#include <stdbool.h>

// accounting_find: makes the target's group as --accounting says, of the first
// kind that this machine allows. False if the wanted kind cannot be had (never for
// auto and rusage); a message was printed.
bool accounting_find(struct group *group, enum accounting wanted);

// accounting_of: the way of accounting that a group is.
enum accounting accounting_of(const struct group *group);

// accounting_sweep: removes the groups of meters that were killed; for struct keeper.
void accounting_sweep(void *unused);

#endif
