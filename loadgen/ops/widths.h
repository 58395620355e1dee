// The kernels of loadgen ops, for each width of vectors.
#ifndef LOADGEN_OPS_WIDTHS_H
#define LOADGEN_OPS_WIDTHS_H

// The kernels of loadgen ops: arithmetic on registers alone, as fast as the CPU starts
// instructions. What is counted: an integer addition is one operation; of a floating-point
// kernel, x = x * a + b is two, whether one instruction does it (FMA) or two; and each lane
// of a vector counts.

#include "common/processor.h"

#include <stdbool.h>
#include <stdint.h>

enum ops_type {
    OPS_INT8,
    OPS_INT16,
    OPS_INT32,
    OPS_INT64,
    OPS_HALF,
    OPS_SINGLE,
    OPS_DOUBLE,
    OPS_TYPES
};

// A step is one value (vector) that gets its next one: x = x + b, or x = x * a + b.
struct ops_kernel {
    // So many blocks, at most OPS_MOST_BLOCKS. Whether all values are then what they have to
    // be; `spoil` is added to what is expected: 0, or 1 to see that the check can fail. NULL: this
    // CPU, its operating system, or this build lacks it.
    bool (*run)(unsigned blocks, unsigned spoil);
    unsigned lanes;      // values of a vector
    unsigned operations; // of a step in one lane
    double block;        // operations of one block
};

// A block is so many turns of so many steps of each value: some 4 to 12 us. No multiple of
// 256, which 8 bits could not tell from none.
#define OPS_UNROLL 16
#define OPS_TURNS  257
// Half precision counts whole numbers up to 2048: the steps of a block, and the numbers of
// blocks, lanes and values.
#define OPS_TURNS_HALF  64
#define OPS_MOST_BLOCKS 64

// ---- widths.c ----

extern const char *const ops_type_names[]; // by enum ops_type, ended by NULL
unsigned ops_type_bytes(enum ops_type type);
struct ops_kernel ops_kernel_of(enum simd simd, enum ops_type type);
// The widest in which this CPU computes with the type; SIMDS: it does not.
enum simd ops_widest(enum ops_type type);

#endif
