#include "harness/probe/reference_quiet.h"

#include "harness/pressure/reference.h"
#include "harness/probe/series.h"

#include "common/record_json.h"

#include <math.h>
#include <string.h>

#define PRIOR_FREEDOM 4 /* what the runs of the experiment count for beside the looks */

/* The logarithms of what the looks have shown. */
struct looks {
    size_t count;
    double sum, squares; /* of the logarithms */
    double variance;     /* the sum of theirs */
};

static json_t *find(const json_t *list, const char *name)
{
    json_t *one;
    size_t i;
    json_array_foreach(list, i, one)
    {
        const char *text = json_string_value(json_object_get(one, "name"));
        if (text != NULL && strcmp(text, name) == 0)
            return one;
    }
    return NULL;
}

static bool quiet_series(const struct reference_runs *runs, enum reporter reporter,
                         struct series *series)
{
    for (size_t i = 0; i < runs->count; i++) {
        const struct reference_run *run = &runs->run[i];
        if (runs->condition[run->condition].quiet && isfinite(run->logarithm[reporter]) &&
            !series_add(series, run->logarithm[reporter]))
            return false;
    }
    return true;
}

static void add_look(struct looks *looks, const json_t *look, enum reporter reporter)
{
    const json_t *reading = find(json_object_get(look, "reporters"), reporters[reporter].name);
    const double value = json_number_value(json_object_get(reading, "value"));
    const double error = json_number_value(json_object_get(reading, "error"));
    if (!(value > 0))
        return;
    looks->count++;
    looks->sum += log(value);
    looks->squares += log(value) * log(value);
    looks->variance += error * error;
}

/* What a probe of another time differs by, as a standard deviation with its degrees of freedom. */
struct between {
    double sd, freedom;
};

/* From look to look, and from run to run. Of few looks the variance is known badly: it is drawn
 * towards that of the runs, as if those were PRIOR_FREEDOM looks more (G. K. Smyth, Stat. Appl.
 * Genet. Mol. Biol. 3 (2004) 3), but never below what either has shown. */
static struct between between_of(const struct looks *looks, double runs, size_t run_count)
{
    const double n = (double)looks->count;
    if (looks->count < 2)
        return (struct between){runs, run_count > 1 ? (double)run_count - 1 : 1};
    const double rest = fmax(looks->squares - looks->sum * looks->sum / n, 0);
    const double prior = isfinite(runs) ? PRIOR_FREEDOM : 0, freedom = n - 1 + prior;
    const double drawn = (rest + (prior > 0 ? prior * runs * runs : 0)) / freedom;
    return (struct between){fmax(isfinite(runs) ? runs : 0, sqrt(fmax(drawn, rest / (n - 1)))),
                            freedom};
}

/* The standard error of the logarithm of the quiet value. */
static double error_of(const struct looks *looks, double between)
{
    const double n = (double)looks->count;
    return sqrt(looks->variance / (n * n) + (isfinite(between) ? between * between / n : 0));
}

static json_t *member(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return value == NULL ? json_null() : json_incref(value);
}

/* Why there is no value. */
static json_t *no_quiet(const json_t *window)
{
    const char *reason = json_string_value(json_object_get(window, "reason"));
    return json_pack("{s:o}", "reason", text_to_json(reason == NULL ? "not measured" : reason));
}

static json_t *known_quiet(const struct looks *looks, const struct series *series,
                           const struct series_summary *summary, const json_t *window,
                           enum reporter reporter)
{
    const struct between between = between_of(looks, summary->spread, series->count);
    const bool looked = looks->count > 0;
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:I, s:I, s:o, s:o, s:o, s:o, s:o}", "unit",
        reporters[reporter].unit, "value",
        number_to_json(exp(looked ? looks->sum / (double)looks->count : summary->mean)), "error",
        number_to_json(looked ? error_of(looks, between.sd) : summary->error), "alone",
        number_to_json(exp(summary->mean)), "median", number_to_json(exp(summary->median)), "n",
        (json_int_t)series->count, "looks", (json_int_t)looks->count, "between",
        number_to_json(between.sd), "freedom", number_to_json(between.freedom), "spread",
        member(window, "spread"), "correlation", member(window, "correlation"), "windows",
        member(window, "n"));
}

static json_t *quiet_reporter(const struct reference_source *source, enum reporter reporter)
{
    const json_t *window =
        find(json_object_get(source->quiet, "reporters"), reporters[reporter].name);
    struct series series = {0};
    struct series_summary summary;
    struct looks looks = {0};
    json_t *made = NULL;
    const json_t *look;
    size_t i;
    add_look(&looks, source->quiet, reporter);
    json_array_foreach(source->later, i, look) add_look(&looks, look, reporter);
    if (quiet_series(source->runs, reporter, &series) && series_summarise(&series, &summary))
        made = series.count == 0 ? no_quiet(window)
                                 : known_quiet(&looks, &series, &summary, window, reporter);
    series_free(&series);
    return made;
}

json_t *reference_quiet(const struct reference_source *source)
{
    json_t *quiet = json_object();
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        if (json_object_set_new(quiet, reporters[reporter].name,
                                quiet_reporter(source, reporter)) != 0) {
            json_decref(quiet);
            return NULL;
        }
    return quiet;
}
