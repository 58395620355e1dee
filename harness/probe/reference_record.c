#include "reference_record.h"

#include "harness/pressure/curve.h"
#include "harness/pressure/identity.h"
#include "harness/pressure/reference.h"
#include "harness/probe/reference_activity.h"
#include "harness/probe/reference_quiet.h"

#include "common/record_json.h"
#include "common/schemas.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CONFIDENCE     0.95
#define PRIOR_FREEDOM  4    /* what the variance of all conditions counts for, in runs */
#define LEAST_VARIANCE 1e-8 /* of a log ratio: 0.01 percent; none is known better */

/* Of one reporter's quiet runs in a block, the mean of the logarithms; NAN: there is none. */
static double quiet_of_block(const struct reference_runs *runs, size_t block,
                             enum reporter reporter)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct reference_run *run = &runs->run[i];
        if (run->block == block && runs->condition[run->condition].quiet &&
            isfinite(run->logarithm[reporter])) {
            sum += run->logarithm[reporter];
            count++;
        }
    }
    return count == 0 ? NAN : sum / (double)count;
}

/* ---- the curves ---- */

/* By how much a run is beyond the quiet machine: the log ratio of a reporter to the quiet runs of
 * its block, positive where it is worse; of an activity the difference to the quiet value. NAN: not
 * known. */
static double excess_of(const struct reference_source *source, const struct reference_run *run,
                        size_t sign)
{
    if (sign >= REPORTERS)
        return run->activity[sign - REPORTERS] -
               reference_activity_quiet(source, (enum activity)(sign - REPORTERS));
    const double difference =
        run->logarithm[sign] - quiet_of_block(source->runs, run->block, (enum reporter)sign);
    return reporters[sign].higher_is_better ? -difference : difference;
}

/* The excesses of one condition's runs. */
struct ratios {
    size_t n;
    double mean, variance; /* NAN where there are too few */
};

static struct ratios ratios_of(const struct reference_source *source, size_t condition, size_t sign)
{
    const struct reference_runs *runs = source->runs;
    double sum = 0, squares = 0;
    size_t n = 0;
    for (size_t i = 0; i < runs->count; i++) {
        const struct reference_run *run = &runs->run[i];
        if (run->condition != condition)
            continue;
        const double ratio = excess_of(source, run, sign);
        if (!isfinite(ratio))
            continue;
        sum += ratio;
        squares += ratio * ratio;
        n++;
    }
    const double mean = n == 0 ? NAN : sum / (double)n;
    return (struct ratios){n, mean, n < 2 ? NAN : fmax(squares - sum * mean, 0) / (double)(n - 1)};
}

/* The mean variance of a sign's excesses: of a reporter over all conditions; of an activity over
 * those of one kind, as another may move nothing or a thousand times as much. NAN: not known. */
static double usual_variance(const struct reference_source *source, enum kind kind, size_t sign)
{
    const struct reference_runs *runs = source->runs;
    double sum = 0, freedom = 0;
    for (size_t condition = 0; condition < runs->conditions; condition++) {
        const struct ratios ratios = ratios_of(source, condition, sign);
        if (runs->condition[condition].quiet || !isfinite(ratios.variance) ||
            (sign >= REPORTERS && runs->condition[condition].kind != kind))
            continue;
        sum += ratios.variance * (double)(ratios.n - 1);
        freedom += (double)(ratios.n - 1);
    }
    return freedom > 0 ? sum / freedom : NAN;
}

/* A point of one sign's curve. Of few runs the variance itself is known badly: it is drawn
 * towards the usual one, as if that were of PRIOR_FREEDOM runs more (G. K. Smyth, Stat. Appl.
 * Genet. Mol. Biol. 3 (2004) 3). */
struct estimate {
    struct curve_point point;
    size_t n;
    double half; /* of the interval of the value */
};

static struct estimate estimate_of(const struct ratios *ratios, double usual)
{
    struct estimate estimate = {.point = {.value = NAN, .variance = NAN}, .n = ratios->n};
    const double freedom = ratios->n == 0 ? 0 : (double)(ratios->n - 1);
    const double own = isfinite(ratios->variance) ? ratios->variance * freedom : 0;
    if (ratios->n == 0 || !isfinite(usual))
        return estimate;
    const double variance = (own + PRIOR_FREEDOM * usual) / (freedom + PRIOR_FREEDOM);
    estimate.point.value = ratios->mean;
    estimate.point.variance = fmax(variance / (double)ratios->n, LEAST_VARIANCE);
    estimate.half = gsl_cdf_tdist_Pinv((1 + CONFIDENCE) / 2, freedom + PRIOR_FREEDOM) *
                    sqrt(estimate.point.variance);
    return estimate;
}

/* The condition of a kind at a level; conditions: there is none. */
static size_t condition_at(const struct reference_runs *runs, enum kind kind, double level)
{
    size_t i = 0;
    while (i < runs->conditions && (runs->condition[i].quiet || runs->condition[i].kind != kind ||
                                    fabs(runs->condition[i].level - level) > 1e-6))
        i++;
    return i;
}

struct kind_curve {
    double level[REFERENCE_POINTS];
    size_t condition[REFERENCE_POINTS];
    size_t points;
    struct estimate estimate[REFERENCE_POINTS][SIGNS];
};

static void find_points(const struct reference_runs *runs, enum kind kind, struct kind_curve *curve)
{
    curve->points = 0;
    for (size_t point = 1; point < REFERENCE_POINTS; point++) {
        const double level = (double)point / (REFERENCE_POINTS - 1);
        const size_t condition = condition_at(runs, kind, level);
        if (condition == runs->conditions)
            continue;
        curve->level[curve->points] = level;
        curve->condition[curve->points++] = condition;
    }
}

static void fit_curve(const struct reference_source *source, enum kind kind,
                      struct kind_curve *curve)
{
    for (size_t sign = 0; sign < SIGNS; sign++) {
        const double usual = usual_variance(source, kind, sign);
        struct curve_point point[REFERENCE_POINTS];
        for (size_t i = 0; i < curve->points; i++) {
            const struct ratios ratios = ratios_of(source, curve->condition[i], sign);
            curve->estimate[i][sign] = estimate_of(&ratios, usual);
            point[i] = curve->estimate[i][sign].point;
        }
        if (sign < REPORTERS)
            curve_fit(point, curve->points);
        else
            curve_fit_rising(point, curve->points); /* a load only adds to what is done */
        for (size_t i = 0; i < curve->points; i++) {
            curve->estimate[i][sign].point = point[i];
            /* The next load differs from the mean as much as these do from each other: more windows
             * of a probe do not average that away. */
            if (sign >= REPORTERS)
                curve->estimate[i][sign].point.fitted_variance +=
                    (double)curve->estimate[i][sign].n * point[i].variance;
        }
    }
}

/* what: the name of the value */
static json_t *estimate_to_json(const struct estimate *estimate, const char *what)
{
    const struct curve_point *point = &estimate->point;
    return json_pack("{s:o, s:[o, o], s:I, s:o, s:o}", what, number_to_json(point->value), "ci",
                     number_to_json(point->value - estimate->half),
                     number_to_json(point->value + estimate->half), "n", (json_int_t)estimate->n,
                     "fitted", number_to_json(point->fitted), "fitted_error",
                     number_to_json(sqrt(point->fitted_variance)));
}

static double achieved_of(const struct reference_runs *runs, size_t condition)
{
    double sum = 0;
    size_t count = 0;
    for (size_t i = 0; i < runs->count; i++)
        if (runs->run[i].condition == condition && isfinite(runs->run[i].achieved)) {
            sum += runs->run[i].achieved;
            count++;
        }
    return count == 0 ? NAN : sum / (double)count;
}

static json_t *point_to_json(const struct reference_runs *runs, enum kind kind,
                             const struct kind_curve *curve, size_t i)
{
    char spec[64];
    json_t *readings = json_object();
    for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
        if (curve->estimate[i][reporter].n > 0)
            (void)json_object_set_new(readings, reporters[reporter].name,
                                      estimate_to_json(&curve->estimate[i][reporter], "log_ratio"));
    json_t *done = json_object();
    for (enum activity a = 0; a < ACTIVITIES; a++)
        if (curve->estimate[i][REPORTERS + a].n > 0)
            (void)json_object_set_new(
                done, activities[a].name,
                estimate_to_json(&curve->estimate[i][REPORTERS + a], "excess"));
    return json_pack("{s:f, s:s, s:o, s:o, s:o}", "level", curve->level[i], "spec",
                     kind_spec(kind, curve->level[i], spec, sizeof spec), "achieved",
                     number_to_json(achieved_of(runs, curve->condition[i])), "reporters", readings,
                     "activity", done);
}

/* A curve that ends before the highest level, or has a gap, is none: a level between two points
 * would be a guess. */
static const char *curve_reason(const struct reference_runs *runs, const struct kind_curve *curve)
{
    if (curve->points < REFERENCE_POINTS - 1)
        return "not measured";
    for (size_t i = 0; i < curve->points; i++) {
        size_t count = 0;
        for (size_t k = 0; k < runs->count; k++)
            count += runs->run[k].condition == curve->condition[i];
        if (count == 0)
            return "no run under it could be used";
    }
    return NULL;
}

static json_t *curve_to_json(const struct reference_source *source, enum kind kind)
{
    struct kind_curve *curve = calloc(1, sizeof *curve);
    if (curve == NULL)
        return NULL;
    find_points(source->runs, kind, curve);
    const char *reason = curve_reason(source->runs, curve);
    char impossible[256];
    json_t *points = json_array();
    if (reason == NULL) {
        fit_curve(source, kind, curve);
        for (size_t i = 0; i < curve->points; i++)
            (void)json_array_append_new(points, point_to_json(source->runs, kind, curve, i));
    } else if (json_is_object(json_object_get(source->quiet, "kinds"))) {
        const char *known = json_string_value(
            json_object_get(json_object_get(source->quiet, "kinds"), kinds[kind].name));
        if (known != NULL) {
            snprintf(impossible, sizeof impossible, "%s", known);
            reason = impossible;
        }
    }
    json_t *made = json_pack("{s:s, s:s, s:s, s:o, s:o}", "kind", kinds[kind].name, "spec",
                             kinds[kind].words, "resource", kinds[kind].resource, "reason",
                             text_to_json(reason), "points", points);
    free(curve);
    return made;
}

static json_t *curves(const struct reference_source *source)
{
    json_t *all = json_array();
    for (enum kind kind = 0; kind < KINDS; kind++)
        if (json_array_append_new(all, curve_to_json(source, kind)) != 0) {
            json_decref(all);
            return NULL;
        }
    return all;
}

/* ---- all of it ---- */

static json_t *member(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return value == NULL ? json_null() : json_incref(value);
}

static json_t *header(const struct reference_source *source)
{
    const json_t *environment = json_object_get(source->experiment, "environment");
    const json_t *after = json_object_get(source->experiment, "after");
    const json_t *placement = json_object_get(source->experiment, "placement");
    char machine[IDENTITY_DIGITS + 1];
    identity_of(environment, machine);
    return json_pack(
        "{s:s, s:o, s:o, s:o, s:o, s:s, s:o, s:o, s:{s:o, s:o}, s:o, s:o, s:I}", "schema",
        SCHEMA_PROBE_REFERENCE, "made", member(after, "time"), "jostle",
        member(json_object_get(environment, "versions"), "jostle"), "host",
        member(environment, "host"), "kernel", member(environment, "kernel"), "machine", machine,
        "environment", environment == NULL ? json_null() : json_incref((json_t *)environment),
        "place", text_to_json(source->place), "cpus", "target", member(placement, "target_cpus"),
        "loads", member(placement, "load_cpus"), "sample_s", member(source->quiet, "sample_s"),
        "disturbed", text_to_json(*source->disturbed == '\0' ? NULL : source->disturbed), "blocks",
        (json_int_t)source->runs->blocks);
}

json_t *reference_record(const struct reference_source *source)
{
    json_t *record = header(source);
    if (record == NULL || json_object_set_new(record, "quiet", reference_quiet(source)) != 0 ||
        json_object_set_new(record, "activity", reference_activity(source)) != 0 ||
        json_object_set_new(record, "curves", curves(source)) != 0) {
        json_decref(record);
        return NULL;
    }
    (void)json_object_set(record, "noise", json_object_get(source->quiet, "noise"));
    return record;
}
