#ifndef BLAME_ROWS_H
#define BLAME_ROWS_H

#include "common/machine.h"
#include "sample.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

// What the kernel counts of the whole node, without root, and of one control group: how much grew
// between two looks. Under JOSTLE_KERNEL_ROOT where that is set.

// The counters at one moment; UNKNOWN: this kernel does not show it.
struct look {
    double time_s;
    double own_s; // CPU time of this process
    struct counters counters;
    int64_t throttled_us; // of the group, or of one around it
    int64_t group_io_us;  // some task of the group waited for a disk (cgroup v2)
    int64_t disk_bytes, network_bytes, loopback_bytes;
    int64_t resctrl_bytes; // through memory, of all
};

// NAN: this kernel does not show it. Shares are of the time, 0 to 1.
struct facts {
    double duration_s;
    double cpus;                           // online
    double cpu_some, memory_some, io_some; // some task waited (pressure stall information)
    double steal;                          // of the time of all CPUs
    double throttled;                      // of the time, the group by its own quota
    double group_io;                       // some task of the group waited for a disk
    double busy_cpus;                      // of all tasks, this program among them
    double own_cpus;                       // this program
    double swap_in_per_s;                  // pages
    double heat_throttles;                 // of the cores, by heat: how often
    double clock_mhz;                      // mean of the CPUs
    double memory_per_s;                   // bytes, where resctrl has it
    double disk_per_s, network_per_s, loopback_per_s; // bytes
};

// Who did what in a window, a row each: processes of one job or container together, else those of
// one command line, user and session; short ones with the shell, make or script that started them.

enum { ROWS = 64 };

struct row {
    const struct who *lead; // the busiest of them; NULL: programs that nobody saw
    bool family;            // short processes of lead
    unsigned processes;     // of how many it is the sum
    char name[64], user[64], label[64];
    double cpus;
    double blame;       // of the victim's waiting for CPUs, 0 to 1
    double beside;      // of the time that the victim ran or waited, on the same CPU with it
    double bytes_per_s; // to and from disks
    double at_disk;     // of the time, waiting for a disk
    // While they are summed up:
    double cpu_s, bytes, runnable, meetings, disk_waits, preempted_s, score, most_s, named;
};

struct rows {
    size_t count; // of others, by blame, then by CPUs, most first
    struct row row[ROWS];
    char own_label[64]; // of the job or container that this program is in; "": none
    double victim_cpus, victim_bytes_per_s;
    double unseen;      // of the victim's CPU time, what its children that came and went had
    double others_cpus; // all others, also those that have no row
    bool exact;         // blame is from each switch of tasks, not from samples
    double own_preempted_s;
    double own_blame; // of its waiting for CPUs, what its own threads are to blame for
};

void rows_make(struct rows *rows, const struct sampler *sampler, const struct facts *facts);
// By what they moved to and from disks, most first.
void rows_sort_by_disk(struct rows *rows);
// "xz -9 big.tar", "cc1, as (short processes of sh build)".
void row_text(const struct row *row, char *text, size_t size);

// folder: of the group whose quota is looked at; "": none. pid: whose network; 0: ours.
void look_take(struct look *look, const char *folder, pid_t pid);

void facts_between(const struct look *before, const struct look *after, struct facts *facts);

#endif
