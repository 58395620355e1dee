#ifndef PRESSURE_AGREE_H
#define PRESSURE_AGREE_H

/* Which activities go with what the reporters read.
 *
 * An activity is almost exact, and would decide every level alone. But it counts what is done, not
 * what it costs others: a program that is none of our loads does it at another price, and
 * a neighbour in another guest does none of it here. So reporters and activities have to be
 * explained by the same levels, or else the activity that the levels fit worst is set aside, one
 * after the other, until the rest does: the reporters decide. */

#include "harness/pressure/invert.h"

#include <stdbool.h>
#include <stddef.h>

/* Of the signs from index `first` on, those that agree with the ones before: used[i] is true. The
 * others' readings become NAN. Where the signs before `first` say nothing, all stay. Returns how
 * likely it is that those that stay agree no better by chance, 1 where none stays. Pure. */
double agree(const struct invert_curves *curves, struct invert_reading *reading, size_t first,
             bool used[INVERT_REPORTERS]);

#endif
