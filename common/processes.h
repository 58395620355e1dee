// Who uses the CPUs: all processes that /proc shows, and what grew between two looks.
#ifndef COMMON_PROCESSES_H
#define COMMON_PROCESSES_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct process {
    pid_t pid, parent, session;
    uid_t user;
    char state;    // R, D, S, Z, ...
    bool kernel;   // a thread of the kernel
    bool descends; // from the root, where the tree was asked for
    int threads;
    int cpu;             // where it ran last, or waits to run; -1: not shown
    long long disk_wait; // ticks, where the kernel accounts delays; else 0
    long long started;   // ticks since boot: with it, a number that was used again is another
    long long ticks;     // of CPU time so far, user and system, without its children
    long long waited;    // the same of children that have ended and been waited for, with theirs
    char name[64];
};

struct processes {
    size_t count, room;
    struct process *process; // by number, rising
};

enum { PROCESS_TICK_US = 10000 }; // USER_HZ, on every architecture that matters

// Reads all again, into the same memory. Empty where there are none to be seen.
void processes_read(struct processes *processes);
// The same, with the descendants of a process marked.
void processes_read_tree(struct processes *processes, pid_t root);
// Reads all processes of this machine, never of a made-up one, for who is to be signalled: in no
// order, with the descendants of this process marked. Where memory or /proc is short the list is
// incomplete, and the caller's next look finds the rest.
void processes_read_own_tree(struct processes *processes);
void processes_free(struct processes *processes);
// One line of /proc/PID/stat, or of a thread, into all but `user`. False: it is none.
bool process_parse(const char *text, struct process *process);
// What /proc shows of one process. False: it is not there.
bool process_read(pid_t pid, struct process *process);

// /proc/PID/NAME, of this process where pid is 0, below JOSTLE_KERNEL_ROOT; into a buffer of
// PATH_MAX, which is returned.
const char *process_path(pid_t pid, const char *name, char buffer[PATH_MAX]);

// Finds the same process at another look; NULL: it was not there.
const struct process *processes_same(const struct processes *processes,
                                     const struct process *process);

#endif
