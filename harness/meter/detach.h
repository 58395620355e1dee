#ifndef METER_DETACH_H
#define METER_DETACH_H

#include "signals.h"

#include <stdbool.h>
#include <sys/types.h>

// detach: a shell that did `job & exec meter ...` leaves its job to us as a child.
// It is not of the target's tree, so then a new process, without children,
// carries on as meter. Returns false in the process that is to be meter; true,
// once that one has ended, in the one that only waited for it and passed the
// terminating signals on; *code is its exit code then.
// *parent: the process whose death --with-parent is about, set anew if needed.
bool detach(const struct signals *signals, bool with_parent, pid_t *parent, int *code);

#endif
