#ifndef STATS_GROUPS_H
#define STATS_GROUPS_H

#include "sample.h"

// Do the pairs of a ratio fall into two groups, as where a load slows some runs and leaves the
// others alone? A few that are far from all others are stragglers, and no group.

struct groups {
    size_t low_count, high_count; // pairs in each; 0: there are no two groups
    double low, high;             // the median of each, of changes or ratios
};

// Of changes (statistic.h). Of independent normal ones fewer than 1 % look so.
struct groups groups_of(const struct sample *changes);

// Whether those that are further than `reach` above the median, or below it, are so many that they
// are a group, and no stragglers. Stragglers of either condition are on both sides.
bool groups_beyond(const struct sample *changes, double reach);

#endif
