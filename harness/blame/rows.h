#ifndef BLAME_ROWS_H
#define BLAME_ROWS_H

/* Who did what in a window, a row each: processes of one job or container together, else those of
 * one command line, user and session; short ones with the shell, make or script that started them.
 */

#include "harness/blame/facts.h"
#include "harness/blame/sample.h"

#include <stdbool.h>
#include <stddef.h>

enum { ROWS = 64 };

struct row {
    const struct who *lead; /* the busiest of them; NULL: programs that nobody saw */
    bool family;            /* short processes of lead */
    unsigned processes;     /* of how many it is the sum */
    char name[64], user[64], label[64];
    double cpus;
    double blame;       /* of the victim's waiting for CPUs, 0 to 1 */
    double beside;      /* of the time that the victim ran or waited, on the same CPU with it */
    double bytes_per_s; /* to and from disks */
    double at_disk;     /* of the time, waiting for a disk */
    /* While they are summed up: */
    double cpu_s, bytes, runnable, meetings, disk_waits, preempted_s, score, most_s, named;
};

struct rows {
    size_t count; /* of others, by blame, then by CPUs, most first */
    struct row row[ROWS];
    char own_label[64]; /* of the job or container that this program is in; "": none */
    double victim_cpus, victim_bytes_per_s;
    double unseen;      /* of the victim's CPU time, what its children that came and went had */
    double others_cpus; /* all others, also those that have no row */
    bool exact;         /* blame is from each switch of tasks, not from samples */
    double own_preempted_s;
    double own_blame; /* of its waiting for CPUs, what its own threads are to blame for */
};

void rows_make(struct rows *rows, const struct sampler *sampler, const struct facts *facts);
/* By what they moved to and from disks, most first. */
void rows_sort_by_disk(struct rows *rows);
/* "xz -9 big.tar", "cc1, as (short processes of sh build)". */
void row_text(const struct row *row, char *text, size_t size);

#endif
