#ifndef COMMON_OPTION_VALUE_H
#define COMMON_OPTION_VALUE_H

/* One value of an options table, from text and to text. */

#include "common/options.h"

/* The value as it would be typed, exact; false: it does not fit. */
bool option_format(const struct option_row *row, const void *values, char *text, size_t size);

/* The index of the text among the names (ended by NULL); -1, and error says what
 * they are and which is nearest, when it is none of them. */
int option_choose(const char *text, const char *const *names, char *error, size_t size);

/* A check of a row: a time above 0. */
bool option_check_time(const char *text, char *error, size_t size);

#endif
