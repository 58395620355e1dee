// Text: what is visible of it, how wide it is, and where lines are broken.
#include "common/text.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
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

bool text_is_among(const char *text, const char *const *names)
{
    for (; names && *names; names++)
        if (strcmp(text, *names) == 0)
            return true;
    return false;
}

int text_order(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

size_t text_before(const char *text, const char *end)
{
    const size_t length = strlen(text), less = strlen(end);
    return length > less && text_ends(text, end) ? length - less : length;
}

void text_append(char *text, size_t size, const char *separator, const char *format, ...)
{
    va_list arguments;
    size_t used = strlen(text);
    if (used > 0)
        used += (size_t)snprintf(text + used, size - used, "%s", separator);
    va_start(arguments, format);
    if (used < size)
        vsnprintf(text + used, size - used, format, arguments);
    va_end(arguments);
}

size_t text_whole(const char *text, size_t most)
{
    while (most > 0 && ((unsigned char)text[most] & 0xc0) == 0x80)
        most--;
    return most;
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

// The character at *text, which is UTF-8 and not at its end; moves on to the next. One that is cut
// off is U+FFFD, and ends where it was cut: it never moves beyond the end.
static unsigned long visible_next(const unsigned char **text)
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
    const size_t leading = strspn(line, " ");
    const char *gap = strstr(line + leading, "  ");
    const size_t second = !gap ? 0 : (size_t)(gap - line) + strspn(gap, " ");
    return leading > 0 && gap && second <= columns / 2 ? second : leading + 2;
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

// The rest of a line, each part of it on a line of its own behind the indent.
static void put_rest(FILE *out, const char *line, size_t indent, size_t columns)
{
    for (size_t length; *line != '\0'; line += length) {
        line += strspn(line, " ");
        length = fitting(line, columns - indent);
        if (length > 0)
            fprintf(out, "\n%*s%.*s", (int)indent, "", (int)length, line);
    }
}

static void put_line(FILE *out, const char *line, size_t columns)
{
    const bool whole = columns == 0 || is_row(line);
    const size_t length = whole ? strlen(line) : fitting(line, columns);
    fwrite(line, 1, length, out);
    put_rest(out, line + length, indent_of(line, columns), columns);
}

void fold_behind(FILE *out, const char *text, size_t indent, size_t columns)
{
    const bool whole = columns == 0 || columns <= 2 * indent;
    const size_t length = whole ? strlen(text) : fitting(text, columns - indent);
    fwrite(text, 1, length, out);
    put_rest(out, text + length, indent, columns);
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

static bool hidden(unsigned long code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0xad || code == 0x61c ||
           code == 0x180e || (code >= 0x200b && code <= 0x200f) ||
           (code >= 0x2028 && code <= 0x202e) || (code >= 0x2060 && code <= 0x206f) ||
           code == 0xfeff || (code >= 0xfff9 && code <= 0xfffb) ||
           (code >= 0xe0000 && code <= 0xe007f);
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
static const char *const signal_names[] = {
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
    for (int i = 1; i < (int)(sizeof signal_names / sizeof signal_names[0]); i++)
        if (signal_names[i] && strcasecmp(text, signal_names[i]) == 0)
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

#define BLANKS " \t\n"

// Whether a word may be the name of a variable.
#define NAME_CHARACTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_"

// Characters that no shell reads anything into.
#define PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-"

// Adds a character to a word; with *out NULL the word is only walked over.
static void put_character(char **out, char character)
{
    if (*out)
        *(*out)++ = character;
}

// Copies what a quote encloses; text is behind the opening one. Returns what
// follows the closing one, or NULL.
static const char *copy_quoted(const char *text, char quote, char **out)
{
    while (*text != quote) {
        if (*text == '\0')
            return NULL;
        if (quote == '"' && text[0] == '\\' && text[1] == '\n') {
            text += 2; // a line that continues on the next
            continue;
        }
        if (quote == '"' && *text == '\\' && text[1] != '\0' && strchr("\"\\$`", text[1]))
            text++;
        put_character(out, *text++);
    }
    return text + 1;
}

// Blanks, and lines that continue on the next.
static const char *skip_blanks(const char *text)
{
    for (;;) {
        text += strspn(text, BLANKS);
        if (text[0] != '\\' || text[1] != '\n')
            return text;
        text += 2;
    }
}

// Copies one word, ends it with 0; returns what follows, or NULL with *error.
static const char *copy_word(const char *text, char **out, const char **error)
{
    while (*text != '\0' && !strchr(BLANKS, *text)) {
        if (*text == '\'' || *text == '"') {
            text = copy_quoted(text + 1, *text, out);
            if (!text) {
                *error = "a quote is not closed";
                return NULL;
            }
        } else if (text[0] == '\\' && text[1] == '\0') {
            *error = "nothing follows the backslash at the end";
            return NULL;
        } else if (text[0] == '\\' && text[1] == '\n') {
            text += 2;
        } else {
            text += *text == '\\';
            put_character(out, *text++);
        }
    }
    put_character(out, '\0');
    return text;
}

char **words_split(const char *text, size_t *count, const char **error)
{
    const size_t length = strlen(text), most = length / 2 + 2; // words, and the NULL behind
    char **words = malloc(most * sizeof *words + length + 1);
    *count = 0;
    if (!words) {
        *error = "out of memory: free some";
        return NULL;
    }
    char *out = (char *)(words + most);
    for (text = skip_blanks(text); *text != '\0'; text = skip_blanks(text)) {
        words[(*count)++] = out;
        text = copy_word(text, &out, error);
        if (!text) {
            free(words);
            return NULL;
        }
    }
    words[*count] = NULL;
    return words;
}

size_t words_until_joint(const char *text, const char **rest)
{
    const char *word = skip_blanks(text), *last = text, *error, *end;
    char *nowhere = NULL;
    *rest = NULL;
    for (; *word != '\0'; word = skip_blanks(end)) {
        end = copy_word(word, &nowhere, &error);
        if (!end)
            break;
        if (*word == '+' && end == word + 1) {
            *rest = end;
            return (size_t)(last - text);
        }
        last = end;
    }
    return strlen(text);
}

// A line end in front of a command ends nothing, nor does one behind it.
static bool ends_command(const char *text)
{
    return *text == '\n' && *skip_blanks(text) != '\0';
}

const char *words_operator(const char *text)
{
    char *nowhere = NULL;
    for (text = skip_blanks(text); text && *text != '\0';) {
        if (strchr("|&;<>()", *text) || ends_command(text))
            return text;
        if (*text == '\n')
            return NULL;
        if (*text == '\'' || *text == '"')
            text = copy_quoted(text + 1, *text, &nowhere);
        else
            text += *text == '\\' && text[1] != '\0' ? 2 : 1;
    }
    return NULL;
}

const char *words_operator_name(const char *operator, char name[2])
{
    if (*operator== '\n')
        return "a line end";
    name[0] = *operator;
    name[1] = '\0';
    return name;
}

// An expansion before the end of a double quote.
static bool expands_in_quotes(const char *text)
{
    for (; *text != '\0' && *text != '"'; text++) {
        if (*text == '$' || *text == '`')
            return true;
        if (*text == '\\' && text[1] != '\0')
            text++;
    }
    return false;
}

bool words_need_shell(const char *text)
{
    char *nowhere = NULL;
    text = skip_blanks(text);
    for (bool begins = true; text && *text != '\0';) {
        if (strchr("|&;<>()$`*?[", *text) || (begins && strchr("~#!", *text)) || ends_command(text))
            return true;
        if (*text == '\n')
            return false;
        if (*text == '"' && expands_in_quotes(text + 1))
            return true;
        begins = strchr(BLANKS, *text) != NULL;
        if (*text == '\'' || *text == '"')
            text = copy_quoted(text + 1, *text, &nowhere);
        else
            text += *text == '\\' && text[1] != '\0' ? 2 : 1;
    }
    return false;
}

bool words_builtin(const char *word)
{
    static const char *const names[] = {
        ".",      ":",    "alias", "bg",     "cd",    "command", "eval",     "exec",   "exit",
        "export", "fc",   "fg",    "hash",   "jobs",  "read",    "readonly", "return", "set",
        "times",  "trap", "type",  "ulimit", "umask", "unalias", "unset",    "wait",   NULL};
    return text_is_among(word, names);
}

bool words_assignment(const char *word)
{
    const size_t digits = strspn(word, "0123456789");
    const size_t length = strspn(word, NAME_CHARACTERS);
    return digits == 0 && length > 0 && word[length] == '=';
}

static char *append_quoted(char *out, const char *word)
{
    *out++ = '\'';
    for (; *word != '\0'; word++) {
        if (*word == '\'')
            out = stpcpy(out, "'\\''");
        else
            *out++ = *word;
    }
    *out++ = '\'';
    return out;
}

char *words_quote(const char *const *words, size_t count)
{
    size_t most = 1;
    for (size_t i = 0; i < count; i++)
        most += 4 * strlen(words[i]) + 3;
    char *text = malloc(most), *out = text;
    if (!text)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            *out++ = ' ';
        const bool plain = *words[i] != '\0' && words[i][strspn(words[i], PLAIN)] == '\0';
        out = plain ? stpcpy(out, words[i]) : append_quoted(out, words[i]);
    }
    *out = '\0';
    return text;
}

void config_put(FILE *stream, const char *text, const char *doubled)
{
    fputc('"', stream);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', stream);
        if (strchr(doubled, *text))
            fputc(*text, stream);
        fputs(*text == '\n' ? "\\n" : (const char[]){*text, '\0'}, stream);
    }
    fputc('"', stream);
}
