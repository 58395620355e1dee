#ifndef COMMON_OPTION_VALUE_H
#define COMMON_OPTION_VALUE_H

/* One value of an options table, from text and to text. */

#include "common/options.h"

/* The value as it would be typed, exact; false: it does not fit. */
bool option_format(const struct option_row *row, const void *values, char *text, size_t size);

#endif
