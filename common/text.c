#include "text.h"

#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/ioctl.h>

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

enum { MOST = 6 };

int decimals_apart(int decimals, double low, double high, double number)
{
    const double gap = low > number ? low - number : number - high; // of the nearer bound
    while (gap > 0 && decimals < MOST && gap * pow(10, decimals) < 0.5)
        decimals++;
    return decimals;
}

const char *date_utc(time_t time, char text[DATE_SIZE])
{
    struct tm utc;
    if (!gmtime_r(&time, &utc) || strftime(text, DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
    return text;
}

#define NARROWEST 20

size_t fold_columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col >= NARROWEST ? size.ws_col : 0;
}

// Moves behind a character and returns its columns, none of a sequence that sets a colour.
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

// How much of the line fits, up to a blank or its end.
static size_t fitting(const char *line, size_t columns)
{
    const char *at = line + strspn(line, " "), *last = NULL;
    for (size_t used = (size_t)(at - line); *at != '\0'; used += step(&at)) {
        if (*at == ' ')
            last = at;
        if (used >= columns && last)
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
    FILE *out = !lines ? NULL : open_memstream(&folded, &size);
    for (char *line = strsep(&rest, "\n"); out && line; line = strsep(&rest, "\n")) {
        put_line(out, line, columns);
        if (rest)
            putc('\n', out);
    }
    free(lines);
    if (!out || fclose(out) != 0) {
        free(folded);
        return NULL;
    }
    return folded;
}

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
    if (!result)
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

// glibc has sigabbrev_np() since 2.32.
static const char *const names[] = {
    [SIGHUP] = "HUP",   [SIGINT] = "INT",       [SIGQUIT] = "QUIT", [SIGILL] = "ILL",
    [SIGTRAP] = "TRAP", [SIGABRT] = "ABRT",     [SIGBUS] = "BUS",   [SIGFPE] = "FPE",
    [SIGKILL] = "KILL", [SIGUSR1] = "USR1",     [SIGSEGV] = "SEGV", [SIGUSR2] = "USR2",
    [SIGPIPE] = "PIPE", [SIGALRM] = "ALRM",     [SIGTERM] = "TERM", [SIGSTKFLT] = "STKFLT",
    [SIGCHLD] = "CHLD", [SIGCONT] = "CONT",     [SIGSTOP] = "STOP", [SIGTSTP] = "TSTP",
    [SIGTTIN] = "TTIN", [SIGTTOU] = "TTOU",     [SIGURG] = "URG",   [SIGXCPU] = "XCPU",
    [SIGXFSZ] = "XFSZ", [SIGVTALRM] = "VTALRM", [SIGPROF] = "PROF", [SIGWINCH] = "WINCH",
    [SIGPOLL] = "POLL", [SIGPWR] = "PWR",       [SIGSYS] = "SYS",
};

int signal_number(const char *text)
{
    char *end;
    const long number = strtol(text, &end, 10);
    if (end != text && *end == '\0')
        return number > 0 && number < NSIG ? (int)number : 0;
    if (strncasecmp(text, "SIG", 3) == 0)
        text += 3;
    for (int i = 1; i < (int)(sizeof names / sizeof names[0]); i++)
        if (names[i] && strcasecmp(text, names[i]) == 0)
            return i;
    return 0;
}

bool signal_check(const char *text, char *error, size_t size)
{
    if (signal_number(text) != 0)
        return true;
    snprintf(error, size, "not a signal: give one such as TERM, INT or QUIT");
    return false;
}
