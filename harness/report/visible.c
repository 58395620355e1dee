#include "visible.h"

#include "memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The character at *text, which is UTF-8; moves on to the next. */
static unsigned long next_code(const unsigned char **text)
{
    const unsigned char *c = *text;
    const unsigned more = *c < 0xc0 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
    unsigned long code = more == 0 ? *c : *c & (0x3fU >> more);
    for (unsigned i = 1; i <= more && c[i] != '\0'; i++)
        code = code << 6 | (c[i] & 0x3fU);
    *text += 1 + more;
    return code;
}

static bool hidden(unsigned long code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
           code == 0xfeff;
}

static const char *name_of(unsigned long code, char *text, size_t size)
{
    switch (code) {
    case '\n':
        return "\\n";
    case '\t':
        return "\\t";
    case '\r':
        return "\\r";
    case '\x1b':
        return "\\e";
    default:
        snprintf(text, size, "\\u{%04lx}", code);
        return text;
    }
}

char *visible(const char *text)
{
    char *result = must(malloc(8 * strlen(text) + 1)), *out = result, name[16];
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const unsigned char *start = c;
        const unsigned long code = next_code(&c);
        if (hidden(code))
            out = stpcpy(out, name_of(code, name, sizeof name));
        else
            out = mempcpy(out, start, (size_t)(c - start));
    }
    *out = '\0';
    return result;
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
        next_code(&c);
    for (const unsigned char *c = (const unsigned char *)plain; *c != '\0'; count++) {
        const unsigned char *start = c;
        if (all > most && count == most - 1) {
            out = stpcpy(out, "…");
            break;
        }
        next_code(&c);
        out = *start == '&'   ? stpcpy(out, "&amp;")
              : *start == '<' ? stpcpy(out, "&lt;")
                              : mempcpy(out, start, (size_t)(c - start));
    }
    *out = '\0';
    free(plain);
    return result;
}
