// What the files of loadgen exec share; each section says of which file it is.
#ifndef LOADGEN_EXEC_EXEC_H
#define LOADGEN_EXEC_EXEC_H

#define OPTIONS_OF struct exec_settings // see common/options.h

#include "load.h"

#include "common/group.h"

#include <uv.h>

// ---- the options as given, and the state of a run ----

struct exec_settings {
    int64_t settle_ns;
    int accounting; // enum exec_accounting
    bool loop;
};

enum exec_phase { STOPPED, RUNNING, ENDING };

struct exec_state {
    enum exec_phase phase;
    pid_t pid;    // the command's, and its process group's; 0: it is not known yet
    pid_t guard;  // 0: there is none now
    int guard_fd; // readable when the guard has something to say; -1: closed
    double laps;
    int64_t memory_kills; // when the lap began, as of memory_kills_read()
    int64_t lap_start_ns;
    int64_t lap_ns;     // how long the last whole lap took, at least; 0: there was none yet
    bool starting;      // resumed, and the command is not there yet
    bool wants_a_lap;   // settled, but steady only some part of a lap after the first
    bool told_long;     // that laps are long
    struct group group; // of the command; none: the tree is walked
    bool outside;       // most of it is in another group, as of a container: it is walked, too
    int64_t walked_ns;  // what the last walk found
    int64_t sum_ns;     // what all walks found, without what has got lost between them
    int64_t paused_ns;  // what was used when it was told to end
    int64_t ending_ns;  // and while it ended, each time: that is no load
    uv_timer_t timer;
    uv_poll_t guard_says;
};

static inline struct exec_state *exec_state_of(const struct run *run)
{
    return run->state;
}

// ---- account.c ----

// How the CPU time of a command's whole process tree is found; by index of exec_accounting_names. A
// control group counts all of it; processes that nobody waits for (a parent that ignores SIGCHLD)
// take theirs with them, so that a walk over the tree is a lower bound.
enum exec_accounting {
    EXEC_AUTO,     // the first of the following that this machine allows
    EXEC_CGROUP2,  // a group of the unified hierarchy
    EXEC_CGROUP1,  // a group of the cpuacct hierarchy
    EXEC_PROCESSES // the processes that live, and what was waited for
};

extern const char *const exec_accounting_names[]; // by enum exec_accounting, ended by NULL

// Makes the group, and sees that a process can be started in it. Before anything else is
// started. False: the wanted way cannot be had (never of EXEC_AUTO).
bool exec_find_group(struct group *group, enum exec_accounting wanted);
// CPU time in ns of all that was started so far; never less than before.
int64_t exec_used_ns(struct exec_state *state);

// ---- guard.c ----

enum guard_order {
    GUARD_RUN,     // start the command
    GUARD_STOP,    // end it with all its descendants: SIGTERM, after 2 s SIGKILL
    GUARD_SUSPEND, // stop them (SIGSTOP), or continue them; they do not answer
    GUARD_CONTINUE,
};

enum guard_event_kind {
    GUARD_STARTED, // answers GUARD_RUN
    GUARD_CHANGED, // the command has failed, or nothing is left of it
    GUARD_ENDED,   // answers GUARD_STOP: nothing is left
    GUARD_STUCK,   // the same: `left` processes cannot be killed
    GUARD_LOST,    // the guard itself is gone
};

struct guard_event {
    enum guard_event_kind kind;
    int error;  // STARTED: errno with which the command could not be started; 0: it was
    pid_t pid;  // STARTED: of the command
    int status; // CHANGED: the command's, as of waitpid(); 0: it ended well, or runs
    size_t left;
};

// Starts the guard, and makes this process a subreaper. The command is not started yet. 0, or -1
// with errno.
int exec_guard_start(const struct run *run);
// Gives the guard an order, if there is one.
void exec_guard_tell(const struct exec_state *state, enum guard_order order);
// The next event; waits for one. After GUARD_LOST everything below this process is dead: how many
// could not be killed is in left.
struct guard_event exec_guard_next(struct exec_state *state);
// Closes its socket: the guard ends all, and itself.
void exec_guard_close(struct exec_state *state);

#endif
