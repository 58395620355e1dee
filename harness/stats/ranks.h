#ifndef STATS_RANKS_H
#define STATS_RANKS_H

#include "interval.h"
#include <stddef.h>

// Signed ranks: what differences that are as likely above as below show of their centre,
// whatever their distribution is (F. Wilcoxon, Biometrics Bulletin 1 (1945) 80-83).

// The centre of n > 0 ascending differences and its bounds: the median of the n (n + 1) / 2
// averages of two of them, each with itself included (J. L. Hodges and E. L. Lehmann, Ann.
// Math. Stat. 34 (1963) 598-611), and the averages that are `rank`-th from either end.
// Without bounds where rank is 0; `error` is not filled in.
struct interval ranks_interval(size_t rank, const double *sorted, size_t n);

// Which averages are the bounds, from 1: those outside are values that signed ranks exclude
// with that two-sided confidence. Exact, also where differences are alike, where the interval
// contains the centre more often. 0: n are too few.
size_t ranks_bound(struct critical *critical, size_t n);

// Whether there is an effect at all, asked of the order that the experiment drew itself: had the
// load done nothing, either run of a pair could as well have been the loaded one.

// Fewer differences never tell: all signs alike are 2 of 2^n.
enum { SIGNS_LEAST = 6 };

// The probability that differences whose signs are drawn anew are as far to one side as these,
// two-sided: by the larger of their mean and the mean of their signed ranks, each over what it
// is by chance (R. A. Fisher, "The Design of Experiments" (1935), section 21; the sum of squares
// does not change with the signs, so the first orders them as Student's t does). Exact up to 17
// differences that are not 0; else of 9,999 draws, from `seed` alone. It is valid whatever
// the distribution of the differences is. NAN: too few, or one is not finite.
double signs_p(const double *difference, size_t n, unsigned long seed);

#endif
