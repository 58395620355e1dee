#ifndef COMMON_PEAK_H
#define COMMON_PEAK_H

#include "common/cpus.h"
#include "common/processor.h"

/* The theoretical peak of arithmetic, but for the clock. An addition of whole numbers is one
 * operation; a multiplication and an addition of floating-point numbers are two, by FMA where
 * the CPU has it (as vendors count; pipes that only add are left out). */
struct peak {
    double per_cycle;  /* operations a cycle of all cores that are used; NAN: not known */
    double of_a_core;  /* the same of one core */
    char source[1024]; /* each factor and where it is from; or "not known here: ..." */
};

/* Of so many threads on the CPUs, which are dealt in their order; values of so many bytes. Two
 * CPUs of one core (SMT) count once, and all together for no more than quota_cpus (INFINITY:
 * no quota). */
void peak_find(struct peak *peak, enum simd simd, bool floating, unsigned value_bytes,
               const struct cpu_list *cpus, unsigned threads, double quota_cpus);

#endif
