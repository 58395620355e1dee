#include "memory.h"

#include "common/messages.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
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
    *allocated = 2 * *allocated + 16;
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

char *text_added(char *text, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    OWNED char *more = formatted(format, arguments);
    va_end(arguments);
    return text_joined(text, "", more);
}
