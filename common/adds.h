#ifndef COMMON_ADDS_H
#define COMMON_ADDS_H

/* A chain of dependent additions: one cycle each on any CPU of today, so the time of each is
 * that of a clock cycle, and neither caches nor memory take part. */

#include <stddef.h>

/* So many additions, a multiple of 16, each of which needs the one before. */
void adds_run(size_t adds);

#endif
