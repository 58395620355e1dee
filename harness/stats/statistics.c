#include "statistics.h"

#include <stddef.h>
#include <string.h>

const char *const statistic_names[STATISTICS + 1] = {"mean", "median",  "trimmed", "p90",
                                                     "p99",  "typical", NULL};

const char *const statistic_words[STATISTICS] = {
    "mean", "median", "trimmed mean", "90th percentile", "99th percentile", "median"};

enum statistic statistic_named(const char *name)
{
    for (enum statistic i = 0; i < STATISTICS && name; i++)
        if (strcmp(name, statistic_names[i]) == 0)
            return i;
    return STATISTIC_MEAN;
}
