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
    memcpy(&memory, variable, sizeof memory); /* whatever it points to */
    free(memory);
}

void *must(void *memory)
{
    if (memory == NULL) {
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

char *text_of(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    const int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    return must(length < 0 ? NULL : text);
}

char *stream_text(FILE *stream, char **text)
{
    return must(fclose(stream) == 0 ? *text : NULL);
}

char *text_joined(char *text, const char *separator, const char *more)
{
    const bool first = text == NULL || *text == '\0';
    char *longer = text_of("%s%s%s", first ? "" : text, first ? "" : separator, more);
    free(text);
    return longer;
}
