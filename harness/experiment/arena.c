#include "arena.h"

#include "common/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *arena_keep(struct arena *arena, void *block)
{
    void **blocks =
        block == NULL ? NULL : realloc(arena->block, (arena->count + 1) * sizeof *blocks);
    if (blocks == NULL) {
        complain("out of memory: free some");
        exit(EXIT_FAILURE);
    }
    arena->block = blocks;
    arena->block[arena->count++] = block;
    return block;
}

void *arena_take(struct arena *arena, size_t size)
{
    return arena_keep(arena, calloc(1, size));
}

void *arena_more(struct arena *arena, const void *array, size_t count, size_t size)
{
    void *larger = arena_take(arena, (count + 1) * size);
    if (count > 0)
        memcpy(larger, array, count * size);
    return larger;
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    char *text = NULL;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return arena_keep(arena, length < 0 ? NULL : text);
}

void arena_free(struct arena *arena)
{
    for (size_t i = 0; i < arena->count; i++)
        free(arena->block[i]);
    free(arena->block);
    *arena = (struct arena){0};
}
