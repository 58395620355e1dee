/* loadgen ops with vectors of 16 bytes: SSE2, which every x86-64 has. It has no FMA. */

#if defined(__x86_64__)
#define BYTES 16
#define TABLE ops_sse2
#include "ops/vector.h"
#endif
