// Whether what is odd about the runs could move a figure by more than was asked of it (--error):
// that makes it a problem. All else is a note.
#ifndef STATS_MATTERS_H
#define STATS_MATTERS_H

#include "harness/record/settings.h"
#include "messages.h"
#include "session.h"

// The step, the trend or the resemblance of the runs of a lone condition, whose mean takes all of
// it.
bool matters_alone(struct session *session, size_t condition, size_t metric, enum flag flag);

// That a ratio changes within the experiment: surely enough in view of how many ratios there are,
// and by more than was asked, or so that its widened interval is larger than that.
bool matters_unsteady(struct session *session, struct ratio of);

// What the loads of a condition leave behind in the runs after theirs.
bool matters_carry_over(struct session *session, size_t condition, size_t metric);

// That a ratio is known less surely than was asked: where it is not known whether there is an
// effect.
bool matters_open(struct session *session, struct ratio of);

#endif
