// The kernels for one width of vectors. Who includes this defines, after the target,
//
//     BYTES   of a vector; 0: of single values
//     TABLE   name of the function that returns the kernels
//     FUSED(value, factor, step)  value + factor * step in one instruction, where the compiler
//             would need a second for value * factor + step; or nothing
//
// and includes this, which undefines it. No include guard: it is a template. With HALF defined the
// table has half precision in place of all others.

// The functions of a table have its name in front of theirs.
#define JOIN(table, name)  table##_##name
#define UNDER(table, name) JOIN(table, name)
#define OWN(name)          UNDER(TABLE, name)

#if BYTES > 0
#define LANES(ELEMENT)          (BYTES / sizeof(ELEMENT))
#define VECTOR(ELEMENT)         ELEMENT __attribute__((vector_size(BYTES)))
#define INTEGER_REGISTER(value) VECTOR_REGISTER(value)
#else
#define LANES(ELEMENT)          1
#define VECTOR(ELEMENT)         ELEMENT
#define INTEGER_REGISTER(value) "+r"(value)
#endif

// aarch64 has 32 registers, and latencies that need more values than 16 leave room for: 9 cycles
// of 2 instructions each for FMA on A64FX.
#if defined(__aarch64__)
#define MANY_VALUES
#endif

#if defined(__AVX512F__)
#define VECTOR_REGISTER(value) "+v"(value)
#elif defined(__x86_64__)
#define VECTOR_REGISTER(value) "+x"(value)
#elif defined(__aarch64__)
#define VECTOR_REGISTER(value) "+w"(value)
#else
#define VECTOR_REGISTER(value) "+m"(value)
#endif

// To keep a value to 8 or 16 bits of a register takes aarch64 a second instruction.
#if BYTES == 0 && defined(__aarch64__)
#define IN_32_BITS
#define RUN_INT8  OWN(run_int32)
#define RUN_INT16 OWN(run_int32)
#else
#define RUN_INT8  OWN(run_int8)
#define RUN_INT16 OWN(run_int16)
#endif

#ifdef HALF
#define NAME    OWN(run_half)
#define ELEMENT _Float16
#define TURNS   OPS_TURNS_HALF
#include "ops/kernel.h"
#else
#ifndef IN_32_BITS
#define NAME    OWN(run_int8)
#define ELEMENT uint8_t
#define INTEGER
#include "ops/kernel.h"
#define NAME    OWN(run_int16)
#define ELEMENT uint16_t
#define INTEGER
#include "ops/kernel.h"
#endif
#define NAME    OWN(run_int32)
#define ELEMENT uint32_t
#define INTEGER
#include "ops/kernel.h"
#define NAME    OWN(run_int64)
#define ELEMENT uint64_t
#define INTEGER
#include "ops/kernel.h"
#define NAME    OWN(run_single)
#define ELEMENT float
#include "ops/kernel.h"
#define NAME    OWN(run_double)
#define ELEMENT double
#include "ops/kernel.h"
#endif

// Values in flight, as kernel.h has them.
#define WHOLE_VALUES (BYTES == 0 ? 8 : 12)
#ifdef MANY_VALUES
#define REAL_VALUES 20
#else
#define REAL_VALUES (BYTES > 16 ? 12 : 14)
#endif

#define KERNEL(RUN, ELEMENT, VALUES, OPERATIONS, TURNS)                                            \
    {                                                                                              \
        .run = RUN, .lanes = LANES(ELEMENT), .operations = OPERATIONS,                             \
        .block = 1.0 * TURNS * OPS_UNROLL * VALUES * LANES(ELEMENT) * OPERATIONS                   \
    }
#define WHOLE(RUN, ELEMENT) KERNEL(RUN, ELEMENT, WHOLE_VALUES, 1, OPS_TURNS)
#define REAL(RUN, ELEMENT)  KERNEL(RUN, ELEMENT, REAL_VALUES, 2, OPS_TURNS)

const struct ops_kernel *TABLE(void)
{
    static const struct ops_kernel table[OPS_TYPES] = {
#ifdef HALF
        [OPS_HALF] = KERNEL(OWN(run_half), _Float16, REAL_VALUES, 2, OPS_TURNS_HALF),
#else
        [OPS_INT8] = WHOLE(RUN_INT8, uint8_t),
        [OPS_INT16] = WHOLE(RUN_INT16, uint16_t),
        [OPS_INT32] = WHOLE(OWN(run_int32), uint32_t),
        [OPS_INT64] = WHOLE(OWN(run_int64), uint64_t),
        [OPS_SINGLE] = REAL(OWN(run_single), float),
        [OPS_DOUBLE] = REAL(OWN(run_double), double),
#endif
    };
    return table;
}

// All that another width has otherwise.
#undef TABLE
#undef BYTES
#undef HALF
#undef FUSED
#undef LANES
#undef VECTOR
#undef INTEGER_REGISTER
#undef VECTOR_REGISTER
#undef REAL_VALUES
#undef IN_32_BITS
#undef RUN_INT8
#undef RUN_INT16
