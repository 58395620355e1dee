#ifndef BLAME_CHILD_H
#define BLAME_CHILD_H

/* The program that is to be watched from its beginning to its end. */

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

struct child {
    pid_t pid;     /* 0: none */
    int status;    /* that it has ended with; 128 and a signal's number */
    sigset_t mask; /* what it gets back: signals, and how many files it may open */
    struct rlimit files;
};

/* Takes these signals by sigtimedwait() from now on, and more files than a program needs. */
void child_block(struct child *child, const sigset_t *signals);
/* Starts a program; to_stderr: stdout is ours alone. Ends this one with exit 2 where that cannot
 * be run. */
void child_start(struct child *child, char **program, bool to_stderr);
/* After a SIGCHLD: whether it has ended. It stays a zombie, which can be looked at; what it left
 * behind is waited for. */
bool child_has_ended(struct child *child);
/* Until it has ended; it is sent the signal first, where that is not 0. */
void child_wait(struct child *child, int signal);

#endif
