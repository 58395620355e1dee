#include "common/fold.h"

#include "common/visible.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

#define NARROWEST 20

size_t fold_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST ? size.ws_col : 0;
}

/* Moves behind a character and returns its columns, none of a sequence that sets a colour. */
static size_t step(const char **at)
{
    const unsigned char *next = (const unsigned char *)*at;
    if (strncmp(*at, "\033[", 2) == 0) {
        *at += 2 + strspn(*at + 2, "0123456789;");
        *at += **at != '\0';
        return 0;
    }
    visible_next(&next);
    *at = (const char *)next;
    return 1;
}

static bool is_row(const char *line)
{
    size_t gaps = 0;
    for (line += strspn(line, " "); *line != '\0'; line += strspn(line, " ")) {
        line += strcspn(line, " ");
        gaps += strncmp(line, "  ", 2) == 0;
    }
    return gaps > 1;
}

static size_t indent_of(const char *line, size_t columns)
{
    const size_t leading = strspn(line, " "), word = leading + strcspn(line + leading, " ");
    const size_t gap = strspn(line + word, " ");
    return leading > 0 && gap > 1 && word + gap <= columns / 2 ? word + gap : leading + 2;
}

/* How much of the line fits, up to a blank or its end. */
static size_t fitting(const char *line, size_t columns)
{
    const char *at = line + strspn(line, " "), *last = NULL;
    for (size_t used = (size_t)(at - line); *at != '\0'; used += step(&at)) {
        if (*at == ' ')
            last = at;
        if (used >= columns && last != NULL)
            return (size_t)(last - line);
    }
    return (size_t)(at - line);
}

static void put_line(FILE *out, const char *line, size_t columns)
{
    const size_t indent = indent_of(line, columns);
    const bool whole = columns == 0 || is_row(line);
    size_t length = whole ? strlen(line) : fitting(line, columns);
    fwrite(line, 1, length, out);
    for (line += length; *line != '\0'; line += length) {
        line += strspn(line, " ");
        length = fitting(line, columns - indent);
        if (length > 0)
            fprintf(out, "\n%*s%.*s", (int)indent, "", (int)length, line);
    }
}

char *fold_text(const char *text, size_t columns)
{
    char *folded = NULL, *lines = strdup(text), *rest = lines;
    size_t size;
    FILE *out = lines == NULL ? NULL : open_memstream(&folded, &size);
    for (char *line = strsep(&rest, "\n"); out != NULL && line != NULL;
         line = strsep(&rest, "\n")) {
        put_line(out, line, columns);
        if (rest != NULL)
            putc('\n', out);
    }
    free(lines);
    if (out == NULL || fclose(out) != 0) {
        free(folded);
        return NULL;
    }
    return folded;
}
