#include "outcome.h"

#include "plan.h"

#include "harness/report/numbers.h"

#include "common/record_json.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *duration_text(double seconds, char *text, size_t size)
{
    if (seconds < 100)
        snprintf(text, size, "%.0f s", seconds);
    else if (seconds < 6000)
        snprintf(text, size, "%.0f min", seconds / 60);
    else
        snprintf(text, size, "%.0f h %02d min", floor(seconds / 3600),
                 (int)(fmod(seconds, 3600) / 60));
    return text;
}

/* Whether a slowdown is one that was requested, by a load. Old records, and those of no metric
 * but wall time, have that of wall time. */
static bool is_wanted(const json_t *slowdown)
{
    const char *metric = json_text_at(slowdown, "metric"),
               *load = json_text_at(slowdown, "condition");
    const json_t *requested = json_object_get(slowdown, "requested");
    if (metric == NULL || load == NULL || strcmp(load, "aa") == 0)
        return false;
    return json_is_boolean(requested) ? json_is_true(requested) : strcmp(metric, "wall_s") == 0;
}

/* Whether a comparison of variants is one that was requested; in old records all are. */
static bool is_requested(const json_t *comparison)
{
    return !json_is_false(json_object_get(comparison, "requested"));
}

static void put_slowdown(const json_t *slowdown, char *text, size_t size)
{
    const json_t *ci = json_object_get(slowdown, "ci");
    const double ratio = number_of(slowdown, "ratio", NAN);
    const bool noise = json_is_false(json_object_get(slowdown, "distinguishable"));
    char bounds[2 * NUMBER_SIZE] = "";
    if (json_is_array(ci))
        snprintf(bounds, sizeof bounds, " [%.3f, %.3f]", json_number_value(json_array_get(ci, 0)),
                 json_number_value(json_array_get(ci, 1)));
    snprintf(text, size, "slowdown %.3f%s%s", ratio, bounds, noise ? " (noise)" : "");
}

/* The first metric that decides, where the program prints it; else wall time. */
static const json_t *deciding(const json_t *result, const json_t *condition, const char **name)
{
    const json_t *decide = json_object_get(json_object_get(result, "settings"), "decide");
    const char *first = json_string_value(json_array_get(decide, 0));
    const json_t *figure =
        first == NULL ? NULL : json_object_get(json_object_get(condition, "metrics"), first);
    *name = figure == NULL ? NULL : first;
    return figure == NULL ? json_object_get(condition, "wall_s") : figure;
}

static void put_figure(const json_t *result, const json_t *condition, char *text, size_t size)
{
    const char *name;
    const json_t *figure = deciding(result, condition, &name);
    const char *unit = name == NULL ? "s" : json_text_at(figure, "unit");
    const double relative = 100 * number_of(figure, "error", NAN);
    char mean[NUMBER_SIZE], error[NUMBER_SIZE];
    number_scaled(number_of(figure, "mean", name == NULL ? 0 : NAN), unit ? unit : "", mean);
    if (isnan(relative))
        snprintf(text, size, "%s%s%s", name ? name : "", name ? " " : "", mean);
    else
        snprintf(text, size, "%s%s%s, error %s %%", name ? name : "", name ? " " : "", mean,
                 number_fixed(relative, number_decimals(relative), error));
}

static void put_runs(const json_t *result, const json_t *conditions, char *text, size_t size)
{
    double runs = 0;
    bool converged = true;
    size_t i;
    json_t *condition;
    json_array_foreach(conditions, i, condition)
    {
        runs += number_of(condition, "runs", 0);
        converged = converged && json_is_true(json_object_get(condition, "converged"));
    }
    /* A single run on purpose, such as a series, cannot. */
    converged = converged || number_of(json_object_get(result, "settings"), "max_runs", NAN) == 1;
    snprintf(text, size, ", %.0f run%s%s", runs, runs == 1 ? "" : "s",
             converged ? "" : ", not converged");
}

/* What is said of each of a list of results that is wanted, with semicolons between; ""
 * where none is. */
static void put_each(const json_t *list, bool (*wanted)(const json_t *), char *text, size_t size)
{
    size_t i, used = 0;
    json_t *one;
    text[0] = '\0';
    json_array_foreach(list, i, one)
    {
        const char *metric = json_text_at(one, "metric"), *words = json_text_at(one, "text");
        if (!wanted(one))
            continue;
        if (used > 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "; ");
        if (used >= size)
            break;
        if (wanted == is_wanted && metric != NULL && strcmp(metric, "wall_s") == 0)
            put_slowdown(one, text + used, size - used);
        else
            snprintf(text + used, size - used, "%s", words != NULL ? words : "");
        used += strlen(text + used);
    }
}

const char *outcome_text(const char *result_path, char *text, size_t size)
{
    json_t *result = json_read_record(result_path, 0, NULL);
    const json_t *conditions = json_object_get(result, "conditions");
    put_each(json_object_get(result, "comparisons"), is_requested, text, size);
    if (text[0] == '\0')
        put_each(json_object_get(result, "slowdowns"), is_wanted, text, size);
    if (text[0] == '\0' && json_array_size(conditions) > 0)
        put_figure(result, json_array_get(conditions, 0), text, size);
    else if (text[0] == '\0')
        snprintf(text, size, "done");
    if (json_array_size(conditions) > 0)
        put_runs(result, conditions, text + strlen(text), size - strlen(text));
    json_decref(result);
    return text;
}
