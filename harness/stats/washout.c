#include "washout.h"

#include "common/units.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_RUNS = 1000 };
static const double ns = 1e-9;

// What more runs than these do not wash out is better measured apart.
static const size_t steps[] = {0, 1, 2, 4};
enum { STEPS = sizeof steps / sizeof *steps };

static bool ends_in_unit(const char *text)
{
    const size_t length = strlen(text);
    return length > 0 && strchr("0123456789.", text[length - 1]) == NULL;
}

bool washout_parse(const char *text, struct washout *washout, char *error, size_t size)
{
    uint64_t runs;
    int64_t pause_ns;
    *washout = (struct washout){.automatic = strcmp(text, "auto") == 0};
    if (washout->automatic)
        return true;
    if (units_count(text, &runs) == 0 && runs <= MOST_RUNS) {
        washout->runs = (size_t)runs;
        return true;
    }
    // A number alone is one of runs.
    if (ends_in_unit(text) && units_time(text, &pause_ns) == 0 && pause_ns > 0) {
        washout->pause_s = (double)pause_ns * ns;
        return true;
    }
    snprintf(error, size, "give auto, a number of runs such as 1, or a time such as 500ms");
    return false;
}

bool washout_check(const char *text, char *error, size_t size)
{
    struct washout ignored;
    return washout_parse(text, &ignored, error, size);
}

size_t washout_next(size_t runs)
{
    size_t i = 0;
    while (i + 1 < STEPS && steps[i] <= runs)
        i++;
    return steps[i] > runs ? steps[i] : runs;
}
