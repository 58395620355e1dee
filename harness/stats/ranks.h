// Signed ranks: the centre of differences, and its bounds.
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

#endif
