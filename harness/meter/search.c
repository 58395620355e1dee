#include "meter.h"

#include "common/units.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The longest text that may be a number: DBL_MAX with all its digits has 309.
#define LONGEST_NUMBER 512
// How much of what is no number is quoted.
#define QUOTED 40
// Two in each half.
#define LEAST_HALVES 4

void reason_set(char reason[REASON_SIZE], const char *format, ...)
{
    va_list arguments;
    if (reason[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(reason, REASON_SIZE, format, arguments);
    va_end(arguments);
    // It quotes what the target wrote, and ends on somebody's terminal.
    for (char *c = reason; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
}

// A number with a unit of time behind it, in the metric's own; false where either
// is none. A nanosecond is the least.
static bool to_unit(const char *number, const char *unit, double *value)
{
    char one[16];
    int64_t time_ns, unit_ns;
    if ((size_t)snprintf(one, sizeof one, "1%s", unit) >= sizeof one || unit[0] == '\0' ||
        units_time(one, &unit_ns) != 0 || units_time(number, &time_ns) != 0)
        return false;
    *value = (double)time_ns / (double)unit_ns;
    return true;
}

// False, and why, where text as a whole is no finite decimal number.
static bool read_number(struct tally *tally, const char *text, size_t length, double *value)
{
    char number[LONGEST_NUMBER], *end;
    if (length > 0 && length < sizeof number && !memchr(text, '\0', length)) {
        memcpy(number, text, length);
        number[length] = '\0';
        if (units_real(number, value) == 0 || to_unit(number, tally->metric->unit, value))
            return true;
        // "nan", "inf" and 1e400 are numbers, yet none to reckon with.
        if (number[0] != ' ' && !isfinite(strtod(number, &end)) && *end == '\0') {
            reason_set(tally->reason, "not finite: %.*s", QUOTED, number);
            return false;
        }
    }
    reason_set(tally->reason, "no number: \"%.*s\"%s", (int)(length < QUOTED ? length : QUOTED),
               text, length > QUOTED ? "..." : "");
    return false;
}

// Halves and percentiles are known only at the end.
static bool add_to_all(struct tally *tally, double value)
{
    // A power of two: there is no more room.
    if ((tally->count & (tally->count - 1)) == 0) {
        double *all = realloc(tally->all, 2 * tally->count * sizeof *all);
        if (!all) {
            reason_set(tally->reason, "no memory for all of its values");
            return false;
        }
        tally->all = all;
    }
    tally->all[tally->count - 1] = value;
    return true;
}

bool tally_add(struct tally *tally, const char *text, size_t length)
{
    const enum metric_take take = tally->metric->take;
    double value;
    if (take == TAKE_FIRST && tally->count > 0)
        return false;
    // Of the earlier ones only the last counts.
    if (take == TAKE_LAST)
        tally->reason[0] = '\0';
    tally->count++;
    if (!read_number(tally, text, length, &value))
        return take == TAKE_LAST;
    value *= tally->metric->scale;
    const bool is_first = tally->count == 1;
    switch (take) {
    case TAKE_SUM:
    case TAKE_MEAN:
        tally->value = is_first ? value : tally->value + value;
        break;
    case TAKE_MAX:
        tally->value = is_first ? value : fmax(tally->value, value);
        break;
    case TAKE_HALVES:
    case TAKE_PERCENTILE:
        return add_to_all(tally, value);
    default:
        tally->value = value;
        break;
    }
    return take != TAKE_FIRST;
}

// The later half over the earlier: of an odd number of values the middle one is in neither.
static double halves(const struct tally *tally)
{
    const size_t half = tally->count / 2;
    double earlier = 0, later = 0;
    for (size_t i = 0; i < half; i++) {
        earlier += tally->all[i];
        later += tally->all[tally->count - half + i];
    }
    return later / earlier;
}

static int by_size(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

// By nearest rank: the smallest value that so many percent are not above.
static double percentile(const struct tally *tally)
{
    const double rank = ceil(tally->metric->percentile / 100 * (double)tally->count - 1e-9);
    qsort(tally->all, tally->count, sizeof *tally->all, by_size);
    return tally->all[rank < 1 ? 0 : (size_t)rank - 1];
}

// How many values it takes. A percentile that 1 in 100 is above needs 100.
static size_t fewest(const struct metric *metric)
{
    if (metric->take == TAKE_HALVES)
        return LEAST_HALVES;
    return metric->take == TAKE_PERCENTILE ? (size_t)ceil(100 / (100 - metric->percentile) - 1e-9)
                                           : 1;
}

static double value_of(const struct tally *tally)
{
    switch (tally->metric->take) {
    case TAKE_MEAN:
        return tally->value / (double)tally->count;
    case TAKE_HALVES:
        return halves(tally);
    case TAKE_PERCENTILE:
        return percentile(tally);
    default:
        return tally->value;
    }
}

void tally_end(struct tally *tally, const char *where, struct figure *figure)
{
    char take[METRIC_VALUE_SIZE];
    *figure = (struct figure){.value = NAN};
    if (tally->reason[0] != '\0') {
        memcpy(figure->reason, tally->reason, sizeof figure->reason);
    } else if (tally->count == 0) {
        (void)snprintf(figure->reason, sizeof figure->reason, "not found in %s", where);
    } else if (tally->count < fewest(tally->metric)) {
        (void)snprintf(figure->reason, sizeof figure->reason, "%zu values in %s: %s need%s %zu",
                       tally->count, where, metric_take_text(tally->metric, take),
                       tally->metric->take == TAKE_HALVES ? "" : "s", fewest(tally->metric));
    } else {
        const double value = value_of(tally);
        if (isfinite(value))
            figure->value = value;
        else
            (void)snprintf(figure->reason, sizeof figure->reason,
                           "not finite: the %s of %zu values",
                           metric_take_text(tally->metric, take), tally->count);
    }
    free(tally->all);
    tally->all = NULL;
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

// Adds its matches. False when no other can change anything.
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
