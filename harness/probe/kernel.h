#ifndef PROBE_KERNEL_H
#define PROBE_KERNEL_H

/* What the kernel shows without root about the pressure on this node: how much grew over the
 * time of a probe. Under JOSTLE_KERNEL_ROOT where that is set. */

#include "common/machine.h"
#include "common/processes.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { KERNEL_USERS = 8 };

/* The CPU time of all other processes of one user. */
struct kernel_user {
    char name[64];
    double cpus;      /* in CPUs */
    char command[64]; /* the process that used most of it */
    double command_cpus;
};

/* NAN: this kernel does not show it. Shares are of the probe's time, 0 to 1. */
struct kernel_facts {
    double duration_s;
    double cpus;       /* online */
    double quota_cpus; /* what control groups leave to us; INFINITY: no limit */
    /* Pressure stall information: some task waited. */
    double cpu_some, memory_some, memory_full, io_some;
    double own_io;      /* of the time, what the probe itself waited for the disk; NAN: not known */
    double steal;       /* of the time of all CPUs */
    double throttled;   /* of the periods of our own control group */
    double throttled_s; /* how long, per second */
    double run_queue;   /* tasks that ran or waited, without ourselves, mean */
    double load_average;                  /* of a minute */
    double busy_cpus;                     /* of all tasks, ourselves among them */
    double own_cpus;                      /* the probe itself */
    double session_cpus;                  /* others of our session (terminal or job) */
    double swap_in_per_s, swap_out_per_s; /* pages */
    double heat_throttles;                /* of the cores, by heat: how often */
    double clock_mhz;                     /* mean of the CPUs */
    double resctrl_gb_s;                  /* memory bandwidth of all, where resctrl has it */
    size_t user_count;                    /* by CPU time, most first */
    struct kernel_user user[KERNEL_USERS];
    double foreign_cpus; /* of all users' other processes, also those not listed */
};

struct kernel_look; /* the counters at one moment */

/* The counters of now. `processes`: also those of each process, which takes a few ms on a
 * node with thousands of them. NULL: out of memory. */
struct kernel_look *kernel_look(bool processes);
void kernel_look_free(struct kernel_look *look);
/* How many tasks run or wait now, without the caller; NAN: not shown. */
double kernel_run_queue(void);
/* What grew; but for own_io, which the caller knows. run_queue: the mean of kernel_run_queue()
 * meanwhile. */
void kernel_between(const struct kernel_look *before, const struct kernel_look *after,
                    double run_queue, struct kernel_facts *facts);

/* Share of the time in which others waited for the disk, at least: without the probe's own. */
double kernel_others_io(const struct kernel_facts *facts);

/* Who uses the CPUs, taken from an earlier look. */
void kernel_copy_users(const struct kernel_facts *from, struct kernel_facts *to);

/* `kernel` of a jostle.probe/1; a new reference, NULL: out of memory. */
json_t *kernel_to_json(const struct kernel_facts *facts);
/* Reads it back; what is missing is NAN. */
void kernel_from_json(const json_t *record, struct kernel_facts *facts);

#endif
