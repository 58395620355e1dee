#ifndef COMMON_PORTS_H
#define COMMON_PORTS_H

#include "common/cpus.h"

#include "processor.h"

#include <stdbool.h>
#include <stddef.h>

// How many instructions a cycle a kind of processor can start.

// What a kernel repeats.
enum step {
    STEP_ADD,         // an integer addition: one instruction
    STEP_FMA,         // x * a + b in one instruction
    STEP_MULTIPLY_ADD // in two
};

// Steps a cycle, by vectors of 64, 32, 16 bytes, and without; 0: it has no such instruction.
struct ports {
    const char *name;    // "AMD Zen 4"
    const char *source;  // of the numbers
    unsigned generation; // of its vendor's, on x86
    double add[4], fma[4];
    double multiply_add; // of 16 bytes or less
};

// What code of this width repeats: SSE2 has no FMA, code without vectors uses it where the CPU
// has it.
enum step ports_step(enum simd simd, bool floating);
// The ports of this machine's CPUs by vendor, family and model (Arm: implementer and part) in
// /proc/cpuinfo (below JOSTLE_KERNEL_ROOT), or by its flags, where the model that a hypervisor
// states has not got them: reason then says so, and is empty elsewhere. NULL: not known, and
// reason says why.
const struct ports *ports_find(char *reason, size_t size);
// Steps a cycle; 0: none, or not known, as of what a compiler chooses.
double ports_steps(const struct ports *ports, enum simd simd, enum step step);

// The theoretical peak of arithmetic, but for the clock. An addition of whole numbers is one
// operation; a multiplication and an addition of floating-point numbers are two, by FMA where
// the CPU has it (as vendors count; pipes that only add are left out).
struct peak {
    double per_cycle;  // operations a cycle of all cores that are used; NAN: not known
    double of_a_core;  // the same of one core
    char source[1024]; // each factor and where it is from; or "not known here: ..."
};

// What is computed: by which vectors, with values of which kind.
struct arithmetic {
    enum simd simd;
    bool floating; // else whole numbers
    unsigned value_bytes;
};

// Finds the peak of so many threads on the CPUs, which are dealt in their order. Two CPUs of one
// core (SMT) count once, and all together for no more than quota_cpus (INFINITY: no quota).
void peak_find(struct peak *peak, const struct arithmetic *what, const struct cpu_list *cpus,
               unsigned threads, double quota_cpus);

#endif
