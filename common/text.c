#include "common/text.h"

#include <string.h>

const char *text_after(const char *text, const char *prefix)
{
    const size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

bool text_ends(const char *text, const char *end)
{
    const size_t length = strlen(text), wanted = strlen(end);
    return length >= wanted && strcmp(text + length - wanted, end) == 0;
}

size_t text_before(const char *text, const char *end)
{
    const size_t length = strlen(text), less = strlen(end);
    return length > less && text_ends(text, end) ? length - less : length;
}
