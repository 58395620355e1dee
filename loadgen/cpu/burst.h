#ifndef LOADGEN_CPU_BURST_H
#define LOADGEN_CPU_BURST_H

/* A worker's share of a CPU, in short bursts.
 *
 * The quantum is CPU time, read from the thread's own clock, so the cost of waking up,
 * reading clocks and control is part of the load, and no table for the machine is
 * needed. Open loop in time: at time t after the start a worker should have used
 * demand(t) = share * t; period by period it spins until it has, and sleeps until the
 * next period, at absolute times. What could not be used (a busier neighbour, a quota)
 * is owed for 100 ms, and then dropped and counted. */

struct worker;

/* load.h's begin, work and end. */
int cpu_burst_begin(struct worker *worker);
void cpu_burst_work(struct worker *worker);
void cpu_burst_end(struct worker *worker);

#endif
