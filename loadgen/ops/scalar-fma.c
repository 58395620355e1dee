/* loadgen ops without vectors, with FMA. */

#if defined(__x86_64__)
#pragma GCC target("fma")

#define BYTES 0
#define TABLE ops_scalar_fma
#include "ops/vector.h"
#endif
