// The order of the conditions in a block.
#ifndef STATS_BLOCK_ORDER_H
#define STATS_BLOCK_ORDER_H

#include <stdbool.h>
#include <stddef.h>

// Fills order[0 .. conditions-1] for that block (from 1). The first `unloaded` conditions
// are those without a load; `balanced`: every second block opens where the one before closes. It
// depends on the seed and the block alone, so an experiment that is resumed continues as it would
// have.
void block_order(unsigned long seed, size_t block, size_t *order, size_t conditions,
                 size_t unloaded, bool balanced);

#endif
