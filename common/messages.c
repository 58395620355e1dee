// Says on stderr what was wrong and what to do, and makes the standard streams safe.
#include "common/messages.h"

#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LONGEST_NAME 64

// A name may hold line breaks and escape sequences; a message is one line of text. Also the
// control characters beyond ASCII, C2 80 to C2 9F in UTF-8.
static void make_plain(char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        const unsigned char c = (unsigned char)text[i];
        const bool beyond =
            c == 0xc2 && i + 1 < length && ((unsigned char)text[i + 1] & 0xe0) == 0x80;
        if (c < ' ' || c == 0x7f || beyond)
            text[i] = '?';
        if (beyond)
            text[++i] = '?';
    }
}

// What takes the line away on which a terminal shows how far we are; "": it shows none.
static const char *line_away(void)
{
    const char *kind = getenv("TERM");
    return isatty(STDERR_FILENO) == 1 && kind && *kind != '\0' && strcmp(kind, "dumb") != 0
               ? "\r\033[K"
               : "";
}

// One write, so that lines of several processes do not mix.
static void __attribute__((format(printf, 1, 0))) say(const char *format, va_list arguments)
{
    static const char prefix[] = "jostle: ";
    char line[4096];
    const size_t start = sizeof prefix - 1, most = sizeof line - start - 2;
    memcpy(line, prefix, start);
    const int length = vsnprintf(line + start, most, format, arguments);
    size_t end = start;
    if (length > 0)
        end += (size_t)length < most ? (size_t)length : most - 1;
    make_plain(line + start, end - start);
    line[end++] = '\n';
    line[end] = '\0';
    const size_t columns = fold_columns(STDERR_FILENO);
    char *folded = columns == 0 ? NULL : fold_text(line, columns);
    char *whole = NULL;
    const int size = asprintf(&whole, "%s%s", line_away(), folded ? folded : line);
    // When stderr is gone, too, nobody is left to hear it.
    if (size < 0 || write(STDERR_FILENO, whole, (size_t)size) < 0)
        (void)0;
    free(size < 0 ? NULL : whole);
    free(folded);
}

bool complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
    return false;
}

#ifdef __SANITIZE_ADDRESS__
// Wrong use ends the program with memory in its hands, which is no leak: the leak sanitizer asks.
static bool wrong_use;
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void)
{
    return wrong_use;
}
#endif

void usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(format, arguments);
    va_end(arguments);
#ifdef __SANITIZE_ADDRESS__
    wrong_use = true;
#endif
    exit(2);
}

// Levenshtein's distance; words are cut to LONGEST_NAME.
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
    size_t least = strnlen(word + strspn(word, "-"), LONGEST_NAME) / 3 + 1;
    for (; *names; names++) {
        const size_t far = distance(word, *names);
        if (far <= least && (!best || far < least)) {
            best = *names;
            least = far;
        }
    }
    return best;
}

struct hint nearest_hint(const char *word, const char *const *names)
{
    struct hint hint = {""};
    const char *near = nearest_name(word, names);
    if (near)
        snprintf(hint.text, sizeof hint.text, " (did you mean %.100s?)", near);
    return hint;
}

// At exit(). Why an earlier write failed nobody knows any more; where else the output can be read
// knows who has started us (harness/report/layout.bash).
static void close_stdout(void)
{
    const bool failed = ferror(stdout) != 0;
    const char *kept = getenv("JOSTLE_OUTPUT_KEPT");
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    errno = 0;
    if (fflush(stdout) == 0 && !failed)
        return;
    const int why = errno;
    // Unless its reader is gone.
    if (poll(&out, 1, 0) != 1 || (out.revents & POLLERR) == 0)
        complain("cannot write to stdout: %s: %s", why != 0 ? strerror(why) : "is the disk full?",
                 kept && *kept ? kept : "the output is incomplete");
    _exit(1);
}

void streams_open(void)
{
    // The lowest free number is given: in this order it is the one that is closed.
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
            _exit(1); // there may be no stderr to say so
    if (atexit(close_stdout) != 0)
        _exit(1);
}

void pair_put(const char *name, const char *value)
{
    if (!value)
        return;
    fputs(name, stdout);
    putchar('\0');
    fputs(value, stdout);
    putchar('\0');
}

void pair_put_flag(const char *name, bool given)
{
    pair_put(name, given ? "true" : NULL);
}
