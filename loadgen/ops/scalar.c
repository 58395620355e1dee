/* loadgen ops without vectors, as the compiler has it for any machine of this kind. */

#if defined(__FP_FAST_FMA)
#define FUSED true
#else
#define FUSED false
#endif
#define BYTES 0
#define TABLE ops_scalar
#include "ops/vector.h"
