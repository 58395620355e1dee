// A process above a program that starts others: whatever ends the program, SIGKILL included,
// nothing that it has started outlives it.
//
// The keeper is an ancestor and a subreaper. What a program leaves behind when it is killed, also
// what became a daemon or moved to another session or group, becomes a child of the keeper, which
// ends it: SIGTERM, half a second later SIGKILL, 5 s later where a keeper or guard is among it.
// Those are killed last, as they remove what their own leave. It needs no control group, and no
// mark that a program may drop. It has a session of its own: a signal to the program's process
// group (`kill -9 -PGID`, `timeout -s KILL`) misses it. When the keeper is killed, the program gets
// SIGTERM.
//
// Where the process that was started must stay in its group, because it leads it or because a shell
// watches whether it stops, it stays as a third one, which passes signals on, and ends as the
// program does.
#ifndef COMMON_KEEPER_H
#define COMMON_KEEPER_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

struct keeper {
    const sigset_t *passed; // blocked signals, SIGCHLD among them: the others are passed on
    const char *name;       // of the keeper's process, as ps shows it: X-keeper, 15 characters
    pid_t parent;           // the caller, read at the program's start; 0: need not live on
    bool front;             // stay in the group in any case
    bool always;            // end what is left also after a program that was not killed
    void (*tidy)(void *);   // after a program that was killed, when nothing of it lives; NULL
    void (*end)(void *);    // after one that ended by itself; NULL
    void *with;             // for tidy and end
};

// keeper_start: forks. True in the process that is to be the program: it has no children, and
// is in the process group and session of before. False in the processes around it, once all has
// ended, or after a message: *code is then the exit code (the program's; 128 + the signal that
// killed it). To be called before anything is opened or locked: the keeper closes all but stderr.
bool keeper_start(const struct keeper *keeper, int *code);

#endif
