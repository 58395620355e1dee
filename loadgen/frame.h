#ifndef LOADGEN_FRAME_H
#define LOADGEN_FRAME_H

/* What the files of the frame share: loads do without it. */

#include "load.h"

/* ---- settings.c: the command line of a load: its own options, and those that every load has ----
 */

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

/* After the options are known, and checked: without --control and --duration the duration
 * becomes LENGTH_BY_HAND_NS. Says so to people, as the first line of all. */
void length_choose(struct run *run);

/* --nice and --sched: how much the load yields to others. Threads and commands that are
 * started later inherit both. */

/* Main thread, before any other is started. What is not allowed ends the program: exit 2. */
void priority_set(const struct run *run);

/* ---- engine.c ---- */

/* Workers: threads that are started paused, run, are paused, and end. Callable
 * from the main thread only. Used by the control plane; a load's calibration
 * may drive it by itself. */

/* What the engine reports to its driver, from any thread. */
enum engine_event { ENGINE_RUNNING, ENGINE_IDLE, ENGINE_FAILED };
typedef void engine_listener(void *context, enum engine_event event);

/* Makes run->engine, after which run_fail() may be used. listener may be NULL. */
int engine_create(struct run *run, engine_listener *listener, void *context);
/* Starts run->threads workers, paused; returns when all have begun. 0, or -1
 * with the reason in failure_of(). */
int engine_start(struct run *run);
/* Before the first resume: operations become due, and time counts, for exactly
 * so long after it, whenever the pause that follows may come. */
void engine_set_length(struct run *run, int64_t length_ns);
void engine_resume(struct run *run);
/* Asks the workers to pause; engine_wait_idle() waits until they have. */
void engine_pause(struct run *run);
void engine_wait_idle(struct run *run);
/* A new rate from now on. */
void engine_set_rate(struct run *run, double rate);
/* Pauses, ends and joins all workers. Safe to call twice. */
void engine_stop(struct run *run);
void engine_free(struct run *run);
/* Where the kernel lets the workers (or the load's process) run at this moment,
 * all of them together: others may have changed it. Empty when there are none. */
void engine_cpus(const struct run *run, struct cpu_list *list);

/* Why the load failed (run_fail() and worker_fail() of load.h), or NULL. */
const char *failure_of(const struct run *run);

/* What a run has offered, done and used so far. */

/* Figures since the start. */
void accounting_snapshot(struct run *run, struct snapshot *snapshot);
/* window = later - earlier. */
void accounting_difference(const struct snapshot *later, const struct snapshot *earlier,
                           struct snapshot *window);

/* ---- room.c ---- */

/* Main thread, after check(): the same of what was claimed and what all workers need besides. */
void room_claim_workers(struct run *run);
/* From now on the control plane looks from time to time whether memory is short, and
 * then fails the run. Nothing for a load that holds so little that its end would not help. */
void room_watch(struct run *run);
/* After the loop has closed its handles. */
void room_free(struct run *run);

/* ---- control.c ---- */

/* The control plane: stdin's lines, signals, timers, on one libuv loop in the
 * main thread. Runs a checked load until it ends; returns the exit code. */
int control_run(struct run *run);

#endif
