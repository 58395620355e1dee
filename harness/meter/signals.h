// The signals that meter waits for, and what the caller has set.
#ifndef METER_SIGNALS_H
#define METER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/types.h>

// What the caller has set, to be given on to the target unchanged.
struct signals {
    sigset_t mask;
    struct sigaction child;
    struct sigaction pipe;
    sigset_t awaited; // those that the supervisor waits for, now blocked
    int fd;           // a signalfd of them
};

// End this run, and carry on: a signal that no scheduler sends, as some do SIGUSR1 to all processes
// of a job.
#define SIGNAL_END_RUN SIGRTMIN

// Blocks SIGCHLD, SIGCONT, SIGNAL_END_RUN and the
// terminating signals, so that they can be waited for, and those by which a terminal stops: meter
// continues, and sees for how long the target did not. One that the caller ignores (as nohup does)
// stays ignored. False after a message.
bool signals_take(struct signals *signals);

// Takes one that has come; 0 when there is none. *child, unless NULL, is set to
// the process that a SIGCHLD is about (several that have come are one).
int signals_next(const struct signals *signals, pid_t *child);

// To be called in the target's process, before its exec.
void signals_give_back(const struct signals *signals);

#endif
