/* How much of a file the page cache holds. */
#ifndef LOADGEN_PAGECACHE_RESIDENT_H
#define LOADGEN_PAGECACHE_RESIDENT_H

#include <stdint.h>

/* Bytes of its part from `from` (a multiple of the page size) on; 0 also where the kernel
 * does not say. */
uint64_t resident_bytes(int fd, uint64_t from, uint64_t bytes);

/* Gives up that part's pages, all that are not dirty. */
void resident_drop(int fd, uint64_t from, uint64_t bytes);

#endif
