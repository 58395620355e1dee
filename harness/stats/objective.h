// What a service has to keep (--slo), and what is varied to find how far it does (--vary).
// Read by those who check a command line, and by stats.
#ifndef STATS_OBJECTIVE_H
#define STATS_OBJECTIVE_H

#include <stdbool.h>
#include <stddef.h>

enum { OBJECTIVE_NAME_SIZE = 64, OBJECTIVE_UNIT_SIZE = 16, OBJECTIVES_MAX = 8 };

// METRIC<VALUE, METRIC<=VALUE, METRIC>VALUE or METRIC>=VALUE, in the metric's unit.
struct objective {
    char metric[OBJECTIVE_NAME_SIZE];
    double limit;
    bool at_least; // the metric has to be above the limit
    bool or_equal;
};

// All of them have to be kept. 0 of them: none was given.
struct objectives {
    struct objective item[OBJECTIVES_MAX];
    size_t count;
};

// Reads objectives that commas join, such as "p99_ms<2,errors<=0". False: error says what to
// give.
bool objectives_parse(const char *text, struct objectives *objectives, char *error, size_t size);

// The same, for nothing but the check of an option.
bool objectives_check(const char *text, char *error, size_t size);

// How far a figure is from its limit: the logarithm of figure / limit, or of limit / figure
// where the figure has to be above it. Not above 0: it is kept; -INFINITY or INFINITY where
// there is no logarithm. Such as the limit is, so is it kept with `=` alone.
double objective_distance(const struct objective *objective, double figure);

// NAME=LOW..HIGH[,unit=UNIT], 0 < LOW < HIGH.
struct vary {
    char name[OBJECTIVE_NAME_SIZE], unit[OBJECTIVE_UNIT_SIZE]; // unit "": none
    double low, high;
    bool whole; // both are integers, and so is each value
};

bool vary_parse(const char *text, struct vary *vary, char *error, size_t size);
bool vary_check(const char *text, char *error, size_t size);

// The value of that logarithm that a run can be given: inside the range, an integer or of
// four digits.
double vary_value(const struct vary *vary, double logarithm);

enum { VARY_TEXT_SIZE = 32 };

// A value as the target gets it: 41230, 0.125. Returns text.
const char *vary_text(double value, char text[VARY_TEXT_SIZE]);

#endif
