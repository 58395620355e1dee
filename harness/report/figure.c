#include "figure.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

double figure_bound(const struct value *figure, bool high)
{
    const struct value *ci = view_get(figure, "ci"), *low = view_first(ci);
    return view_number(high && low != NULL ? view_next(ci, low) : low, NAN);
}

/* Results of older versions left rare outliers out of the mean. */
static bool is_without_outliers(const struct value *figure)
{
    return view_equals(view_get(figure, "statistic"), "mean-without-outliers");
}

static bool is_mean(const struct value *figure)
{
    const struct value *statistic = view_get(figure, "statistic");
    return statistic == NULL || view_equals(statistic, "mean") || is_without_outliers(figure);
}

double figure_center(const struct value *figure)
{
    const double center = number_of(figure, "center");
    return isnan(center) ? number_of(figure, "mean") : center;
}

const char *figure_text(const struct value *figure, const char *unit, char *text)
{
    const double center = figure_center(figure);
    const double low = figure_bound(figure, false), high = figure_bound(figure, true);
    char number[NUMBER_SIZE];
    if (isnan(center))
        return strcpy(text, "-");
    if (view_true(view_get(figure, "constant"))) {
        number_scaled(center, unit, text);
        return strcat(text, " (constant)");
    }
    if (is_mean(figure))
        number_with_interval(center, low, high, unit, text);
    else if (isnan(low))
        snprintf(text, NUMBER_SIZE, "%.100s (no interval)", number_scaled(center, unit, number));
    else
        number_with_bounds(center, low, high, unit, text);
    return is_without_outliers(figure) ? strcat(text, " *") : text;
}

char *figure_star(const struct value *figure, const char *unit, const char *who)
{
    const double count = view_number(view_get(figure, "set_aside"), 0);
    char mean[NUMBER_SIZE];
    if (!is_without_outliers(figure))
        return NULL;
    return text_of("* %s: mean-without-outliers, %.0f run%s set aside; the mean of all runs is %s",
                   who, count, count == 1 ? "" : "s",
                   number_scaled(number_of(figure, "mean"), unit, mean));
}
