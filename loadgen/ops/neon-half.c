/* loadgen ops in half precision with vectors of 16 bytes: FEAT_FP16 of Armv8.2. */

#if defined(__aarch64__) && !defined(__clang__)
#pragma GCC target("arch=armv8.2-a+fp16")

#include <arm_neon.h>

#define BYTES 16
#define HALF
#define TABLE ops_neon_half
#define FUSED(value, factor, step)                                                                 \
    ((vector)vfmaq_f16((float16x8_t)(value), (float16x8_t)(factor), (float16x8_t)(step)))
#include "ops/vector.h"
#endif
