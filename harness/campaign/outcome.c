// What came out of a cell, in a line.

#include "drive.h"

#include "common/units.h"
#include "harness/stats/effect.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

// Whether a slowdown is one that was requested, by a load. Old records, and those of no metric
// but wall time, have that of wall time.
static bool is_wanted(const json_t *slowdown)
{
    const char *metric = json_text_at(slowdown, "metric"),
               *load = json_text_at(slowdown, "condition");
    const json_t *requested = json_object_get(slowdown, "requested");
    if (!metric || !load || strcmp(load, "aa") == 0)
        return false;
    return json_is_boolean(requested) ? json_is_true(requested) : strcmp(metric, "wall_s") == 0;
}

static void put_slowdown(const json_t *slowdown, char *text, size_t size)
{
    const json_t *ci = json_object_get(slowdown, "ci");
    const double ratio = number_of(slowdown, "ratio", NAN);
    const enum effect effect =
        effect_named(json_text_at(json_object_get(slowdown, "judgement"), "effect"));
    const double low = json_is_array(ci) ? json_number_value(json_array_get(ci, 0)) : NAN;
    const double high = json_is_array(ci) ? json_number_value(json_array_get(ci, 1)) : NAN;
    char number[NUMBER_SIZE];
    snprintf(text, size, "slowdown %s%s", number_ratio(ratio, low, high, number),
             effect < EFFECTS ? effect_remarks[effect] : "");
}

static void put_figure(const json_t *result, const json_t *condition, char *text, size_t size)
{
    // The first metric that decides, where the program prints it; else wall time.
    const json_t *decide = json_object_get(json_object_get(result, "settings"), "decide");
    const char *name = json_string_value(json_array_get(decide, 0));
    const json_t *figure = json_object_get(json_object_get(condition, "metrics"), name);
    if (!figure) {
        name = NULL;
        figure = json_object_get(condition, "wall_s");
    }
    const char *unit = name ? json_text_or_empty(figure, "unit") : "s";
    const double relative = 100 * number_of(figure, "error", NAN);
    char mean[NUMBER_SIZE], error[NUMBER_SIZE];
    number_scaled(number_of(figure, "mean", name ? NAN : 0), unit, mean);
    const int used = snprintf(text, size, "%s%s%s", name ? name : "", name ? " " : "", mean);
    if (!isnan(relative) && used >= 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ", error %s %%",
                 number_fixed(relative, number_decimals(relative), error));
}

static void put_runs(const json_t *result, const json_t *conditions, char *text, size_t size)
{
    double runs = 0;
    bool converged = true;
    JSON_EACH (condition, conditions) {
        runs += number_of(condition, "runs", 0);
        converged = converged && json_is_true(json_object_get(condition, "converged"));
    }
    // A single run on purpose, such as a series, cannot.
    converged = converged || number_of(json_object_get(result, "settings"), "max_runs", NAN) == 1;
    snprintf(text, size, ", %.0f run%s%s", runs, runs == 1 ? "" : "s",
             converged ? "" : ", not converged");
}

// What is said of each of a list of results that was requested, with semicolons between; "" where
// none was: of slowdowns, or of the comparisons of variants, all of which are in old records.
static void put_each(const json_t *list, bool slowdowns, char *text, size_t size)
{
    size_t used = 0;
    text[0] = '\0';
    JSON_EACH (one, list) {
        if (slowdowns ? !is_wanted(one) : json_is_false(json_object_get(one, "requested")))
            continue;
        if (used > 0 && used < size)
            used += (size_t)snprintf(text + used, size - used, "; ");
        if (used >= size)
            break;
        if (slowdowns && json_text_is(one, "metric", "wall_s"))
            put_slowdown(one, text + used, size - used);
        else
            snprintf(text + used, size - used, "%s", json_text_or_empty(one, "text"));
        used += strlen(text + used);
    }
}

const char *outcome_text(const char *result_path, char *text, size_t size)
{
    json_auto_t *result = json_read_record(result_path, 0, NULL);
    const json_t *conditions = json_object_get(result, "conditions");
    put_each(json_object_get(result, "comparisons"), false, text, size);
    if (text[0] == '\0')
        put_each(json_object_get(result, "slowdowns"), true, text, size);
    if (text[0] == '\0' && json_array_size(conditions) > 0)
        put_figure(result, json_array_get(conditions, 0), text, size);
    else if (text[0] == '\0')
        snprintf(text, size, "done");
    if (json_array_size(conditions) > 0)
        put_runs(result, conditions, text + strlen(text), size - strlen(text));
    return text;
}
