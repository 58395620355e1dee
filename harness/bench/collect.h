/* From the records of a bench to bench.json. */
#ifndef BENCH_COLLECT_H
#define BENCH_COLLECT_H

#include <jansson.h>

/* A record in the folder. A new reference; NULL after a message. */
json_t *collect_load(const char *dir, const char *name);

/* jostle.bench/1 of the folder: by its plan from its records; where it has no records, what
 * its bench.json says. A new reference; NULL after a message. */
json_t *bench_collect(const char *dir);

#endif
