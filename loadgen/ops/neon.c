/* loadgen ops with vectors of 16 bytes: NEON, which every aarch64 has. FMLA adds to one of its
 * operands: value * factor + step would need a copy of step before each. */

#if defined(__aarch64__)
#include <arm_neon.h>

#define BYTES 16
#define TABLE ops_neon
#define FUSED(value, factor, step)                                                                 \
    __builtin_choose_expr(                                                                         \
        sizeof((value)[0]) == sizeof(double),                                                      \
        (vector)vfmaq_f64((float64x2_t)(value), (float64x2_t)(factor), (float64x2_t)(step)),       \
        (vector)vfmaq_f32((float32x4_t)(value), (float32x4_t)(factor), (float32x4_t)(step)))
#include "ops/vector.h"
#endif
