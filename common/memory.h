#ifndef COMMON_MEMORY_H
#define COMMON_MEMORY_H

// Memory that is there, or the program ends with a message: neither a report nor a decision
// without memory has anything to fall back on, and the records are on the disk.

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// In front of a local pointer to memory that is to be freed: it is when its block is left, however
// that happens. What is handed on to somebody else, or returned, is not declared so.
#define OWNED __attribute__((cleanup(owned_free)))
void owned_free(void *variable);

void *must(void *memory);
// Room for one more element behind used of them; doubles *allocated when full.
void *grown(void *array, size_t used, size_t *allocated, size_t element_size);
// The element behind the last one of a list {item, count, allocated}, which has one more then:
// MORE(list) = element. What is assigned must not look at the list.
#define MORE(list)                                                                                 \
    (*({                                                                                           \
        typeof(list) more_of = (list);                                                             \
        more_of->item =                                                                            \
            grown(more_of->item, more_of->count, &more_of->allocated, sizeof *more_of->item);      \
        &more_of->item[more_of->count++];                                                          \
    }))

// Memory that is freed all at once.
struct arena {
    void **item;
    size_t count, allocated;
};

// Zeroed memory.
void *arena_take(struct arena *arena, size_t size);
// An array with room for one more, zeroed, behind its count elements: a copy where it has any.
void *arena_more(struct arena *arena, const void *array, size_t count, size_t size);
// Takes over a block that malloc() made; NULL: memory has run out. Returns it.
void *arena_keep(struct arena *arena, void *block);
char *arena_format(struct arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *arena_vformat(struct arena *arena, const char *format, va_list arguments);
// Empties from into to.
void arena_move(struct arena *to, struct arena *from);
void arena_free(struct arena *arena);

// Text as printf makes it, to be freed.
char *text_of(const char *format, ...) __attribute__((format(printf, 1, 2)));
// Closes a stream of open_memstream; its text, to be freed.
char *stream_text(FILE *stream, char **text);
// "a, b": more behind text, which is freed; text NULL or "": more alone.
char *text_joined(char *text, const char *separator, const char *more);
// A text with `by` wherever it has `what`, to be freed.
char *text_replaced(const char *text, const char *what, const char *by);
// As text_joined(), of what printf makes, without a separator.
char *text_added(char *text, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
