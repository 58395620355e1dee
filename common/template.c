// Fills in what stands between braces in a text.

#include "common/template.h"

#include "common/memory.h"

#include <string.h>

// The brace that closes the one at text; NULL: there is none.
static const char *closing(const char *text)
{
    size_t depth = 0;
    for (const char *at = text; *at != '\0'; at++) {
        depth += *at == '{';
        if (*at == '}' && --depth == 0)
            return at;
    }
    return NULL;
}

char *template_fill(const char *text, enum template_braces braces, template_put *put, void *context)
{
    char *made = NULL;
    size_t size = 0;
    FILE *stream = must(open_memstream(&made, &size));
    while (*text != '\0') {
        const bool brace = *text == '{' || *text == '}',
                   twice = braces == BRACES_DOUBLED && brace && text[1] == *text;
        const char *end = *text == '{' && !twice ? closing(text) : NULL;
        if (end && put(stream, text + 1, (size_t)(end - text) - 1, context)) {
            text = end + 1;
            continue;
        }
        fputc(*text, stream);
        text += twice ? 2 : 1;
    }
    return stream_text(stream, &made);
}

static bool put_name(FILE *stream, const char *place, size_t length, void *context)
{
    const struct template_name *name = context;
    while (name->name && (strlen(name->name) != length || memcmp(name->name, place, length) != 0))
        name++;
    if (name->name)
        fputs(name->text, stream);
    return name->name != NULL;
}

char *template_fill_names(const char *text, const struct template_name *names)
{
    return template_fill(text, BRACES_ALONE, put_name, (void *)names);
}
