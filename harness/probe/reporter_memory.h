#ifndef PROBE_REPORTER_MEMORY_H
#define PROBE_REPORTER_MEMORY_H

/* Memory of the reporters. */

#include <stdbool.h>
#include <stddef.h>

/* Memory at a multiple of 2 MiB, in huge pages where the system gives them on request. */
struct area {
    void *memory;
    size_t bytes;
    void *base; /* of the mapping */
    size_t base_bytes;
};

/* False, with errno: there is none. Untouched. */
bool area_map(struct area *area, size_t bytes);
void area_unmap(struct area *area);
/* Reads one word of each cache line, in order. */
void area_read(const void *memory, size_t bytes);

/* Memory that is far larger than the L3, which several reporters use: touched once. They take
 * the next part for each window, so that no part is used again before all others were: no cache
 * can have it. */
struct shared_area;

/* Untouched. NULL: out of memory. */
struct shared_area *shared_area_new(void);
void shared_area_free(struct shared_area *shared);
/* Touches it, if nobody has. False: there is no memory for it; reason says how much. */
bool shared_area_open(struct shared_area *shared, char *reason, size_t size);
/* The next part, of SHARED_PART_BYTES: a ring for chase_run(), from its beginning on. */
#define SHARED_PART_BYTES ((size_t)4 << 20)
void *shared_area_next(struct shared_area *shared);
/* "thp", "base"; NULL: not touched yet. */
const char *shared_area_pages(const struct shared_area *shared);

#endif
