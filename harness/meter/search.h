#ifndef METER_SEARCH_H
#define METER_SEARCH_H

#include "common/metric.h"

#include <regex.h>

// The figures of one metric in one run, as they are found, and what they come to.

enum { REASON_SIZE = 160 };

// A metric of one run: a finite value, or why there is none.
struct figure {
    double value;             // NAN where there is a reason
    char reason[REASON_SIZE]; // "": value holds
};

struct tally {
    const struct metric *metric;
    size_t count;
    double value;             // as far as it is known: of TAKE_MEAN the sum
    double *all;              // of a take that needs every value; tally_end() frees it
    char reason[REASON_SIZE]; // the first of the failures that count
};

// tally_add: takes a figure, in the order in which they were written. Text that is no
// number makes the whole a failure, as far as it would have counted. Returns whether the
// next one could still change anything.
bool tally_add(struct tally *tally, const char *text, size_t length);

// reason_set: there is no value, for that reason; the first one holds.
void reason_set(char reason[REASON_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// tally_end: what it comes to. where: "stdout", or the path, for the reason.
void tally_end(struct tally *tally, const char *where, struct figure *figure);

// The matches of a regular expression in a file of any size, line by line.
//
// A line ends at \n, \r\n or \r (a display that overwrites itself writes that). One longer
// than SEARCH_LINE_BYTES is searched in pieces of that length. NUL is a byte as any other.

#define SEARCH_LINE_BYTES 65536

// search: adds the group of each match to tally. The last match is looked for from the end of
// the file, and the first one from its start, so that neither reads more than it must.
void search(int fd, const regex_t *regex, struct tally *tally);

#endif
