#ifndef EXPERIMENT_ARENA_H
#define EXPERIMENT_ARENA_H

/* Memory that is freed all at once. Running out of it ends the program. */

#include <stddef.h>

struct arena {
    void **block;
    size_t count;
};

/* Zeroed memory. */
void *arena_take(struct arena *arena, size_t size);
/* An array with room for one more, zeroed, behind its count elements: a copy where it has any. */
void *arena_more(struct arena *arena, const void *array, size_t count, size_t size);
/* Takes over a block that malloc() made; NULL: memory has run out. Returns it. */
void *arena_keep(struct arena *arena, void *block);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void arena_free(struct arena *arena);

#endif
