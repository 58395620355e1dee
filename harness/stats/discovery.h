// Which of many tests hold, although some succeed by chance.
#ifndef STATS_DISCOVERY_H
#define STATS_DISCOVERY_H

#include <stddef.h>

// Which of many tests hold, although some succeed by chance.

// From p values, none of them NAN, to adjusted ones: q[i] is the least false
// discovery rate at which p[i] is still a discovery. Among those with a q of at most
// 5 %, at most 5 % are expected to be there by chance: Y. Benjamini and
// Y. Hochberg, "Controlling the false discovery rate", J. R. Statist. Soc. B 57 (1995)
// 289-300. It holds for tests that depend on each other positively, such as those of
// several loads against one baseline: Y. Benjamini and D. Yekutieli, "The control of the
// false discovery rate in multiple testing under dependency", Ann. Statist. 29 (2001)
// 1165-1188, which for any other dependence needs p values that are 1 + 1/2 + ... + 1/n
// times smaller.
void discovery_rates(const double *p, double *q, size_t count);

#endif
