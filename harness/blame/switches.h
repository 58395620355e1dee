#ifndef BLAME_SWITCHES_H
#define BLAME_SWITCHES_H

/* Who got the CPU that was taken from the victim, exactly: each switch of tasks, from the kernel
 * (perf_event_open(2), PERF_RECORD_SWITCH_CPU_WIDE). That takes root or CAP_PERFMON, and costs each
 * switch of the node some 100 ns: not where there are very many. */

#include "harness/blame/scan.h"

struct switches;

/* NULL: not allowed, or not possible here. */
struct switches *switches_open(void);
/* Adds to who->preempted_s what each ran while a victim whose CPU it had wanted that back. */
void switches_take(struct switches *switches, struct whos *whos);
/* Whether there are so many that to look at them costs the node too much; elapsed_s: since the
 * beginning. */
bool switches_too_many(const struct switches *switches, double elapsed_s);
/* How long victims wanted back what was taken from them, in this window, s; NAN: records were
 * lost, so that it is not known. The next window begins. */
double switches_next_window(struct switches *switches);
void switches_close(struct switches *switches);

#endif
