#include "row.h"

#include "capacity.h"
#include "experiment.h"
#include "figure.h"
#include "ratio.h"
#include "visible.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

/* Runs that the time-out ended: what is shown is then a lower bound. */
static bool is_censored(const struct value *object)
{
    return view_number(view_get(object, "censored"), 0) > 0;
}

const char *row_figure(const struct value *condition, const struct metric *metric, char *text)
{
    const struct value *figure = metric_figure(condition, metric);
    char bound[NUMBER_SIZE];
    if (!is_censored(condition))
        return figure_text(figure, metric->unit, text);
    snprintf(text, NUMBER_SIZE, "at least %.60s",
             number_scaled(figure_center(figure), metric->unit, bound));
    return text;
}

char *row_star(const struct value *condition, const char *who)
{
    return figure_star(view_get(condition, "wall_s"), "s", who);
}

const char *row_achieved(const struct value *load, bool is_short, char *text)
{
    const double offered = number_of(load, "offered"), achieved = number_of(load, "achieved");
    char one[NUMBER_SIZE], two[NUMBER_SIZE];
    if (isnan(offered) || isnan(achieved)) {
        number_scaled(number_of(load, "cpu_s"), "s", text);
        return strcmp(text, "-") == 0 ? text : strcat(text, " CPU");
    }
    char *unit = view_string(view_get(load, "unit"));
    const struct scale s = scale_of(fmax(offered, achieved), unit == NULL ? "" : unit);
    const int decimals = number_decimals(fmax(offered, achieved) * s.factor);
    char *plain = visible(s.unit);
    snprintf(text, NUMBER_SIZE, "%.40s of %.40s %.60s%s",
             number_fixed(achieved * s.factor, decimals, one),
             number_fixed(offered * s.factor, decimals, two), plain, is_short ? " (short)" : "");
    free(plain);
    free(unit);
    return text;
}

char *row_loads(const struct value *condition)
{
    const struct value *loads = view_get(condition, "load");
    char text[NUMBER_SIZE], *all = NULL;
    for (const struct value *load = view_first(loads); load != NULL;
         load = view_next(loads, load)) {
        char *more = text_of("%s%s%s", all == NULL ? "" : all, all == NULL ? "" : " + ",
                             row_achieved(load, view_true(view_get(load, "short")), text));
        free(all);
        all = more;
    }
    return all == NULL ? must(strdup("-")) : all;
}

void row_warnings(struct line *json, const struct warning *warnings, size_t count)
{
    for (unsigned problem = 2; problem-- > 0;) {
        line_array(json, problem ? "problems" : "notes");
        for (size_t i = 0; i < count; i++) {
            if (warnings[i].problem != problem)
                continue;
            line_object(json, NULL);
            line_text(json, "flag", warnings[i].flag);
            view_put(json, "condition", view_get(warnings[i].record, "condition"));
            visible_put(json, "text", warnings[i].text);
            line_close(json);
        }
        line_close(json);
    }
}

void row_condition_warnings(struct line *json, const struct experiment *experiment,
                            const char *condition)
{
    const struct value *all = view_get(experiment->result.top, "warnings");
    struct warning *warning = NULL;
    size_t count = 0, allocated = 0;
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item)) {
        const struct value *of = view_get(item, "condition");
        if (view_is(view_get(item, "flag"), VIEW_STRING) &&
            (condition == NULL ? !view_is(of, VIEW_STRING) : view_equals(of, condition))) {
            warning = grown(warning, count, &allocated, sizeof *warning);
            warning[count++] = severity_warning(item);
        }
    }
    row_warnings(json, warning, count);
    for (size_t i = 0; i < count; i++) {
        free(warning[i].flag);
        free(warning[i].text);
    }
    free(warning);
}

bool row_has_metric(const struct experiment *experiment, size_t metric)
{
    return experiment->metrics.item[metric].chosen && metric != experiment->metrics.main &&
           !capacity_searched(experiment);
}

char *row_load(const struct cell *cell)
{
    char *load = visible(cell->load == NULL ? "-" : cell->load);
    if (cell->load == NULL || cell->level == NULL)
        return load;
    char *level = visible(cell->level), *both = text_of("%s %s", load, level);
    free(load);
    free(level);
    return both;
}
