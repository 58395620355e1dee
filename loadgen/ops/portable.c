/* loadgen ops for any machine: what the compiler makes of vectors of 16 bytes. */

#define BYTES 16
#define TABLE ops_portable
#include "ops/vector.h"
