#include "visible.h"

#include "common/memory.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>

char *visible(const char *text)
{
    return must(visible_copy(text));
}

void visible_put(struct line *json, const char *name, const char *text)
{
    char *plain = text == NULL ? NULL : visible(text);
    line_text(json, name, plain);
    free(plain);
}

char *visible_label(const char *text, unsigned most)
{
    char *plain = visible(text), *result = must(malloc(5 * strlen(plain) + 4)), *out = result;
    unsigned count = 0, all = 0;
    for (const unsigned char *c = (const unsigned char *)plain; *c != '\0'; all++)
        visible_next(&c);
    for (const unsigned char *c = (const unsigned char *)plain; *c != '\0'; count++) {
        const unsigned char *start = c;
        if (all > most && count == most - 1) {
            out = stpcpy(out, "…");
            break;
        }
        visible_next(&c);
        out = *start == '&'   ? stpcpy(out, "&amp;")
              : *start == '<' ? stpcpy(out, "&lt;")
                              : mempcpy(out, start, (size_t)(c - start));
    }
    *out = '\0';
    free(plain);
    return result;
}
