#include "name.h"

#include <stdbool.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"
/* Of a name that is given, and of one that is made; @ comes before a load's. */
#define GIVEN_CHARACTERS LETTERS DIGITS "._%-"
#define MADE_CHARACTERS  GIVEN_CHARACTERS "=,+"

const char *name_read(struct arena *arena, const char *text, const char **name)
{
    const size_t length = strspn(text, GIVEN_CHARACTERS);
    const bool named = length > 0 && text[length] == '=';
    *name = named ? arena_format(arena, "%.*s", (int)length, text) : NULL;
    return named ? text + length + 1 : text;
}

char *name_clean(struct arena *arena, const char *text)
{
    char *name = arena_format(arena, "%s", text), *to = name;
    for (const char *from = name; *from != '\0';) {
        const size_t good = strspn(from, MADE_CHARACTERS);
        memmove(to, from, good);
        to += good;
        from += good;
        if (*from == '\0')
            break;
        from += strcspn(from, MADE_CHARACTERS);
        *to++ = '_';
    }
    *to = '\0';
    return name;
}
