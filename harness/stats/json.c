#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// Beyond this a double does not hold every whole number.
static const double largest_whole = 9007199254740992;

json_t *json_figure(double value)
{
    char text[40];
    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof text, "%.*g", FIGURE_DIGITS, value);
    const double rounded = strtod(text, NULL);
    if (rounded == floor(rounded) && fabs(rounded) < largest_whole)
        return json_integer((json_int_t)rounded);
    return json_real(rounded);
}

json_t *json_bounds(double low, double high)
{
    return isfinite(low) && isfinite(high)
               ? json_pack("[o, o]", json_figure(low), json_figure(high))
               : json_null();
}

json_t *json_interval(const struct interval *interval)
{
    return interval->constant ? json_null() : json_bounds(interval->low, interval->high);
}

json_t *json_member(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return value ? json_incref(value) : json_null();
}
