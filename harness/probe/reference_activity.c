#include "harness/probe/reference_activity.h"

#include "harness/probe/series.h"

#include "common/record_json.h"

#include <math.h>
#include <string.h>

/* What one look has shown; NAN: nothing. */
static double look_value(const json_t *look, enum activity activity)
{
    const json_t *list = json_object_get(look, "activity"), *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        const char *name = json_text_at(one, "name");
        if (name != NULL && strcmp(name, activities[activity].name) == 0)
            return json_number_at(one, "value");
    }
    return NAN;
}

/* False: out of memory. */
static bool summarise_alone(const struct reference_runs *runs, enum activity activity,
                            struct series_summary *summary, size_t *count)
{
    struct series series = {0};
    bool good = true;
    for (size_t i = 0; good && i < runs->count; i++)
        if (runs->condition[runs->run[i].condition].quiet &&
            isfinite(runs->run[i].activity[activity]))
            good = series_add(&series, runs->run[i].activity[activity]);
    *count = series.count;
    good = good && series_summarise(&series, summary);
    series_free(&series);
    return good;
}

/* How many looks have shown it, and the sum of what they have. */
static size_t add_looks(const struct reference_source *source, enum activity activity, double *sum)
{
    const double first = look_value(source->quiet, activity);
    size_t count = isfinite(first), i;
    const json_t *look;
    *sum = isfinite(first) ? first : 0;
    json_array_foreach(source->later, i, look)
    {
        const double value = look_value(look, activity);
        if (!isfinite(value))
            continue;
        *sum += value;
        count++;
    }
    return count;
}

double reference_activity_quiet(const struct reference_source *source, enum activity activity)
{
    struct series_summary summary;
    size_t alone;
    double sum;
    const size_t looks = add_looks(source, activity, &sum);
    if (looks > 0)
        return sum / (double)looks;
    if (!summarise_alone(source->runs, activity, &summary, &alone) || alone == 0)
        return NAN;
    return summary.median;
}

static json_t *activity_to_json(const struct reference_source *source, enum activity activity)
{
    const double value = reference_activity_quiet(source, activity);
    struct series_summary summary;
    size_t alone;
    if (!summarise_alone(source->runs, activity, &summary, &alone))
        return NULL;
    if (alone == 0 || !isfinite(value))
        return json_pack("{s:s}", "reason", "not measured");
    return json_pack("{s:s, s:o, s:o, s:o, s:I}", "unit", activities[activity].unit, "value",
                     number_to_json(value), "alone", number_to_json(summary.median), "between",
                     number_to_json(summary.spread), "n", (json_int_t)alone);
}

json_t *reference_activity(const struct reference_source *source)
{
    json_t *all = json_object();
    for (enum activity a = 0; a < ACTIVITIES; a++)
        if (json_object_set_new(all, activities[a].name, activity_to_json(source, a)) != 0) {
            json_decref(all);
            return NULL;
        }
    return all;
}
