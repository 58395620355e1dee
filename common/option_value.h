#ifndef COMMON_OPTION_VALUE_H
#define COMMON_OPTION_VALUE_H

// One value of an options table, from text and to text.

#include "common/options.h"

// The value as it would be typed, exact; false: it does not fit.
bool option_format(const struct option_row *row, const void *values, char *text, size_t size);

// What is asked of a value whatever its type: that it is not empty, and the row's own check.
// option_set() asks the same; this is for texts that are kept elsewhere.
bool option_allows(const struct option_row *row, const char *text, char *error, size_t size);

// The index of the text among the names (ended by NULL); -1, and error says what
// they are and which is nearest, when it is none of them.
int option_choose(const char *text, const char *const *names, char *error, size_t size);

// A row's check of NAME=VALUE: there is a name.
bool option_check_assignment(const char *text, char *error, size_t size);
// A row's check of N[:M], numbers of cores for the target and for the loads.
bool option_check_cores(const char *text, char *error, size_t size);

#endif
