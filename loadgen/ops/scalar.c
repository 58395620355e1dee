/* loadgen ops without vectors, as the compiler has it for any machine of this kind. */

#define BYTES 0
#define TABLE ops_scalar
#include "ops/vector.h"
