// The whole of a number in a text, of which a pattern may have taken a part: 12,345,678 and
// 0m1.234s, where only digits were asked for.
#ifndef METER_NUMERAL_H
#define METER_NUMERAL_H

#include "common/metric.h"

#include <stdbool.h>
#include <stddef.h>

// The longest one: DBL_MAX with all its digits has 309.
enum { NUMERAL_SIZE = 512 };

enum numeral_kind {
    NUMERAL_UNCLEAR,     // several readings, or none: 4,393 and 1:25
    NUMERAL_HEXADECIMAL, // is not read, but it is known what it is
    NUMERAL_PLAIN,       // strtod() reads it as it is
    NUMERAL_LISTED,      // digits in groups of three by commas; a list may look so: 12,345,678
    NUMERAL_GROUPED,     // it has another mark than a plain one, and one reading: 1'234'567
    NUMERAL_TIME,        // 1:25:56, 0m1.234s
};

struct numeral {
    size_t start, end; // in the text
    enum numeral_kind kind;
    char shape[NUMERAL_SIZE];      // as it is, each mark one byte; "": too long
    char plain[NUMERAL_SIZE + 16]; // as strtod() reads it, of a time in s; "": not clear
};

// The number that the digit text[at] is part of.
void numeral_around(const char *text, size_t length, size_t at, enum metric_comma comma,
                    struct numeral *numeral);

// How it might have been written plainly, for index 0 and 1; "" where that is as it is. One that is
// too long is no number, but a list: then it is any number.
const char *numeral_plainly(const struct numeral *numeral, size_t index, char form[NUMERAL_SIZE]);

// Whether no number goes on from the byte a to the byte b, which follows it.
bool numeral_seam(char a, char b);

#endif
