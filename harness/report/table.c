#include "table.h"

#include "figure.h"
#include "memory.h"
#include "row.h"
#include "severity.h"
#include "visible.h"

#include "common/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NUMBERS_NAMED = 6 };

static void put_visible(struct line *json, const char *name, char *text)
{
    char *plain = text == NULL ? NULL : visible(text);
    line_text(json, name, plain);
    free(plain);
    free(text);
}

static void put_title(struct line *json, const struct experiment *experiment)
{
    const struct value *environment = experiment->environment,
                       *placement = view_get(experiment->record.top, "placement");
    char *host = view_string(view_get(environment, "host")),
         *cpu = view_string(view_get(environment, "cpu"));
    char *allowed = view_string(view_get(environment, "cpus_allowed")),
         *kernel = view_string(view_get(environment, "kernel"));
    char *place = view_string(view_get(placement, "place")),
         *target = view_string(view_get(placement, "target_cpus"));
    char *load = view_string(view_get(placement, "load_cpus")), *placed = NULL;
    put_visible(json, "where",
                text_of("on %s: %s, CPUs %s, %s", host == NULL ? "?" : host,
                        cpu == NULL ? "?" : cpu, allowed == NULL ? "?" : allowed,
                        kernel == NULL ? "?" : kernel));
    if (place != NULL)
        placed = text_of("placed %s: target on CPU %s, loads on CPU %s", place,
                         target == NULL ? "-" : target, load == NULL ? "-" : load);
    put_visible(json, "placed", placed);
    char *texts[] = {host, cpu, allowed, kernel, place, target, load};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

/* What each of a condition's loads achieved: "1.0 of 1.0 CPUs + 12 ms CPU". */
static char *loads_text(const struct value *condition)
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

static void put_warnings(struct line *json, const struct experiment *experiment,
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

static void put_condition(struct line *json, const struct experiment *experiment,
                          const struct value *condition)
{
    char text[NUMBER_SIZE], *name = must(view_string(view_get(condition, "name"))),
                            *plain = visible(name);
    const bool reference = condition == experiment->baseline;
    const struct value *slowdown = slowdown_of(experiment, name, "wall_s");
    line_object(json, NULL);
    line_object(json, "texts");
    line_text(json, "condition", plain);
    snprintf(text, sizeof text, "%.0f", view_number(view_get(condition, "runs"), 0));
    line_text(json, "runs", text);
    line_text(json, "wall", row_figure(condition, METRIC_WALL, text));
    number_scientific(view_number(view_path(condition, "wall_s", "variance"), NAN), text);
    strcat(text, " s²");
    line_text(json, "variance", text);
    for (unsigned i = METRIC_USER; i < METRIC_COUNT; i++)
        line_text(json, metrics[i].title,
                  number_scaled(figure_center(view_get(condition, metrics[i].name)),
                                metrics[i].scale, "", text));
    line_text(json, "slowdown",
              slowdown == NULL ? (reference ? "1" : "-")
                               : row_slowdown(slowdown, experiment->family, text));
    put_visible(json, "achieved", loads_text(condition));
    line_close(json);
    line_text(json, "who", plain);
    view_put(json, "distinguishable", view_get(slowdown, "distinguishable"));
    put_warnings(json, experiment, name);
    line_close(json);
    free(plain);
    free(name);
}

static void put_conditions(struct line *json, const struct experiment *experiment)
{
    line_array(json, "rows");
    for (const struct value *item = view_first(experiment->conditions); item != NULL;
         item = view_next(experiment->conditions, item))
        if (view_is(view_get(item, "name"), VIEW_STRING))
            put_condition(json, experiment, item);
    /* What is of no single condition. */
    line_object(json, NULL);
    line_null(json, "texts");
    line_null(json, "who");
    put_warnings(json, experiment, NULL);
    line_close(json);
    line_close(json);
}

/* The metrics of --metric besides the wall time: a row for each, of each condition that
 * is compared with the baseline, or of the baseline alone. */
static void put_metrics(struct line *json, const struct experiment *experiment)
{
    const struct value *conditions = experiment->conditions;
    const bool single = view_first(view_get(experiment->result.top, "slowdowns")) == NULL;
    line_array(json, "metrics");
    for (const struct value *item = view_first(conditions); item != NULL;
         item = view_next(conditions, item)) {
        char *name = view_string(view_get(item, "name"));
        for (unsigned i = METRIC_USER; i < METRIC_COUNT; i++) {
            if (name == NULL || (item == experiment->baseline) != single ||
                !row_has_metric(experiment, i))
                continue;
            line_object(json, NULL);
            line_object(json, "texts");
            put_visible(json, "condition", must(strdup(name)));
            row_metric(json, experiment, i, single ? NULL : name);
            line_close(json);
            view_put(json, "distinguishable",
                     view_get(slowdown_of(experiment, name, metrics[i].name), "distinguishable"));
            line_close(json);
        }
        free(name);
    }
    line_close(json);
}

static void put_loads(struct line *json, const struct experiment *experiment)
{
    const struct value *loads = view_get(experiment->record.top, "loads");
    for (const struct value *load = view_first(loads); load != NULL;
         load = view_next(loads, load)) {
        char *name = view_string(view_get(load, "name")),
             *spec = view_string(view_get(load, "spec"));
        if (name != NULL && spec != NULL)
            put_visible(json, NULL, text_of("%s = %s", name, spec));
        free(name);
        free(spec);
    }
}

/* "7, 19 and 3 more" */
static char *numbers_text(const struct value *list)
{
    char *all = must(strdup(""));
    size_t count = 0;
    for (const struct value *item = view_first(list); item != NULL; item = view_next(list, item)) {
        if (++count > NUMBERS_NAMED)
            continue;
        char *more = text_of("%s%s%.0f", all, *all == '\0' ? "" : ", ", view_number(item, 0));
        free(all);
        all = more;
    }
    if (count <= NUMBERS_NAMED)
        return all;
    char *more = text_of("%s and %zu more", all, count - NUMBERS_NAMED);
    free(all);
    return more;
}

/* Which runs are far from the others: the mean includes them, and a note says more. */
static char *outliers_text(const struct experiment *experiment, const struct value *warning)
{
    const struct value *list = view_get(warning, "runs"), *first = view_first(list);
    const bool one = first != NULL && view_next(list, first) == NULL;
    char *name = view_string(view_get(warning, "condition")), *runs = numbers_text(list),
         text[NUMBER_SIZE];
    const struct value *wall = view_get(condition_named(experiment, name), "wall_s");
    const bool mean = view_equals(view_get(wall, "statistic"), "mean");
    const char *them = one ? "it" : "them";
    number_scaled(view_number(view_get(wall, mean ? "median" : "mean"), NAN), scale_time, "", text);
    char *line = mean ? text_of("%s: outlier%s in run%s %s: the mean includes %s, the median is %s",
                                name, one ? "" : "s", one ? "" : "s", runs, them, text)
                      : text_of("%s: outlier%s in run%s %s: the mean, which includes %s, is %s",
                                name, one ? "" : "s", one ? "" : "s", runs, them, text);
    free(name);
    free(runs);
    return line;
}

static void put_outliers(struct line *json, const struct experiment *experiment)
{
    const struct value *all = view_get(experiment->result.top, "warnings");
    line_array(json, "outliers");
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item))
        if (view_equals(view_get(item, "flag"), "outliers") &&
            view_equals(view_get(item, "metric"), "wall_s") &&
            view_is(view_get(item, "condition"), VIEW_STRING) &&
            view_first(view_get(item, "runs")) != NULL)
            put_visible(json, NULL, outliers_text(experiment, item));
    line_close(json);
}

static void put_attributions(struct line *json, const struct experiment *experiment)
{
    const struct value *all = view_get(experiment->result.top, "slowdowns");
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item))
        if (view_is(view_path(item, "attribution", "text"), VIEW_STRING))
            put_visible(json, NULL, view_string(view_path(item, "attribution", "text")));
}

/* Whether --at-most was judged by that metric: what is too small for it has no verdict. */
static bool is_judged(const struct experiment *experiment, const char *metric)
{
    const struct value *all = view_get(experiment->result.top, "slowdowns");
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item))
        if (view_equals(view_get(item, "metric"), metric) &&
            view_is(view_get(item, "verdict"), VIEW_STRING))
            return true;
    return false;
}

/* "a" or "a, b"; `text` is freed. */
static char *with_name(char *text, const char *name)
{
    char *more = text_of("%s%s%s", text, *text == '\0' ? "" : ", ", name);
    free(text);
    return more;
}

/* What the gate is about, where that is not the wall time alone: " for user time, memory",
 * and which metrics it had to leave out. */
static char *gate_metrics(const struct experiment *experiment)
{
    const struct value *list = view_get(experiment->settings, "metric");
    char *judged = must(strdup("")), *small = must(strdup(""));
    bool others = false;
    for (const struct value *item = view_first(list); item != NULL; item = view_next(list, item))
        for (unsigned i = 0; i < METRIC_COUNT; i++) {
            if (!view_equals(item, metrics[i].name))
                continue;
            others = others || i != METRIC_WALL;
            char **text = is_judged(experiment, metrics[i].name) ? &judged : &small;
            *text = with_name(*text, metrics[i].words);
        }
    char *text = !others ? must(strdup(""))
                         : text_of("%s%s%s%s%s", *judged == '\0' ? "" : " for ", judged,
                                   *small == '\0' ? "" : " (too small to be judged: ", small,
                                   *small == '\0' ? "" : ")");
    free(judged);
    free(small);
    return text;
}

/* What the baseline against itself still allows, and the answer to --at-most. */
static void put_answers(struct line *json, const struct experiment *experiment)
{
    const struct value *result = experiment->result.top, *floors = view_get(result, "noise_floor");
    char text[NUMBER_SIZE];
    for (const struct value *floor = view_first(floors); floor != NULL;
         floor = view_next(floors, floor)) {
        const char *name = "?";
        for (unsigned i = 0; i < METRIC_COUNT; i++)
            if (view_equals(view_get(floor, "metric"), metrics[i].name))
                name = metrics[i].words;
        put_visible(
            json, NULL,
            text_of("noise floor, %s: %s (what the baseline measured against itself still allows)",
                    name, number_percent(view_number(view_get(floor, "floor"), NAN), text)));
    }
    char *verdict = view_string(view_get(result, "verdict")), *names = gate_metrics(experiment);
    if (verdict != NULL)
        put_visible(json, NULL,
                    text_of("at most %.4g%s: %s",
                            view_number(view_path(result, "settings", "at_most"), NAN), names,
                            verdict));
    free(verdict);
    free(names);
}

void table_put(struct line *json, const struct experiment *experiment)
{
    line_object(json, "experiment");
    put_visible(json, "command", command_text(view_get(experiment->record.top, "command")));
    put_title(json, experiment);
    put_conditions(json, experiment);
    put_metrics(json, experiment);
    line_array(json, "lines");
    put_loads(json, experiment);
    for (const struct value *item = view_first(experiment->conditions); item != NULL;
         item = view_next(experiment->conditions, item)) {
        char *name = view_string(view_get(item, "name")),
             *star = row_star(item, name == NULL ? "?" : name);
        if (star != NULL)
            put_visible(json, NULL, star);
        free(name);
    }
    put_attributions(json, experiment);
    put_answers(json, experiment);
    line_close(json);
    put_outliers(json, experiment);
    line_bool(json, "loaded", view_first(view_get(experiment->result.top, "slowdowns")) != NULL);
    line_close(json);
}
