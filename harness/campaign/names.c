// Names that are fit for a file: texts without the characters that it cannot have.

#include "campaign.h"

#include "common/memory.h"

#include <string.h>

char *safe_text(const char *text, const char *allowed)
{
    char *safe = must(strdup(text)), *to = safe;
    for (; *text != '\0'; text++)
        if (!allowed || strchr(allowed, *text))
            *to++ = *text;
        else if (((unsigned char)*text & 0xC0) != 0x80) // not inside a UTF-8 character
            *to++ = '_';
    *to = '\0';
    return safe;
}
