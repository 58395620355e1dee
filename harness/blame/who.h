#ifndef BLAME_WHO_H
#define BLAME_WHO_H

#include "common/group.h"
#include "common/processes.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The processes that were seen, each with what it did in this window (since the last line of a
// watch, or since the beginning).

struct who {
    pid_t pid, parent, session;
    uid_t user;
    long long started; // ticks since boot: with the pid, who it is
    char name[64];
    bool victim, own, kernel; // own: this program
    bool scanned;             // by a look at all processes, not only by a sample
    bool ended, hot;          // hot: it ran, or waited for a disk, at the last scan
    bool folded;              // ended, and its parent's family has all of it
    unsigned scan;            // the last one that has seen it
    long long ticks, waited;  // at that scan, as in common/processes.h
    double age_s;             // at that scan, or at the last sample
    uint64_t io_bytes;        // read and written, as seen last
    bool io_seen;
    char *command, *group; // NULL: not asked for yet
    struct who *next;      // of the same bucket
    // In this window:
    double cpu_s;      // its own
    double children_s; // of children that have ended, without what has a row of its own
    double bytes;      // to and from disks
    double runnable, beside, at_disk; // in samples: see sample.h
    double preempted_s;               // it ran while a victim wanted that CPU back: switches.h
    struct {                          // the same of short processes that it started
        double runnable, beside, at_disk, preempted_s, bytes, most;
        char name[64]; // whoever was seen most
    } family;
};

enum { WHO_BUCKETS = 1024 };

struct whos {
    struct who *bucket[WHO_BUCKETS];
    unsigned scan;
};

// The one that lives, or lived last, under that number; NULL: nobody.
struct who *who_find(const struct whos *whos, pid_t pid);
// That process, added where it was not known. started 0: not known. Ends the program where memory
// runs out.
struct who *who_of(struct whos *whos, const struct process *process, bool *added);
// The nearest of its ancestors that has not ended; NULL: none is known.
struct who *who_parent(const struct whos *whos, const struct who *who);
// Whether it came and went too fast for a row of its own: it is its family's.
bool who_is_short(const struct whos *whos, const struct who *who);
// The next of all, NULL first and last: for (w = NULL; (w = who_next(&whos, w)) != NULL;).
struct who *who_next(const struct whos *whos, const struct who *who);
// Looks up its command line and its control group, once, as long as it lives.
void who_ask(struct who *who);
// The job or container that its control group names ("job 42", "container 3f...", the service
// "ssh.service"); "": none.
void who_label(const struct who *who, char *label, size_t size);
// Its user's name, or number.
void who_user(uid_t user, char *name, size_t size);
// Gives what a short process that has ended did to its parent's family.
void who_fold(const struct whos *whos, struct who *who);
// Forgets those.
void whos_sweep(struct whos *whos);
// The next window: all that was done in this one is forgotten, and who has ended.
void whos_next_window(struct whos *whos);
void whos_free(struct whos *whos);

// Whose slowness is looked into: a program and its descendants, a control group, or everybody.

enum victim_kind { VICTIM_NODE, VICTIM_PROGRAM, VICTIM_PID, VICTIM_CGROUP, VICTIM_JOB };

struct victim {
    enum victim_kind kind;
    pid_t pid;                  // the root of the tree, of programs and pids
    char name[64];              // its command's
    struct grouping group;      // of groups and jobs
    char folder[PATH_MAX + 64]; // the group whose quota and pressure count; "": not known
};

// Each ends the program with exit 2 where there is no such victim, or it can be none.
void victim_pid(struct victim *victim, uint64_t pid);
void victim_cgroup(struct victim *victim, const char *path);
void victim_job(struct victim *victim, const char *job);

// Whether it is one of them. parent: its own, where that is known.
bool victim_has(const struct victim *victim, struct who *who, const struct who *parent);
// Finds `folder`, of a tree or a job: that of its first process.
void victim_find_folder(struct victim *victim, const struct who *who);
// "pid 13021 (python3)", "this node".
void victim_text(const struct victim *victim, char *text, size_t size);

#endif
