// A machine made of equations, on which programs run beside each other: what each suffers is
// known. A core that is shared by fair shares (who computes in short bursts is served at once), a
// last-level cache shared by occupancy, memory whose latency grows with its load as a queue's does,
// a disk with a queue, a clock that falls when more cores are busy. Pure functions, no clock and no
// random numbers.
#ifndef SIMULATE_MACHINE_H
#define SIMULATE_MACHINE_H

#include <stdbool.h>
#include <stddef.h>

enum { MACHINE_PROGRAMS = 8 }; // at once

struct machine {
    double l3_bytes, l2_bytes;
    double l3_s, memory_s; // time of a load from there, on an idle machine
    double bandwidth;      // of memory, bytes per second
    double disk_s;         // service time of an operation
    double turbo;          // how much slower computing is for each further busy core
    double slice_s;        // how long a program has a shared core at a time
    double prompt_s;       // bursts that are served at once are short beside this
    double queue;          // weight of the queue in the latency of memory
    double protect;        // weight of reuse, beside misses, in the share of the cache
};

// What a program does in a lap of its work.
struct demand {
    double compute_s;       // CPU time that depends on nothing but the clock
    double accesses;        // loads that its own L2 does not hold
    double footprint_bytes; // what those that come back range over
    double stream;          // share of the accesses that never come back
    double overlap;         // loads under way at a time
    double disk_ops;        // one after another
    double burst_s;         // CPU time between two waits; 0: it never waits
    double rate;            // laps per second at most; 0: one after another
};

// What a lap takes then, and what the program takes from others.
struct lap {
    double wall_s; // time of a lap, without what it waits for its rate
    double cpu_s;  // of it on a CPU; waiting for a CPU is none
    double cpus;   // CPU time in a second
};

struct machine machine_usual(void);

// All run at the same time, over and over. same_core: they share one CPU; else each has its own.
// At most MACHINE_PROGRAMS.
void machine_run(const struct machine *machine, const struct demand *programs, size_t count,
                 bool same_core, struct lap *laps);

// How many times as long a lap of the first takes beside the others.
double machine_slowdown(const struct machine *machine, const struct demand *programs, size_t count,
                        bool same_core);

#endif
