#include "search.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct searcher {
    int fd;
    const regex_t *regex;
    struct tally *tally;
    char *text; // a part of the file, SEARCH_LINE_BYTES at most
};

static bool ends_line(char c)
{
    return c == '\n' || c == '\r';
}

// search_line: adds its matches. False when no other can change anything.
static bool search_line(const struct searcher *searcher, const char *line, size_t length)
{
    regmatch_t match[2];
    size_t after = SIZE_MAX; // the match before
    for (size_t from = 0; from <= length;) {
        match[0] = (regmatch_t){.rm_so = (regoff_t)from, .rm_eo = (regoff_t)length};
        if (regexec(searcher->regex, line, 2, match, REG_STARTEND) != 0)
            return true;
        const bool is_empty = match[0].rm_eo == match[0].rm_so;
        from = (size_t)match[0].rm_eo + is_empty;
        // Right behind a match of `.*` there is another one, of nothing.
        if (is_empty && (size_t)match[0].rm_so == after)
            continue;
        after = (size_t)match[0].rm_eo;
        const size_t start = match[1].rm_so < 0 ? 0 : (size_t)match[1].rm_so;
        const size_t end = match[1].rm_so < 0 ? 0 : (size_t)match[1].rm_eo;
        if (!tally_add(searcher->tally, line + start, end - start))
            return false;
    }
    return true;
}

// read_at: as much as there is up to length; false after a failure.
static bool read_at(const struct searcher *searcher, char *to, size_t length, off_t at, size_t *got)
{
    *got = 0;
    while (*got < length) {
        const ssize_t part = pread(searcher->fd, to + *got, length - *got, at + (off_t)*got);
        if (part == 0)
            break;
        if (part > 0)
            *got += (size_t)part;
        else if (errno != EINTR) {
            tally_fail(searcher->tally, "cannot be read: %s", strerror(errno));
            return false;
        }
    }
    return true;
}

// search_part: the lines of the first `length` bytes, which begin with one. Returns how much
// of them was searched: without the last line where that is not whole, unless it is all there
// is room for. 0 when no other line can change anything.
static size_t search_part(const struct searcher *searcher, size_t length, bool is_last)
{
    size_t start = 0;
    for (size_t i = 0; i < length; i++) {
        if (!ends_line(searcher->text[i]))
            continue;
        // What follows may be the \n of this end.
        if (searcher->text[i] == '\r' && i + 1 == length && !is_last && start > 0)
            break;
        if (!search_line(searcher, searcher->text + start, i - start))
            return 0;
        if (searcher->text[i] == '\r' && i + 1 < length && searcher->text[i + 1] == '\n')
            i++;
        start = i + 1;
    }
    if (start < length && (is_last || start == 0)) {
        if (!search_line(searcher, searcher->text + start, length - start))
            return 0;
        start = length;
    }
    return start;
}

static void search_forwards(const struct searcher *searcher)
{
    size_t got, searched;
    for (off_t at = 0;; at += (off_t)searched) {
        if (!read_at(searcher, searcher->text, SEARCH_LINE_BYTES, at, &got) || got == 0)
            return;
        searched = search_part(searcher, got, got < SEARCH_LINE_BYTES);
        if (searched == 0)
            return;
    }
}

// line_start: where the last line of the first `length` bytes begins: behind the last end of
// one; 0 where there is none.
static size_t line_start(const char *text, size_t length)
{
    while (length > 0 && !ends_line(text[length - 1]))
        length--;
    return length;
}

// without_end: the length without the end of the last line.
static size_t without_end(const char *text, size_t length)
{
    if (length > 0 && text[length - 1] == '\n')
        length--;
    if (length > 0 && text[length - 1] == '\r')
        length--;
    return length;
}

// search_part_backwards: the lines of a part, the last one first. Returns how much of it is
// left to be searched with what is in front of it. found: a line had a match.
static size_t search_part_backwards(const struct searcher *searcher, size_t length, bool is_first,
                                    bool *found)
{
    const size_t whole = length;
    while (length > 0 && !*found) {
        const size_t end = without_end(searcher->text, length);
        const size_t start = line_start(searcher->text, end);
        // Its beginning may be further in front; were there no room for more, this is a piece.
        if (start == 0 && !is_first && length < whole)
            break;
        (void)search_line(searcher, searcher->text + start, end - start);
        *found = searcher->tally->count > 0;
        length = start;
    }
    return length;
}

static void search_backwards(const struct searcher *searcher)
{
    struct stat status;
    bool found = false;
    if (fstat(searcher->fd, &status) != 0) {
        tally_fail(searcher->tally, "cannot be read: %s", strerror(errno));
        return;
    }
    for (off_t end = status.st_size; end > 0 && !found;) {
        const off_t at = end > SEARCH_LINE_BYTES ? end - SEARCH_LINE_BYTES : 0;
        size_t got;
        if (!read_at(searcher, searcher->text, (size_t)(end - at), at, &got) || got == 0)
            return;
        end = at + (off_t)search_part_backwards(searcher, got, at == 0, &found);
    }
}

void search(int fd, const regex_t *regex, struct tally *tally)
{
    // With a NUL behind it, which regexec() needs not, but its sanitizer.
    const struct searcher searcher = {
        .fd = fd, .regex = regex, .tally = tally, .text = calloc(1, SEARCH_LINE_BYTES + 1)};
    if (searcher.text == NULL)
        tally_fail(tally, "no memory to search it");
    else if (tally->metric->take == TAKE_LAST)
        search_backwards(&searcher);
    else
        search_forwards(&searcher);
    free(searcher.text);
}
