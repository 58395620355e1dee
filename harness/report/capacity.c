#include "capacity.h"

#include "figure.h"
#include "visible.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool capacity_searched(const struct experiment *experiment)
{
    return view_is(view_get(experiment->result.top, "capacity"), VIEW_OBJECT);
}

const char *capacity_value(const struct value *capacity, const struct value *entry, char *text)
{
    const double value = view_number(view_get(entry, "value"), NAN);
    const double low = figure_bound(entry, false), high = figure_bound(entry, true);
    const bool below = view_equals(view_get(entry, "bound"), "below"),
               above = view_equals(view_get(entry, "bound"), "at-least");
    const double edge = view_number(view_get(capacity, below ? "low" : "high"), NAN);
    char number[NUMBER_SIZE], *own = view_string(view_get(capacity, "unit")),
                              *unit = visible(own == NULL ? "" : own);
    if (below || above)
        snprintf(text, NUMBER_SIZE, "%s %.100s", below ? "below" : "at least",
                 number_scaled(edge, unit, number));
    else if (isnan(value) || isnan(low) || isnan(high))
        number_scaled(value, unit, text);
    else
        number_with_bounds(value, low, high, unit, text);
    free(own);
    free(unit);
    return text;
}
