#ifndef LOADGEN_PACER_H
#define LOADGEN_PACER_H

/* When is the next operation due? Open loop: operation k of all workers is due
 * at epoch + (k + 1/2) / rate, whatever became of those before; a worker takes
 * every stride-th. The half makes the count in any time from the epoch right
 * on average. Computed from k each time, so nothing adds up. */

#include <stdbool.h>
#include <stdint.h>

#define PACER_DEBT_NS 100000000 /* what is later than this is dropped */
#define PACER_LATE_NS 1000000   /* what starts later than this counts as late */

struct pacer {
    int64_t epoch_ns;
    double interval_ns; /* between two operations of all workers; 0: no limit */
    uint64_t next;      /* number of this worker's next operation, in all workers' count */
    uint64_t stride;    /* number of workers */
};

/* rate: operations a second of all workers; 0: never due; INFINITY: no limit. */
void pacer_set(struct pacer *pacer, int64_t epoch_ns, double rate, unsigned worker,
               unsigned workers);
/* When the next operation is due; INT64_MAX: never. Without a limit: now_ns. */
int64_t pacer_due(const struct pacer *pacer, int64_t now_ns);
/* Drops what is past the debt at now_ns; returns how many. */
uint64_t pacer_drop(struct pacer *pacer, int64_t now_ns);
/* Takes the next operation. */
void pacer_take(struct pacer *pacer);

#endif
