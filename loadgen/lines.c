#include "lines.h"

#include <string.h>

char *lines_room(struct lines *lines, size_t *room)
{
    *room = sizeof lines->text - lines->used;
    return lines->text + lines->used;
}

void lines_added(struct lines *lines, size_t count)
{
    lines->used += count;
}

/* Takes so many bytes away from the front. */
static void drop(struct lines *lines, size_t count)
{
    lines->used -= count;
    memmove(lines->text, lines->text + count, lines->used);
}

enum lines_answer lines_take(struct lines *lines, char text[LINES_LONGEST], size_t *length)
{
    for (;;) {
        const char *newline = memchr(lines->text, '\n', lines->used);
        if (newline == NULL)
            break;
        *length = (size_t)(newline - lines->text);
        memcpy(text, lines->text, *length);
        text[*length] = '\0';
        drop(lines, *length + 1);
        if (!lines->skipping)
            return LINES_ONE;
        lines->skipping = false;
    }
    const bool again = lines->skipping, full = lines->used == sizeof lines->text;
    if (again || full)
        lines->used = 0;
    lines->skipping = again || full;
    return full && !again ? LINES_TOO_LONG : LINES_NONE;
}
