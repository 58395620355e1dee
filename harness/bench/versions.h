/* The versions of the peers, which the shell asks them for. */
#ifndef BENCH_VERSIONS_H
#define BENCH_VERSIONS_H

#include <jansson.h>

/* Prints name, program and words of each peer of the plan that is measured, each ended by NUL:
 * the program with these words says its version. */
void versions_print(const json_t *plan);

/* Puts into the peers of the plan what the shell wrote to DIR/bench-peers.tsv, lines NAME, tab,
 * VERSION; null where it has none. */
void versions_put(json_t *plan, const char *dir);

#endif
