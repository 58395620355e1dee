#ifndef COMMON_NUMBERS_H
#define COMMON_NUMBERS_H

// Numbers for people, each with its unit. NAN is a number that is not known: "-".
// All return text, which has room for NUMBER_SIZE.

#include <stdbool.h>

enum { NUMBER_SIZE = 200 };

struct scale {
    double factor; // multiplies the value
    char unit[48]; // "" for none
};

// What brings a value in this unit between 1 and 1000, where the unit has steps: s, ms, us,
// ns; B, B/s; 1/s (/s); "" for a count. Other units stay as they are.
struct scale scale_of(double value, const char *unit);

// Decimals that show three significant digits of a number between 1 and 1000, and two of one
// below 0.01.
int number_decimals(double value);
// Exactly so many decimals, halves away from 0.
const char *number_fixed(double value, int decimals, char *text);
// "1.23 ms", "64.0 KiB", "1.50 MB/s".
const char *number_scaled(double value, const char *unit, char *text);
const char *number_percent(double fraction, char *text);
// "58.0 [57.1, 60.2] ms": as many decimals as the interval deserves.
const char *number_with_bounds(double value, double low, double high, const char *unit, char *text);
// "58.0 ± 1.2 ms" where the two sides are alike within these digits, else the bounds; "58.0 ± ?
// ms": they are not known. The half width has two significant digits.
const char *number_with_interval(double value, double low, double high, const char *unit,
                                 char *text);
// Alone and under load in one unit: "57.5 → 59.0 ms"; NAN for loaded: one number.
const char *number_pair(double alone, double loaded, const char *unit, char *text);
// "1.23e-05"; and four significant digits, without an exponent where possible.
const char *number_scientific(double value, char *text);
const char *number_significant(double value, char *text);
// "1.37 [1.35, 1.39]": so many decimals; low NAN: no interval.
const char *number_interval(double low, double high, int decimals, char *text);
// Decimals that a ratio with this interval deserves: it is seen to leave 1 out where it does.
int ratio_decimals(double low, double high);
// "1.37 [1.35, 1.39]" with these; of bounds that are not known the ratio alone.
const char *number_ratio(double ratio, double low, double high, char *text);

#endif
