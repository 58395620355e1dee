/* Wake-up latency, as cyclictest measures it: on each CPU a thread sleeps to absolute
 * times, and notes by how much later it runs. It has an ordinary priority, as what is
 * measured under a load has. */
#ifndef LOADGEN_RECORD_WAKEUPS_H
#define LOADGEN_RECORD_WAKEUPS_H

#include "common/machine.h"
#include "histogram.h"

#include <stdint.h>

struct wakeups;

/* A thread on each of these CPUs, which wakes every interval_ns (a time that it sleeps
 * through is not made up for). NULL with errno: it cannot. */
struct wakeups *wakeups_start(const struct cpu_list *cpus, int64_t interval_ns);
/* Ends the threads. What they noted stays. NULL is fine. */
void wakeups_stop(struct wakeups *wakeups);
void wakeups_free(struct wakeups *wakeups);

/* Latencies on a CPU, while the threads run: since the start; and since the last call of
 * wakeups_next(), which begins a new span. False: this CPU has no thread. */
bool wakeups_whole(const struct wakeups *wakeups, unsigned cpu, struct histogram *histogram);
bool wakeups_next(struct wakeups *wakeups, unsigned cpu, struct histogram *histogram);

#endif
