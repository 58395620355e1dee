#ifndef COMMON_PROCESSES_H
#define COMMON_PROCESSES_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// Who uses the CPUs: all processes that /proc shows, and what grew between two looks.

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
void processes_free(struct processes *processes);
// One line of /proc/PID/stat, or of a thread, into all but `user`. False: it is none.
bool process_parse(const char *text, struct process *process);
// What /proc shows of one process. False: it is not there.
bool process_read(pid_t pid, struct process *process);

// /proc/PID/NAME, of this process where pid is 0, below JOSTLE_KERNEL_ROOT; into a buffer of
// PATH_MAX, which is returned.
const char *process_path(pid_t pid, const char *name, char buffer[PATH_MAX]);

// The same process at another look; NULL: it was not there.
const struct process *processes_same(const struct processes *processes,
                                     const struct process *process);

// The descendants of this process, as /proc shows them. A program that ends what it
// started makes itself a subreaper first, so that orphans remain its descendants.

// Sends a signal (0: none) to every descendant that has not ended. Returns how many
// those are; 0 also when /proc cannot be read.
size_t tree_signal(int signal_number);
// As tree_signal(), to this process's own children only: the heads of the tree, and orphans.
size_t tree_signal_children(int signal_number);
// Waits for all children that have ended. False: no child is left. *status becomes that of `pid`,
// as of waitpid(), if it was among them.
bool tree_reap(pid_t pid, int *status);
// Kills all descendants, again and again for those that are forked meanwhile, and waits for them.
// Returns how many still live after 10 s: those are stuck in the kernel, or another user's.
size_t tree_kill(void);
// The descendants that have not ended, in a block to be freed; NULL where there is none.
pid_t *tree_list(size_t *count);
// CPU time in ns of all descendants: those that live, and those that have been waited
// for by this process or by another descendant.
int64_t tree_cpu_ns(void);

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
