/* From the records of a bench to bench.json. */
#ifndef BENCH_COLLECT_H
#define BENCH_COLLECT_H

#include <jansson.h>

/* jostle.bench/1 of the folder: by its plan from its records; where it has no records, what
 * its bench.json says. A new reference; NULL after a message. */
json_t *collect(const char *dir);

#endif
