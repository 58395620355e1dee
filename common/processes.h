#ifndef COMMON_PROCESSES_H
#define COMMON_PROCESSES_H

/* Who uses the CPUs: all processes that /proc shows, and what grew between two looks. */

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
    pid_t pid, parent, session;
    uid_t user;
    char state;  /* R, D, S, Z, ... */
    bool kernel; /* a thread of the kernel */
    int threads;
    int cpu;             /* where it ran last, or waits to run; -1: not shown */
    long long disk_wait; /* ticks, where the kernel accounts delays; else 0 */
    long long started;   /* ticks since boot: with it, a number that was used again is another */
    long long ticks;     /* of CPU time so far, user and system, without its children */
    long long waited;    /* the same of children that have ended and been waited for, with theirs */
    char name[64];
};

struct processes {
    size_t count, room;
    struct process *process; /* by number, rising */
};

enum { PROCESS_TICK_US = 10000 }; /* USER_HZ, on every architecture that matters */

/* Reads all again, into the same memory. Empty where there are none to be seen. */
void processes_read(struct processes *processes);
void processes_free(struct processes *processes);
/* One line of /proc/PID/stat, or of a thread, into all but `user`. False: it is none. */
bool process_parse(const char *text, struct process *process);
/* The same process at another look; NULL: it was not there. */
const struct process *processes_same(const struct processes *processes,
                                     const struct process *process);

#endif
