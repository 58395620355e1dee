// Which condition comes when: every block has each once, in random order.
#ifndef STATS_SCHEDULE_H
#define STATS_SCHEDULE_H

#include <stddef.h>

// Fills order[0 .. conditions-1] for that block (from 1). It depends on the
// seed and the block alone, so an experiment that is resumed continues
// as it would have.
void schedule_block(unsigned long seed, size_t block, size_t *order, size_t conditions);

#endif
