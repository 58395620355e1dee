#ifndef BLAME_SAMPLE_H
#define BLAME_SAMPLE_H

/* Samples of who runs or waits for which CPU, and who waits for a disk; and from the kernel, to the
 * nanosecond, how long the victim's threads ran and how long they waited for a CPU. */

#include "harness/blame/scan.h"

enum { SAMPLE_TASKS = 512, SAMPLE_CPUS = 4096 };

/* A thread that is looked at in each sample. */
struct task {
    struct who *who;
    pid_t tid;
    int stat_fd, sched_fd; /* sched_fd: of the victim's; -1: none */
    unsigned scan;         /* that it was last wanted by */
    uint64_t run_ns, wait_ns;
    char state;
    int cpu;
};

struct sampler {
    struct scan *scan;
    size_t count;
    struct task task[SAMPLE_TASKS];
    int loadavg_fd;
    bool schedstat; /* this kernel has it */
    bool ended;     /* the victim's first process */
    /* In this window: */
    double samples, active, at_disk; /* active: one of the victim's ran or waited to */
    double runnable, beside;         /* the victim's threads; how often beside another of them */
    double running, running_squares; /* of the whole node, without ourselves */
    uint64_t run_ns, wait_ns;
    double preempted_s; /* how long a CPU was taken from it: switches.h; NAN: not known */
    unsigned threads;   /* of the victim, at most, in a sample */
    unsigned gone;      /* threads of the victim that have ended: their last ms are not known */
    unsigned left_out;  /* threads for which there was no room */
};

void sampler_open(struct sampler *sampler, struct scan *scan);
/* After each scan: looks from now on at the victim's threads, and at those of whoever is hot. */
void sampler_choose(struct sampler *sampler);
/* A process that was just started as the victim. */
void sampler_add(struct sampler *sampler, pid_t pid);
void sampler_take(struct sampler *sampler);
void sampler_next_window(struct sampler *sampler);
void sampler_close(struct sampler *sampler);

#endif
