#ifndef LOADGEN_EXEC_GUARD_H
#define LOADGEN_EXEC_GUARD_H

/* The process that starts the command, and ends all that it has started, whatever becomes of the
 * load itself:
 *
 *     loadgen ══ socket ══ guard ── command ── its descendants
 *
 * The guard is in a process group of its own and without a terminal, so that no signal to
 * loadgen's process group, and none of its terminal, reaches it, and it ignores all that can be
 * ignored. It stays in loadgen's session (common/machine.h). It is a subreaper:
 * whatever the command starts stays below it, daemons included. When loadgen is gone, be it by
 * SIGKILL or for lack of memory, the socket ends, and the guard kills everything below it, and
 * removes the control group. When the guard itself is killed, the kernel kills the command
 * (PR_SET_PDEATHSIG) and hands its descendants to loadgen, which is a subreaper, too, and kills
 * them. Only where both are killed at one blow, and there is no control group that the machine
 * kills with them, can a descendant of the command survive. */

#include "common/group.h"
#include "common/machine.h"

#include <stdbool.h>
#include <sys/types.h>

struct guard_command {
    char **words;
    const struct cpu_list *cpus; /* on which it runs */
    struct group *group;         /* in which it runs; its kind may be none */
    bool discard;                /* its stdout; else that goes to our stderr */
};

struct guard {
    pid_t pid; /* 0: there is none now */
    int fd;    /* readable when it has something to say; -1: closed */
};

enum guard_order {
    GUARD_RUN,     /* start the command */
    GUARD_STOP,    /* end it with all its descendants: SIGTERM, after 2 s SIGKILL */
    GUARD_SUSPEND, /* stop them (SIGSTOP), or continue them; they do not answer */
    GUARD_CONTINUE,
};

enum guard_event_kind {
    GUARD_STARTED, /* answers GUARD_RUN */
    GUARD_CHANGED, /* the command has failed, or nothing is left of it */
    GUARD_ENDED,   /* answers GUARD_STOP: nothing is left */
    GUARD_STUCK,   /* the same: `left` processes cannot be killed */
    GUARD_LOST,    /* the guard itself is gone */
};

struct guard_event {
    enum guard_event_kind kind;
    int error;  /* STARTED: errno with which the command could not be started; 0: it was */
    pid_t pid;  /* STARTED: of the command */
    int status; /* CHANGED: the command's, as of waitpid(); 0: it ended well, or runs */
    size_t left;
};

/* Starts the guard, and makes this process a subreaper. The command is not started yet. 0, or -1
 * with errno. */
int guard_start(struct guard *guard, const struct guard_command *command);
/* Gives an order. That the guard is gone is found out by the answer. */
void guard_tell(const struct guard *guard, enum guard_order order);
/* The next event; waits for one. After GUARD_LOST everything below this process is dead: how many
 * could not be killed is in left. */
struct guard_event guard_next(struct guard *guard);
/* The end: what is left of the command is killed; returns when that is so. */
void guard_close(struct guard *guard);

#endif
