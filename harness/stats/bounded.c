// Writes a ratio and its bounds within a sentence, with as many digits as they deserve.
#include "bounded.h"

#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>

int bounded_decimals(const struct interval *of, int least, int most)
{
    const double width = of->high - of->low;
    const double needed = width > 0 && isfinite(width) ? 1 - floor(log10(width)) : 2;
    // A bound that would be printed as 0 needs the digits.
    const bool wide = needed <= 0 && of->low >= pow(10, -needed);
    const double decimals = wide ? needed : fmin(fmax(needed, least), most);
    return decimals_apart((int)decimals, of->low, of->high, 1);
}

// Decimals of a value without bounds: three digits, and two decimals at most.
static int decimals_alone(double value)
{
    return isfinite(value) && value >= 10 ? (int)(2 - floor(log10(value))) : 2;
}

void bounded_number(const struct interval *of, double value, char *text)
{
    const bool known = isfinite(of->low) && isfinite(of->high) && !of->constant;
    char number[NUMBER_SIZE];
    number_fixed(value, known ? bounded_decimals(of, 0, 4) : decimals_alone(value), number);
    snprintf(text, BOUNDED_SIZE, "%.*s", BOUNDED_SIZE - 1, number);
}

void bounded_range(const struct interval *of, char *text)
{
    const bool low = isfinite(of->low), high = isfinite(of->high);
    char from[BOUNDED_SIZE], to[BOUNDED_SIZE];
    bounded_number(of, of->low, from);
    bounded_number(of, of->high, to);
    if (of->constant || (!low && !high))
        text[0] = '\0';
    else if (low && high)
        snprintf(text, BOUNDED_SIZE, " (%.40s to %.40s)", from, to);
    else
        snprintf(text, BOUNDED_SIZE, " (at %s %.40s)", low ? "least" : "most", low ? from : to);
}
