// Finds the matches of a regular expression in a file of any size, line by line.
#include "search.h"

#include "numeral.h"
#include "tally.h"

#include "common/metric.h"

#include <ctype.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

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

// What a group has matched, and the number that it has matched, or a part of it.
struct capture {
    const char *line;
    size_t length;          // of the line
    size_t start, end;      // of the group
    size_t from;            // where the expression was looked for
    struct numeral numeral; // the last one that was looked for in this line
};

// Has the number that the digit line[at] is part of. A long list is one, with many figures.
static void find_around(struct capture *capture, size_t at, enum metric_comma comma)
{
    if (at < capture->numeral.start || at >= capture->numeral.end)
        numeral_around(capture->line, capture->length, at, comma, &capture->numeral);
}

// The number at one end of the group: at its start, unless that is whole and the other is not.
// False: the group has no digit.
static bool find_numeral(struct capture *capture, enum metric_comma comma)
{
    size_t first = capture->start, last = capture->end;
    while (first < last && !isdigit((unsigned char)capture->line[first]))
        first++;
    if (first == last)
        return false;
    while (!isdigit((unsigned char)capture->line[last - 1]))
        last--;
    find_around(capture, first, comma);
    if (capture->numeral.start >= capture->start && capture->numeral.end < last)
        find_around(capture, last - 1, comma);
    return true;
}

// Whether the group ends between two digits.
static bool is_split(const struct capture *capture, size_t at)
{
    return at > capture->numeral.start && at < capture->numeral.end &&
           isdigit((unsigned char)capture->line[at - 1]) &&
           isdigit((unsigned char)capture->line[at]);
}

// Whether commas join several numbers for certain: more than one of them, and not as groups of
// digits have them.
static bool is_list(const struct capture *capture)
{
    const struct numeral *numeral = &capture->numeral;
    size_t commas = 0;
    for (size_t i = numeral->start; i < numeral->end; i++)
        commas += capture->line[i] == ',';
    return numeral->kind == NUMERAL_UNCLEAR && commas > 1;
}

// Whether the expression would find its group in the number also if that were written so. Behind a
// list go its empty fields.
static bool would_take(const struct searcher *searcher, const struct capture *capture,
                       const char *form)
{
    const struct numeral *numeral = &capture->numeral;
    size_t end = numeral->end;
    while (is_list(capture) && end < capture->length && capture->line[end] == ',')
        end++;
    const size_t used = strlen(form), rest = capture->length - end;
    char *line = malloc(numeral->start + used + rest + 1);
    if (!line)
        return true;
    memcpy(line, capture->line, numeral->start);
    memcpy(line + numeral->start, form, used);
    memcpy(line + numeral->start + used, capture->line + end, rest);
    line[numeral->start + used + rest] = '\0';
    const size_t from = capture->from < numeral->start ? capture->from : numeral->start;
    regmatch_t match[2] = {{(regoff_t)from, (regoff_t)(numeral->start + used + rest)}};
    const bool found = regexec(searcher->regex, line, 2, match, REG_STARTEND) == 0;
    free(line);
    return found && match[1].rm_so < (regoff_t)(numeral->start + used) &&
           match[1].rm_eo > (regoff_t)numeral->start;
}

// Whether the expression itself says that it wants this part of the number: `([0-9]+):[0-9]+`
// would not find a plain number there, while `([0-9]+)` would. The rest of a time is never wanted:
// what is behind 0: in 0:59.9 goes on behind 1: in 1:00.1.
static bool is_part_wanted(const struct searcher *searcher, const struct capture *capture)
{
    const struct numeral *numeral = &capture->numeral;
    char form[NUMERAL_SIZE];
    if (numeral->kind == NUMERAL_HEXADECIMAL ||
        (numeral->kind == NUMERAL_TIME &&
         (numeral->shape[0] == '\0' || capture->end >= numeral->end)) ||
        is_split(capture, capture->start) || is_split(capture, capture->end))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (*numeral_plainly(numeral, i, form) != '\0' && would_take(searcher, capture, form))
            return false;
    return true;
}

// What to do about a number of which the group has a part.
static const char *advice_for(const struct numeral *numeral)
{
    if (numeral->kind == NUMERAL_HEXADECIMAL)
        return "have it printed as a decimal number";
    if (numeral->kind == NUMERAL_TIME)
        return "it is a time: give a unit of time, as in unit=s";
    if (numeral->kind == NUMERAL_LISTED)
        return "take all of it, as in ([0-9,.]+), or write the comma beside the group";
    if (strchr(numeral->shape, ','))
        return "add comma=decimal or comma=thousands, or write the comma beside the group";
    return "write what is beside the figure into the pattern, beside the group";
}

// Adds the whole of the number, with what else the group has matched, or why it cannot be read.
static bool add_whole(struct tally *tally, const struct capture *capture, bool is_cut)
{
    const struct numeral *numeral = &capture->numeral;
    const size_t start = numeral->start < capture->start ? numeral->start : capture->start,
                 end = numeral->end > capture->end ? numeral->end : capture->end;
    const bool is_time = numeral->kind == NUMERAL_TIME;
    const char *unit = tally->metric->unit;
    char text[LONGEST_NUMBER];
    double ignored;
    if (numeral->plain[0] != '\0' && !(is_cut && numeral->kind == NUMERAL_LISTED) &&
        (!is_time || unit[0] == '\0' || tally_to_unit("1s", unit, &ignored))) {
        const int length =
            snprintf(text, sizeof text, "%.*s%s%s%.*s", (int)(numeral->start - start),
                     capture->line + start, numeral->plain, is_time && unit[0] != '\0' ? "s" : "",
                     (int)(end - numeral->end), capture->line + numeral->end);
        if (length > 0 && (size_t)length < sizeof text)
            return tally_add(tally, text, (size_t)length);
    }
    if (!tally_begin(tally))
        return false;
    if (is_cut)
        reason_set(tally->reason, "the group takes \"%.*s\" of \"%.*s\": %s",
                   (int)least(capture->end - capture->start, QUOTED / 2),
                   capture->line + capture->start,
                   (int)least(numeral->end - numeral->start, QUOTED),
                   capture->line + numeral->start, advice_for(numeral));
    else
        reason_set(tally->reason, "no number: \"%.*s\"", (int)least(end - start, QUOTED),
                   capture->line + start);
    return tally->metric->take == TAKE_LAST;
}

// Adds the figure that the group has matched; *from moves behind the number that it is in.
static bool add_figure(const struct searcher *searcher, struct capture *capture, size_t *from)
{
    struct tally *tally = searcher->tally;
    const enum metric_comma comma = tally->metric->comma;
    const char *text = capture->line + capture->start;
    const size_t length = capture->end - capture->start;
    if (!find_numeral(capture, comma))
        return tally_add(tally, text, length);
    const struct numeral *numeral = &capture->numeral;
    const bool is_cut = numeral->start < capture->start || numeral->end > capture->end;
    if (is_cut ? is_part_wanted(searcher, capture)
               : numeral->kind == NUMERAL_PLAIN || numeral->kind == NUMERAL_HEXADECIMAL ||
                     (numeral->kind == NUMERAL_UNCLEAR && comma == COMMA_UNKNOWN))
        return tally_add(tally, text, length);
    if (*from < numeral->end)
        *from = numeral->end;
    return add_whole(tally, capture, is_cut);
}

// Adds its matches. False when no other can change anything.
static bool search_line(const struct searcher *searcher, const char *line, size_t length)
{
    struct capture capture = {.line = line, .length = length};
    regmatch_t match[2];
    size_t after = SIZE_MAX; // the match before
    for (size_t from = 0; from <= length;) {
        capture.from = from;
        match[0] = (regmatch_t){.rm_so = (regoff_t)from, .rm_eo = (regoff_t)length};
        if (regexec(searcher->regex, line, 2, match, REG_STARTEND) != 0)
            return true;
        const bool is_empty = match[0].rm_eo == match[0].rm_so;
        from = (size_t)match[0].rm_eo + is_empty;
        // Right behind a match of `.*` there is another one, of nothing.
        if (is_empty && (size_t)match[0].rm_so == after)
            continue;
        after = (size_t)match[0].rm_eo;
        capture.start = match[1].rm_so < 0 ? 0 : (size_t)match[1].rm_so;
        capture.end = match[1].rm_so < 0 ? 0 : (size_t)match[1].rm_eo;
        if (!add_figure(searcher, &capture, &from))
            return false;
    }
    return true;
}

// Reads as much as there is, up to length; false after a failure.
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
            reason_set(searcher->tally->reason, "cannot be read: %s", strerror(errno));
            return false;
        }
    }
    return true;
}

// So far from where a piece of a line would end or begin a place is looked for that is in no
// number.
#define SEAM_BYTES 1024

// Where a piece of a line may end, which has `length` bytes at most.
static size_t last_seam(const char *text, size_t length)
{
    for (size_t at = length - 1; at > 0 && length - at < SEAM_BYTES; at--)
        if (numeral_seam(text[at - 1], text[at]))
            return at;
    return length;
}

// Where a piece may begin that ends with these bytes.
static size_t first_seam(const char *text, size_t length)
{
    for (size_t at = 1; at < length && at < SEAM_BYTES; at++)
        if (numeral_seam(text[at - 1], text[at]))
            return at;
    return 0;
}

// The lines of the first `length` bytes, which begin with one. Returns how much
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
        const size_t end = is_last ? length : last_seam(searcher->text, length);
        if (!search_line(searcher, searcher->text + start, end - start))
            return 0;
        start = end;
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

// Where the last line of the first `length` bytes begins: behind the last end of
// one; 0 where there is none.
static size_t line_start(const char *text, size_t length)
{
    while (length > 0 && !ends_line(text[length - 1]))
        length--;
    return length;
}

// The length without the end of the last line.
static size_t without_end(const char *text, size_t length)
{
    if (length > 0 && text[length - 1] == '\n')
        length--;
    if (length > 0 && text[length - 1] == '\r')
        length--;
    return length;
}

// The lines of a part, the last one first. Returns how much of it is
// left to be searched with what is in front of it. found: a line had a match.
static size_t search_part_backwards(const struct searcher *searcher, size_t length, bool is_first,
                                    bool *found)
{
    const size_t whole = length;
    while (length > 0 && !*found) {
        const size_t end = without_end(searcher->text, length);
        size_t start = line_start(searcher->text, end);
        // Its beginning may be further in front; were there no room for more, this is a piece.
        if (start == 0 && !is_first && length < whole)
            break;
        if (start == 0 && !is_first)
            start = first_seam(searcher->text, end);
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
        reason_set(searcher->tally->reason, "cannot be read: %s", strerror(errno));
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
    if (!searcher.text)
        reason_set(tally->reason, "no memory to search it");
    else if (tally->metric->take == TAKE_LAST)
        search_backwards(&searcher);
    else
        search_forwards(&searcher);
    free(searcher.text);
}
