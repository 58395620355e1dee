#ifndef COMMON_PATTERN_H
#define COMMON_PATTERN_H

// Regular expressions that somebody else wrote.

#include <regex.h>
#include <stdbool.h>
#include <stddef.h>

// What an expression may consist of once its repetitions are written out: a{3} is three parts.
enum { PATTERN_PARTS = 1000 };

// Compiles a POSIX extended regular expression, with flags as REG_NOSUB besides. regfree() frees
// it. False, with the reason in why, where it is none, or has more than PATTERN_PARTS parts: the
// C library doubles an expression for each +, and would take minutes and gigabytes for a+++...
bool pattern_compile(regex_t *regex, const char *text, int flags, char *why, size_t size);

#endif
