// Two of meter's files that are one: what is written to one would overwrite the other.
#ifndef METER_CLASH_H
#define METER_CLASH_H

#include "settings.h"

// clash_refuse: ends meter with wrong use where the record, the command's output or its input
// would go over each other, also by different names of one file. Of stdout and stderr one file
// for both is fine. Before any is opened, as that empties them.
void clash_refuse(const struct settings *settings);

#endif
