#include "common/messages.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_NAME 64

/* One write, so that lines of several processes do not mix. */
static void __attribute__((format(printf, 1, 0))) say(const char *format, va_list arguments)
{
    static const char prefix[] = "jostle: ";
    char line[4096];
    const size_t start = sizeof prefix - 1, most = sizeof line - start - 1;
    memcpy(line, prefix, start);
    const int length = vsnprintf(line + start, most, format, arguments);
    size_t end = start;
    if (length > 0)
        end += (size_t)length < most ? (size_t)length : most - 1;
    line[end++] = '\n';
    /* When stderr is gone, too, nobody is left to hear it. */
    if (write(STDERR_FILENO, line, end) < 0)
        return;
}

bool complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return false;
}

void usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    exit(2);
}

/* Levenshtein's distance; words are cut to LONGEST_NAME. */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1];
    const size_t height = strnlen(a, LONGEST_NAME), width = strnlen(b, LONGEST_NAME);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= height; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t above = row[j];
            size_t least = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < least)
                least = above + 1;
            if (row[j - 1] + 1 < least)
                least = row[j - 1] + 1;
            row[j] = least;
            diagonal = above;
        }
    }
    return row[width];
}

const char *nearest_name(const char *word, const char *const *names)
{
    const char *best = NULL;
    // A third of the letters may differ; the dashes of an option are none.
    size_t least = (strlen(word) - strspn(word, "-")) / 3 + 1;
    for (; *names != NULL; names++) {
        const size_t far = distance(word, *names);
        if (far <= least && (best == NULL || far < least)) {
            best = *names;
            least = far;
        }
    }
    return best;
}
