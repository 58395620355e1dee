#ifndef BLAME_SAMPLE_H
#define BLAME_SAMPLE_H

#include "who.h"

#include "common/machine.h"

#include <time.h>

// Seconds of a clock.
double clock_s(clockid_t clock);

// A look at all processes: who used the CPUs and the disks since the one before. What has ended
// meanwhile is known from what its parent was told when it waited for it.

struct scan {
    struct processes now;
    struct whos whos;
    struct victim *victim;
    double last_s; // CLOCK_MONOTONIC
    bool ended;    // the victim's root has ended
};

void scan_take(struct scan *scan);
void scan_free(struct scan *scan);

// Samples of who runs or waits for which CPU, and who waits for a disk; and from the kernel, to the
// nanosecond, how long the victim's threads ran and how long they waited for a CPU.

enum { SAMPLE_TASKS = 512, SAMPLE_CPUS = 4096 };

// A thread that is looked at in each sample.
struct task {
    struct who *who;
    pid_t tid;
    int stat_fd, sched_fd; // sched_fd: of the victim's; -1: none
    unsigned scan;         // that it was last wanted by
    struct schedstat counted;
    char state;
    int cpu;
};

struct sampler {
    struct scan *scan;
    size_t count;
    struct task task[SAMPLE_TASKS];
    int loadavg_fd;
    bool schedstat; // this kernel has it
    bool ended;     // the victim's first process
    // In this window:
    double samples, active, at_disk; // active: one of the victim's ran or waited to
    double runnable, beside;         // the victim's threads; how often beside another of them
    double running, running_squares; // of the whole node, without ourselves
    int64_t run_ns, wait_ns;
    double preempted_s; // how long a CPU was taken from it: switches.h; NAN: not known
    unsigned threads;   // of the victim, at most, in a sample
    unsigned gone;      // threads of the victim that have ended: their last ms are not known
    unsigned left_out;  // threads for which there was no room
};

void sampler_open(struct sampler *sampler, struct scan *scan);
// After each scan: looks from now on at the victim's threads, and at those of whoever is hot.
void sampler_choose(struct sampler *sampler);
// A process that was just started as the victim.
void sampler_add(struct sampler *sampler, pid_t pid);
void sampler_take(struct sampler *sampler);
void sampler_next_window(struct sampler *sampler);
void sampler_close(struct sampler *sampler);

// Who got the CPU that was taken from the victim, exactly: each switch of tasks, from the kernel
// (perf_event_open(2), PERF_RECORD_SWITCH_CPU_WIDE). That takes root or CAP_PERFMON, and costs each
// switch of the node some 100 ns: not where there are very many.

struct switches;

// NULL: not allowed, or not possible here.
struct switches *switches_open(void);
// Adds to who->preempted_s what each ran while a victim whose CPU it had wanted that back.
void switches_take(struct switches *switches, struct whos *whos);
// Whether there are so many that to look at them costs the node too much; elapsed_s: since the
// beginning.
bool switches_too_many(const struct switches *switches, double elapsed_s);
// How long victims wanted back what was taken from them, in this window, s; NAN: records were
// lost, so that it is not known. The next window begins.
double switches_next_window(struct switches *switches);
void switches_close(struct switches *switches);

#endif
