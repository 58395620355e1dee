// The figures of one metric in one run, as they are found, and what they come to.
#ifndef METER_TALLY_H
#define METER_TALLY_H

#include "numeral.h"

#include "common/metric.h"

#include <stdbool.h>
#include <stddef.h>

enum { REASON_SIZE = 160 };

// The longest text that may be a number with its unit.
#define LONGEST_NUMBER (2 * NUMERAL_SIZE)
// How much of what is no number is quoted.
#define QUOTED 40

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

// Takes a figure, in the order in which they were written. Text that is no
// number makes the whole a failure, as far as it would have counted. Returns whether the
// next one could still change anything.
bool tally_add(struct tally *tally, const char *text, size_t length);

// There is no value, for that reason; the first one holds.
void reason_set(char reason[REASON_SIZE], const char *format, ...)
    __attribute__((format(printf, 2, 3)));

// Begins a figure that is no number that can be read. Returns whether it counts.
bool tally_begin(struct tally *tally);

// A number with a unit of time behind it, in the metric's own unit; false where either is none. A
// nanosecond is the least.
bool tally_to_unit(const char *number, const char *unit, double *value);

// What it comes to. where: "stdout", or the path, for the reason.
void tally_end(struct tally *tally, const char *where, struct figure *figure);

#endif
