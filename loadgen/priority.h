#ifndef LOADGEN_PRIORITY_H
#define LOADGEN_PRIORITY_H

/* --nice and --sched: how much the load yields to others. Threads and commands that are
 * started later inherit both. */

struct run;

/* The words of stress-ng's --sched, but none that would come before others. */
extern const char *const priority_scheds[];
enum priority_sched { SCHED_AS_STARTED, SCHED_AS_OTHER, SCHED_AS_BATCH, SCHED_AS_IDLE };

/* Main thread, before any other is started. What is not allowed ends the program: exit 2. */
void priority_set(const struct run *run);

#endif
