#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

json_t *json_figure(double value)
{
    char text[40];
    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof text, "%.*g", FIGURE_DIGITS, value);
    return json_real(strtod(text, NULL));
}
