#ifndef LOADGEN_NEIGHBOUR_HOLD_H
#define LOADGEN_NEIGHBOUR_HOLD_H

/* Whatever ends us, the neighbour runs again: by the kernel itself, at once.
 *
 *     loadgen ── writes ──> pipe ──> guard        loadgen <── pipe <── writes ── guard
 *
 * Both have an end of each pipe. The reading ends are opened once for each member, and signal
 * SIGCONT to it (F_SETOWN, F_SETSIG, O_ASYNC: fcntl(2)) when the other end closes: so the kernel
 * continues all members in the moment in which one of the two ends, by whatever signal and in
 * whatever order. The one that is left stops nobody any more. */

#include "neighbour/members.h"

#include <stdbool.h>

struct hold {
    pid_t guard;  /* 0: there is none */
    int alive;    /* our writing end */
    int *reading; /* our reading ends; the first one signals nobody */
    size_t count;
    struct member *member; /* whom it holds */
    size_t members;
};

#define HOLD_OF_NONE ((struct hold){.alive = -1})

/* From now on these members are continued when we end. To be called before any of them is stopped,
 * and again when others have come. False with errno. */
bool hold_take(struct hold *hold, const struct neighbour *neighbour);
/* Whether it holds all members of the last look. */
bool hold_has(const struct hold *hold, const struct neighbour *neighbour);
/* False: the guard is gone, so nobody may be stopped. */
bool hold_is_there(const struct hold *hold);
/* A descriptor that is readable when the guard is gone; -1: none. */
int hold_descriptor(const struct hold *hold);
/* Ends the guard, with which the kernel continues all that it held. */
void hold_release(struct hold *hold);

#endif
