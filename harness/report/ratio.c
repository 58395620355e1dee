#include "ratio.h"

#include "figure.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

/* What is to be known of a ratio besides its bounds. */
static const char *remark(const struct value *slowdown)
{
    if (view_true(view_get(slowdown, "constant")))
        return " (constant)";
    if (isnan(figure_bound(slowdown, false)))
        return " (no interval)";
    return view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE) ? " (noise)" : "";
}

static const char *put_text(const struct value *slowdown, const struct family *family,
                            const char *remarks, char *text)
{
    char ratio[NUMBER_SIZE];
    if (isnan(number_of(slowdown, "ratio")))
        return strcpy(text, number_of(slowdown, "censored") > 0 ? "not known (time-out)" : "-");
    number_ratio(number_of(slowdown, "ratio"), figure_bound(slowdown, false),
                 figure_bound(slowdown, true), ratio);
    /* One slowdown is no family: there is nothing to mark. */
    const bool marked = family != NULL && family->count > 1 && family_survives(family, slowdown);
    snprintf(text, NUMBER_SIZE, "%.120s%s%s", ratio, remarks, marked ? " " FAMILY_MARK : "");
    return text;
}

const char *ratio_remarked(const struct value *slowdown, const struct family *family, char *text)
{
    return put_text(slowdown, family, remark(slowdown), text);
}

const char *ratio_text(const struct value *slowdown, const struct family *family, char *text)
{
    return put_text(slowdown, family, "", text);
}

const char *ratio_plain(const struct value *slowdown, const struct metric *metric, char *text)
{
    const double ratio = number_of(slowdown, "ratio"), low = figure_bound(slowdown, false),
                 high = figure_bound(slowdown, true);
    if (!metric->higher || !(ratio > 0))
        return strcpy(text, "-");
    return number_ratio(1 / ratio, low > 0 ? 1 / high : NAN, low > 0 ? 1 / low : NAN, text);
}

char *ratio_direction(const struct experiment *experiment, const struct value *slowdown)
{
    const struct metric_list *list = &experiment->metrics;
    const size_t place = metric_named(list, view_get(slowdown, "metric"));
    char text[NUMBER_SIZE];
    if (place == list->count || !list->item[place].chosen ||
        strcmp(ratio_plain(slowdown, &list->item[place], text), "-") == 0)
        return NULL;
    return text_of("%s %s of alone", list->item[place].words, text);
}
