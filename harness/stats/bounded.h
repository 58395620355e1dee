#ifndef STATS_BOUNDED_H
#define STATS_BOUNDED_H

#include "interval.h"

// A ratio and its bounds within a sentence, with as many digits as they deserve.

enum { BOUNDED_SIZE = 160 };

// Decimals: two digits of the width of the bounds, from `least` to `most`; fewer where the width is
// 10 or more, below 0 (number_fixed()) from 100 on; more where the bounds would else look as if
// they had 1 within them.
int bounded_decimals(const struct interval *of, int least, int most);

// Into text[BOUNDED_SIZE]: "1.50", a value with as many digits as the interval deserves.
void bounded_number(const struct interval *of, double value, char *text);

// Into text[BOUNDED_SIZE]: " (1.46 to 1.54)", " (at least 1.5)"; "" where nothing is known.
void bounded_range(const struct interval *of, char *text);

#endif
