#include "relation.h"

static const char *const of_times[RELATIONS] = {"undecided", "faster", "slower", "same"};
static const char *const of_others[RELATIONS] = {"undecided", "better", "worse", "same"};

const char *relation_name(enum relation relation, bool is_time)
{
    return (is_time ? of_times : of_others)[relation];
}

enum relation relation_of(const struct interval *ratio, double same_within)
{
    if (same_within > 0 && ratio->low >= 1 / (1 + same_within) && ratio->high <= 1 + same_within)
        return RELATION_SAME;
    if (ratio->low > 1)
        return RELATION_WORSE;
    return ratio->high < 1 ? RELATION_BETTER : RELATION_UNDECIDED;
}
