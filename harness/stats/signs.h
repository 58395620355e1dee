// Whether there is an effect at all, by the signs of differences.
#ifndef STATS_SIGNS_H
#define STATS_SIGNS_H

#include <stddef.h>

// Whether there is an effect at all, asked of the order that the experiment drew itself: had the
// load done nothing, either run of a pair could as well have been the loaded one.

// Fewer differences never tell: all signs alike are 2 of 2^n.
enum { SIGNS_LEAST = 6 };

// The probability that differences whose signs are drawn anew are as far to one side as these,
// two-sided: by the largest of their mean, the mean of their signed ranks, and their mean where
// each counts as at most the size that three in four reach, each over what it is by chance (R. A.
// Fisher, "The Design of Experiments" (1935), section 21; the sum of squares does not change with
// the signs, so the first orders them as Student's t does). Exact up to 17 differences that are not
// 0; else of 9,999 draws, from `seed` alone. It is valid whatever the distribution of the
// differences is. NAN: too few, or one is not finite.
double signs_p(const double *difference, size_t n, unsigned long seed);

#endif
