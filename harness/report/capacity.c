#include "capacity.h"

#include "columns.h"
#include "figure.h"
#include "legend.h"
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

/* "0.71 [0.65, 0.77]" */
static void put_of_alone(struct line *json, const struct value *entry)
{
    const struct value *ci = view_get(entry, "of_reference_ci"), *low = view_first(ci);
    const double ratio = view_number(view_get(entry, "of_reference"), NAN);
    char text[NUMBER_SIZE];
    line_text(json, "of_alone",
              number_ratio(ratio, view_number(low, NAN),
                           low == NULL ? NAN : view_number(view_next(ci, low), NAN), text));
}

/* "19 of 24" */
static void put_kept(struct line *json, const struct value *entry)
{
    char *kept = must(view_copy(view_get(entry, "kept"))),
         *runs = must(view_copy(view_get(entry, "runs")));
    char *text = text_of("%s of %s", kept, runs);
    line_text(json, "kept", strcmp(runs, "null") == 0 ? "-" : text);
    free(kept);
    free(runs);
    free(text);
}

static void put_row(struct line *json, const struct value *capacity, const struct value *entry)
{
    char text[NUMBER_SIZE], *name = view_string(view_get(entry, "condition"));
    line_object(json, NULL);
    line_object(json, "texts");
    visible_put(json, "condition", name == NULL ? "-" : name);
    line_text(json, "value", capacity_value(capacity, entry, text));
    put_of_alone(json, entry);
    put_kept(json, entry);
    line_close(json);
    line_array(json, "problems");
    line_close(json);
    line_close(json);
    free(name);
}

void capacity_put(struct line *json, const struct experiment *experiment)
{
    const struct value *capacity = view_get(experiment->result.top, "capacity"),
                       *list = view_get(capacity, "by_condition");
    struct legend legend = legend_of(experiment);
    if (!capacity_searched(experiment)) {
        line_null(json, "capacity");
        return;
    }
    char *text = view_string(view_get(capacity, "text"));
    line_object(json, "capacity");
    visible_put(json, "title", experiment->name);
    legend.level = view_number(view_get(capacity, "confidence"), legend.level);
    columns_put_capacity(json, &legend);
    line_array(json, "rows");
    for (const struct value *item = view_first(list); item != NULL; item = view_next(list, item))
        put_row(json, capacity, item);
    line_close(json);
    line_array(json, "lines");
    if (text != NULL)
        visible_put(json, NULL, text);
    line_close(json);
    line_close(json);
    free(text);
}
