#include "common/visible.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

unsigned long visible_next(const unsigned char **text)
{
    const unsigned char *c = *text;
    const unsigned more = *c < 0xc0 ? 0 : *c < 0xe0 ? 1 : *c < 0xf0 ? 2 : 3;
    unsigned long code = more == 0 ? *c : *c & (0x3fU >> more);
    unsigned length = 1;
    for (; length <= more && (c[length] & 0xc0) == 0x80; length++)
        code = code << 6 | (c[length] & 0x3fU);
    *text += length;
    return length == 1 + more ? code : 0xfffd;
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

char *visible_copy(const char *text)
{
    char *result = malloc(8 * strlen(text) + 1), *out = result, name[16];
    if (result == NULL)
        return NULL;
    for (const unsigned char *c = (const unsigned char *)text; *c != '\0';) {
        const unsigned char *start = c;
        const unsigned long code = visible_next(&c);
        if (hidden(code))
            out = stpcpy(out, name_of(code, name, sizeof name));
        else
            out = mempcpy(out, start, (size_t)(c - start));
    }
    *out = '\0';
    return result;
}
