/* The charts of a pack. */
#ifndef PACK_CHARTS_H
#define PACK_CHARTS_H

#include <jansson.h>

/* Adds `charts`, with `panels` as those of a bench (harness/bench/drawings.h): the time of a copy
 * and the throughput over the number of copies. */
void charts_add(json_t *pack);

#endif
