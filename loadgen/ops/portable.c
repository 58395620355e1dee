/* loadgen ops for any machine: what the compiler makes of vectors of 16 bytes. */

#if defined(__FP_FAST_FMA)
#define FUSED true
#else
#define FUSED false
#endif
#define BYTES 16
#define TABLE ops_portable
#include "ops/vector.h"
