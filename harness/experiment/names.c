// Reads and makes names: of variants, revisions and folders.

#include "experiment.h"

#include "common/json.h"
#include "common/memory.h"
#include "common/text.h"

#include <stdio.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"
// The characters of a name that is given, and of one that is made; @ comes before a load's.
#define GIVEN_CHARACTERS LETTERS DIGITS "._%-"
#define MADE_CHARACTERS  GIVEN_CHARACTERS "=,+"

const char *name_read(struct arena *arena, const char *text, const char **name)
{
    const size_t length = strspn(text, GIVEN_CHARACTERS);
    const bool named = length > 0 && text[length] == '=';
    *name = named ? arena_format(arena, "%.*s", (int)length, text) : NULL;
    return named ? text + length + 1 : text;
}

// How many bytes a name has at the beginning of a text: letters of any script, but nothing that is
// not seen, or looks like a blank.
static size_t made_length(const char *text)
{
    char character[8];
    const size_t good = strspn(text, MADE_CHARACTERS), length = utf8_length(text, strlen(text));
    if (good > 0 || length < 2)
        return good;
    snprintf(character, sizeof character, "%.*s", (int)length, text);
    OWNED char *visible = must(visible_copy(character));
    const bool blank = text_is_among(character, (const char *const[]){"\u00a0", "\u3000", NULL}) ||
                       (strncmp(character, "\u2000", 2) == 0 && character[2] <= "\u200a"[2]);
    return strcmp(visible, character) == 0 && !blank ? length : 0;
}

char *name_clean(struct arena *arena, const char *text)
{
    char *name = arena_format(arena, "%s", text), *to = name;
    for (const char *from = name; *from != '\0';) {
        const size_t good = made_length(from);
        memmove(to, from, good);
        to += good;
        from += good;
        if (good > 0 || *from == '\0')
            continue;
        while (*from != '\0' && made_length(from) == 0)
            from++;
        *to++ = '_';
    }
    *to = '\0';
    return name;
}
