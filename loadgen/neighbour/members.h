#ifndef LOADGEN_NEIGHBOUR_MEMBERS_H
#define LOADGEN_NEIGHBOUR_MEMBERS_H

/* The processes that the neighbour is made of: a process with its descendants, a control group, or
 * a job of the scheduler. */

#include "common/grouping.h"
#include "common/processes.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct member {
    pid_t pid;
    long long started; /* with it a number that was used again is another process */
};

struct neighbour {
    pid_t pid; /* of a tree; 0: it is the grouping's */
    long long started;
    struct grouping grouping;
    char words[128]; /* "pid 4711 (xz)" */
    struct processes all;
    struct member *member;
    size_t count, room;
    int64_t ticks; /* CPU time of those that were there at the last look, and their waited-for
                      children */
};

/* From --pid, --cgroup or --job, of which one is given. Ends the program with exit 2 where there is
 * no such neighbour, or it may not be paused: another user's, the kernel's, our own ancestors, what
 * the machine or the session lives by, what is stopped already. */
void neighbour_find(struct neighbour *neighbour, uint64_t pid, const char *cgroup, const char *job);
/* Looks again who belongs to it. False: memory ran out. count 0: all have ended. */
bool neighbour_look(struct neighbour *neighbour);
/* Whether any of them still is there: without a look at all processes, as long as it is so. */
bool neighbour_lives(struct neighbour *neighbour);
/* Sends a signal to all members of the last look, each if it still is that process. */
void neighbour_signal(const struct neighbour *neighbour, int signal_number);
/* Whether each of them is stopped, or will be before it runs on, by a new look after a SIGSTOP. */
bool neighbour_is_stopped(struct neighbour *neighbour);
/* Its CPU time so far in ns, never less than before; of what has ended only what was waited for. */
int64_t neighbour_cpu_ns(struct neighbour *neighbour);
void neighbour_free(struct neighbour *neighbour);

/* Whatever ends us, the neighbour runs again: by the kernel itself, at once.
 *
 *     loadgen ── writes ──> pipe ──> guard        loadgen <── pipe <── writes ── guard
 *
 * Both have an end of each pipe. The reading ends are opened once for each member, and signal
 * SIGCONT to it (F_SETOWN, F_SETSIG, O_ASYNC: fcntl(2)) when the other end closes: so the kernel
 * continues all members in the moment in which one of the two ends, by whatever signal and in
 * whatever order. The one that is left stops nobody any more. */

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
/* Ends the guard, with which the kernel continues all that it held. */
void hold_release(struct hold *hold);

#endif
