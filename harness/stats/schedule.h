// Which condition comes when: every block has each once, in random order.
//
// Blocks come in pairs, and the second is the mirror image of the first. In each pair the
// loaded conditions have a new random order, and the first condition, which is the baseline,
// opens or closes the first block by a coin. So a linear drift cancels within a pair; and
// within 2 k blocks the baseline follows an unloaded run (itself) at least k / 2 times and at
// most k, whatever the number of loads. With all orders equally likely it would do so in one
// block of (number of conditions)^2, which is too rare to see a carry-over (carry_over.h).
// With variants the unloaded conditions, one of each, take the baseline's place as a group,
// in random order: the variants are compared alone with at most as many runs between them,
// and at most one of them follows a loaded run in a block.
#ifndef STATS_SCHEDULE_H
#define STATS_SCHEDULE_H

#include <stddef.h>

// Fills order[0 .. conditions-1] for that block (from 1). The first `unloaded` conditions
// are those without a load. It depends on the seed and the block alone, so an experiment
// that is resumed continues as it would have.
void schedule_block(unsigned long seed, size_t block, size_t *order, size_t conditions,
                    size_t unloaded);

#endif
