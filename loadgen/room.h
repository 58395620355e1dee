#ifndef LOADGEN_ROOM_H
#define LOADGEN_ROOM_H

/* Memory that a load holds. It is refused where it would not fit, and given back, by ending
 * the load with the reason, where memory gets short later: a load must not bring the OOM
 * killer to its neighbours. --force does without both. */

#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

struct run;

/* Main thread, in check(): all that the load is going to hold, in bytes, on one NUMA node
 * (-1: any). What does not fit is refused: exit 2 with "WHAT SIZE: this machine has N left:
 * ADVICE, or --force". A second call replaces the first. */
void room_claim(struct run *run, double bytes, int node, const char *what, const char *advice);
/* Main thread, after check(): the same of what was claimed and what all workers need besides. */
void room_claim_workers(struct run *run);
/* For a load that cannot say (a command): it is watched without a claim. */
void room_claim_unknown(struct run *run);

/* From now on the control plane looks from time to time whether memory is short, and
 * then fails the run. Nothing for a load that holds so little that its end would not help. */
void room_watch(struct run *run);
/* After the loop has closed its handles. */
void room_free(struct run *run);

/* For a worker that fills memory, before every room_step() bytes: false once memory is short,
 * or the run has failed already: then it has failed, and the worker has to stop. */
bool room_for_more(struct run *run);
/* So many that all workers, and those of another load, cannot fill what is left within one. */
size_t room_step(const struct run *run);

/* Bytes of a page of this system: 4 KiB, on some aarch64 and ppc64le 64 KiB. */
static inline size_t page_bytes(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

#endif
