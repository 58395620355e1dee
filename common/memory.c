// Gives memory that is there, arenas that are freed at once, and texts as printf makes them.
#include "memory.h"

#include "common/messages.h"

#include <stdlib.h>
#include <string.h>

void owned_free(void *variable)
{
    void *memory;
    memcpy(&memory, variable, sizeof memory); // whatever it points to
    free(memory);
}

void *must(void *memory)
{
    if (!memory) {
        complain("no memory left: free some (for a report: select fewer cells with --only)");
        exit(1);
    }
    return memory;
}

void *grown(void *array, size_t used, size_t *allocated, size_t element_size)
{
    if (used < *allocated)
        return array;
    *allocated = 2 * *allocated + 4;
    return must(reallocarray(array, *allocated, element_size));
}

static char *formatted(const char *format, va_list arguments)
{
    char *text = NULL;
    const int length = vasprintf(&text, format, arguments);
    return must(length < 0 ? NULL : text);
}

char *text_of(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = formatted(format, arguments);
    va_end(arguments);
    return text;
}

char *stream_text(FILE *stream, char **text)
{
    return must(fclose(stream) == 0 ? *text : NULL);
}

char *text_joined(char *text, const char *separator, const char *more)
{
    const bool first = !text || *text == '\0';
    char *longer = text_of("%s%s%s", first ? "" : text, first ? "" : separator, more);
    free(text);
    return longer;
}

char *text_replaced(const char *text, const char *what, const char *by)
{
    char *whole = NULL;
    size_t size;
    FILE *stream = must(open_memstream(&whole, &size));
    for (const char *at; (at = strstr(text, what)) != NULL; text = at + strlen(what))
        fprintf(stream, "%.*s%s", (int)(at - text), text, by);
    fputs(text, stream);
    return stream_text(stream, &whole);
}

char *text_added(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    OWNED char *more = formatted(format, arguments);
    va_end(arguments);
    return text_joined(text, "", more);
}

void *arena_keep(struct arena *arena, void *block)
{
    return MORE(arena) = must(block);
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

char *arena_vformat(struct arena *arena, const char *format, va_list arguments)
{
    return arena_keep(arena, formatted(format, arguments));
}

char *arena_format(struct arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    char *text = arena_vformat(arena, format, arguments);
    va_end(arguments);
    return text;
}

void arena_move(struct arena *to, struct arena *from)
{
    for (size_t i = 0; i < from->count; i++)
        arena_keep(to, from->item[i]);
    free(from->item);
    *from = (struct arena){0};
}

void arena_free(struct arena *arena)
{
    for (size_t i = 0; i < arena->count; i++)
        free(arena->item[i]);
    free(arena->item);
    *arena = (struct arena){0};
}
