/* Which row of a part is shown as its answer. */
#ifndef BENCH_BEST_H
#define BENCH_BEST_H

#include <jansson.h>

/* The index of the row with the highest figure of which more is better, of those that nothing is
 * to be said against, and that are not of a cache; null: there is none. A new reference. */
json_t *best_row(const json_t *part);

#endif
