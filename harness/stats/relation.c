// Names what the interval of a ratio says of the two that it compares.
#include "relation.h"

#include "interval.h"

#include <string.h>

static const char *const of_times[RELATIONS] = {"undecided", "faster", "slower", "same"};
static const char *const of_others[RELATIONS] = {"undecided", "better", "worse", "same"};

bool relation_is_time(const char *unit, bool higher_is_better)
{
    static const char *const units[] = {"s", "ms", "us", "\302\265s", "ns", "min", "h"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(unit, units[i]) == 0)
            return !higher_is_better;
    return false;
}

const char *relation_name(enum relation relation, bool is_time)
{
    return (is_time ? of_times : of_others)[relation];
}

enum relation relation_of(const struct interval *ratio, double tolerance)
{
    if (tolerance > 0 && ratio->low >= 1 / (1 + tolerance) && ratio->high <= 1 + tolerance)
        return RELATION_SAME;
    if (ratio->low > 1)
        return RELATION_WORSE;
    return ratio->high < 1 ? RELATION_BETTER : RELATION_UNDECIDED;
}
