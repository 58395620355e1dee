// Programs of the machine made of equations: those drawn at random, and its loads and reporters,
// which are programs whose demands are known.
#ifndef SIMULATE_MACHINE_PROGRAMS_H
#define SIMULATE_MACHINE_PROGRAMS_H

#include "machine.h"

#include <gsl/gsl_rng.h>

enum machine_kind { MACHINE_CPU, MACHINE_MEM, MACHINE_CACHE, MACHINE_IO, MACHINE_KINDS };
enum machine_reporter {
    MACHINE_GAP,
    MACHINE_ADDS,
    MACHINE_L3,
    MACHINE_MEMORY,
    MACHINE_READ,
    MACHINE_DISK,
    MACHINE_REPORTERS
};

// As the kinds and reporters of `jostle probe` are called.
const char *machine_kind_name(enum machine_kind kind);
const char *machine_reporter_name(enum machine_reporter reporter);

// A program of about 0.4 s: computing, loads from cache and memory, operations on disk, in shares
// that are drawn at random.
struct demand machine_draw(const struct machine *machine, gsl_rng *rng);

// The load of that kind at a level from 0 to 1.
struct demand machine_load(const struct machine *machine, enum machine_kind kind, double level);

struct demand machine_reporter(const struct machine *machine, enum machine_reporter reporter);

// The reading of a reporter beside a neighbour (NULL: none): positive is worse than alone, the
// log ratio of its times; for the gap, of the CPU time that it gets.
double machine_reading(const struct machine *machine, enum machine_reporter reporter,
                       const struct demand *neighbour, bool same_core);

#endif
