#ifndef LOADGEN_SETTINGS_H
#define LOADGEN_SETTINGS_H

/* The command line of a load: its own options, and those that every load has. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpu_list;
struct run;

/* Parses `loadgen LOAD ...` (argv[0] is replaced) into run->common, run->settings
 * and run->arguments; wrong use ends the program with exit 2. */
void settings_parse(struct run *run, int argc, char **argv);
void settings_free(struct run *run);

/* The canonical text of what a rate depends on, with the threads that are really
 * used: "--kernel triad --threads 2". False: it does not fit. */
bool settings_measured(const struct run *run, char *text, size_t size);
/* The CPU of a worker; -1: it is not pinned. */
int settings_worker_cpu(const struct run *run, unsigned worker);
/* Adds that of the second thread which the workers of some loads have. */
void settings_companion_cpu(const struct run *run, unsigned worker, struct cpu_list *cpus);
/* The CPUs that the workers are on: of pinned ones no more than there are workers. */
void settings_worker_cpus(const struct run *run, struct cpu_list *cpus);
/* The same of all the load's own options that differ from their defaults, and of the
 * workers' CPUs where others would be chosen without --cpus. */
bool settings_canonical(const struct run *run, char *text, size_t size);

/* How long a load lasts that nobody ends. Under a harness the end of stdin ends it; started
 * by hand it would be forgotten sooner or later, on a machine that others use, too. */

#define LENGTH_BY_HAND_NS (INT64_C(3600) * 1000000000)
#define LENGTH_BY_HAND    "1h"      /* the same */
#define LENGTH_ENDLESS    "forever" /* for --duration */

/* After the options are known, and checked: without --control and --duration the duration
 * becomes LENGTH_BY_HAND_NS. Says so to people, as the first line of all. */
void length_choose(struct run *run);

/* --nice and --sched: how much the load yields to others. Threads and commands that are
 * started later inherit both. */

/* The words of stress-ng's --sched, but none that would come before others. */
extern const char *const priority_scheds[];
enum priority_sched { SCHED_AS_STARTED, SCHED_AS_OTHER, SCHED_AS_BATCH, SCHED_AS_IDLE };

/* Main thread, before any other is started. What is not allowed ends the program: exit 2. */
void priority_set(const struct run *run);

#endif
