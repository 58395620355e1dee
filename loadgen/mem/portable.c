/* loadgen mem for any machine: what the compiler makes of vectors of 16 bytes, and
 * no non-temporal stores. */

#define BYTES 16
#define TABLE mem_portable
#include "mem/vector.h"
