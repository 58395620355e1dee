#include "sessions_result.h"

#include "experiment.h"
#include "metrics.h"
#include "row.h"

#include "harness/stats/interval.h"

#include "common/memory.h"
#include "common/schemas.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The same object of each session's result. */
struct parts {
    const struct value **of;
    size_t count;
};

static double sum_of(const struct parts *parts, const char *key)
{
    double sum = 0;
    for (size_t i = 0; i < parts->count; i++)
        sum += view_real(parts->of[i], key);
    return sum;
}

static double mean_of(const struct parts *parts, const char *key)
{
    return sum_of(parts, key) / (double)parts->count;
}

static double extreme_of(const struct parts *parts, const char *key, bool most)
{
    double extreme = view_real(parts->of[0], key);
    for (size_t i = 1; i < parts->count; i++) {
        const double value = view_real(parts->of[i], key);
        extreme = most ? fmax(extreme, value) : fmin(extreme, value);
    }
    return extreme;
}

static bool any_true(const struct parts *parts, const char *key)
{
    bool any = false;
    for (size_t i = 0; i < parts->count; i++)
        any = any || view_true(view_get(parts->of[i], key));
    return any;
}

static bool all_true(const struct parts *parts, const char *key)
{
    bool all = true;
    for (size_t i = 0; i < parts->count; i++)
        all = all && view_true(view_get(parts->of[i], key));
    return all;
}

/* All of them have an object there. */
static bool are_objects(const struct parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        if (!view_is(parts->of[i], VIEW_OBJECT))
            return false;
    return parts->count > 0;
}

/* What follows is of the sessions. */
struct sessions {
    const struct experiment *part;
    const struct group *group;
    struct critical critical;
};

static struct parts parts_new(const struct sessions *of)
{
    return (struct parts){.of = must(calloc(of->group->count, sizeof(struct value *))),
                          .count = of->group->count};
}

static void put_interval(struct line *json, const struct interval *interval)
{
    const bool bounded = isfinite(interval->low) && isfinite(interval->high) && !interval->constant;
    line_bool(json, "constant", interval->constant);
    if (bounded) {
        line_array(json, "ci");
        line_real(json, NULL, interval->low);
        line_real(json, NULL, interval->high);
        line_close(json);
    } else {
        line_null(json, "ci");
    }
    line_real(json, "error", bounded ? interval->error : NAN);
}

/* Mean over the sessions of their centers, by Student's t. */
static struct interval mean_over(struct sessions *of, const struct parts *figures)
{
    double mean = 0, squares = 0;
    for (size_t i = 0; i < figures->count; i++) {
        const double center = figure_center(figures->of[i]), change = center - mean;
        mean += change / (double)(i + 1);
        squares += change * (center - mean);
    }
    return interval_positive(interval_mean(
        &of->critical, mean, squares / (double)(figures->count - 1), figures->count, 1));
}

/* The variance of a run is that within a session: between them is another. */
static void put_figure(struct line *json, const struct metric *metric, struct sessions *of,
                       const struct parts *conditions)
{
    const char *name = metric->name;
    struct parts figures = parts_new(of);
    for (size_t i = 0; i < figures.count; i++)
        figures.of[i] = metric_figure(conditions->of[i], metric);
    if (!are_objects(&figures)) {
        line_null(json, name);
        free(figures.of);
        return;
    }
    const struct interval mean = mean_over(of, &figures);
    const double variance = mean_of(&figures, "variance");
    line_object(json, name);
    view_put_known(json, "unit", view_get(figures.of[0], "unit"));
    view_put_known(json, "better", view_get(figures.of[0], "better"));
    line_real(json, "mean", mean_of(&figures, "mean"));
    line_real(json, "variance", variance);
    line_real(json, "stddev", sqrt(variance));
    line_real(json, "median", mean_of(&figures, "median"));
    line_real(json, "min", extreme_of(&figures, "min", false));
    line_real(json, "max", extreme_of(&figures, "max", true));
    view_put(json, "statistic", view_get(figures.of[0], "statistic"));
    line_real(json, "center", mean.center);
    put_interval(json, &mean);
    line_close(json);
    free(figures.of);
}

static void put_load(struct line *json, const struct parts *loads)
{
    line_object(json, NULL);
    view_put(json, "name", view_get(loads->of[0], "name"));
    view_put(json, "unit", view_get(loads->of[0], "unit"));
    line_real(json, "offered", mean_of(loads, "offered"));
    line_real(json, "achieved", mean_of(loads, "achieved"));
    line_real(json, "cpu_s", mean_of(loads, "cpu_s"));
    line_real(json, "late", sum_of(loads, "late"));
    line_real(json, "dropped", sum_of(loads, "dropped"));
    line_real(json, "runs", sum_of(loads, "runs"));
    line_bool(json, "short", any_true(loads, "short"));
    line_close(json);
}

/* A condition has the same loads in all sessions, in the same order. */
static void put_loads(struct line *json, const struct sessions *of, const struct parts *conditions)
{
    struct parts loads = parts_new(of);
    for (size_t i = 0; i < loads.count; i++)
        loads.of[i] = view_first(view_get(conditions->of[i], "load"));
    line_array(json, "load");
    while (are_objects(&loads)) {
        put_load(json, &loads);
        for (size_t i = 0; i < loads.count; i++)
            loads.of[i] = view_next(view_get(conditions->of[i], "load"), loads.of[i]);
    }
    line_close(json);
    free(loads.of);
}

static void put_condition(struct line *json, struct sessions *of, const struct value *first)
{
    OWNED char *name = view_text(first, "name");
    struct parts conditions = parts_new(of);
    for (size_t i = 0; i < conditions.count && name != NULL; i++)
        conditions.of[i] = condition_named(&of->part[i], name);
    if (are_objects(&conditions)) {
        line_object(json, NULL);
        line_text(json, "name", name);
        line_real(json, "runs", sum_of(&conditions, "runs"));
        put_loads(json, of, &conditions);
        line_bool(json, "converged", all_true(&conditions, "converged"));
        view_put(json, "stop_reason", view_get(first, "stop_reason"));
        line_real(json, "failed", sum_of(&conditions, "failed"));
        line_real(json, "censored", sum_of(&conditions, "censored"));
        for (unsigned i = 0; i < METRIC_COUNT; i++)
            put_figure(json, &metrics[i], of, &conditions);
        line_object(json, "metrics");
        for (size_t i = METRIC_COUNT; i < of->part[0].metrics.count; i++)
            put_figure(json, &of->part[0].metrics.item[i], of, &conditions);
        line_close(json);
        line_close(json);
    }
    free(conditions.of);
}

/* Standard error of a session's own ratio, from its interval; NAN: that is no multiple
 * of it. */
static double own_error(struct sessions *of, const struct value *slowdown)
{
    const double pairs = view_real(slowdown, "pairs");
    OWNED char *method = view_text(slowdown, "method");
    const bool repeated =
        method != NULL && (strstr(method, "-sequence") != NULL || strstr(method, "-looks") != NULL);
    if (repeated || !(pairs > 1))
        return NAN;
    return view_real(slowdown, "error") * view_real(slowdown, "ratio") /
           critical_t(&of->critical, pairs - 1);
}

/* What the ratio is of in a session: its denominator. Where higher is better that is the
 * condition itself. An interaction is a ratio of ratios: all of them count alike. */
static double base_of(const struct experiment *part, const struct value *ratio)
{
    const bool higher = view_equals(view_get(ratio, "better"), "higher");
    OWNED char *name = view_text(ratio, higher ? "condition" : "reference");
    const struct value *condition = condition_named(part, name);
    const size_t place = metric_named(&part->metrics, view_get(ratio, "metric"));
    if (name == NULL && !higher && !view_is(view_get(ratio, "variant"), VIEW_STRING))
        condition = part->baseline; /* of an older version */
    return place == part->metrics.count || condition == NULL
               ? 1
               : figure_center(metric_figure(condition, &part->metrics.item[place]));
}

static struct levels levels_of(struct sessions *of, const struct parts *ratios)
{
    struct level_session *session = must(calloc(ratios->count, sizeof *session));
    for (size_t i = 0; i < ratios->count; i++) {
        const double base = base_of(&of->part[i], ratios->of[i]);
        session[i] = (struct level_session){
            .base = base,
            .loaded = base * view_real(ratios->of[i], "ratio"),
            .error = own_error(of, ratios->of[i]),
            .runs = view_count(view_get(ratios->of[i], "pairs"), 0),
        };
    }
    const struct levels levels = levels_estimate(&of->critical, session, ratios->count);
    free(session);
    return levels;
}

static void put_sessions(struct line *json, const struct sessions *of,
                         const struct parts *slowdowns, const struct levels *levels)
{
    line_object(json, "sessions");
    line_array(json, "numbers");
    for (size_t i = 0; i < slowdowns->count; i++)
        line_count(json, NULL, of->group->place[i].session);
    line_close(json);
    line_array(json, "ratios");
    for (size_t i = 0; i < slowdowns->count; i++)
        view_put(json, NULL, view_get(slowdowns->of[i], "ratio"));
    line_close(json);
    line_real(json, "between", levels->between);
    line_real(json, "within", levels->within);
    line_close(json);
}

/* What the interval over sessions says of a comparison. */
static const char *verdict_of(const struct sessions *of, const struct interval *ratio,
                              const struct value *first)
{
    const double same = view_number(view_get(of->part[0].settings, "same_within"), 0);
    const bool higher = view_equals(view_get(first, "better"), "higher");
    OWNED char *unit = view_text(first, "unit");
    const bool time = relation_is_time(unit == NULL ? "" : unit, higher);
    return relation_name(relation_of(ratio, same), time);
}

/* Whether a session's warning is about that ratio, and biases it. */
static enum bias bias_of(const struct value *warning, const struct value *ratio)
{
    enum bias bias = 0;
    while (bias < BIAS_NONE && !view_equals(view_get(warning, "bias"), bias_names[bias]))
        bias++;
    const struct value *of = view_get(warning, "condition"), *metric = view_get(warning, "metric");
    const bool about = !view_is(of, VIEW_STRING) || bias_is_of_all(bias) ||
                       view_same(of, view_get(ratio, "condition")) ||
                       view_same(of, view_get(ratio, "reference"));
    return about && (!view_is(metric, VIEW_STRING) || view_same(metric, view_get(ratio, "metric")))
               ? bias
               : BIAS_NONE;
}

/* The gate's answer over the sessions, where each of them has one for that ratio: the same rule
 * as for one of them (harness/stats/gate.h). */
static void put_gate(struct line *json, const struct sessions *of, const struct interval *ratio,
                     const struct value *first)
{
    const double most = view_real(of->part[0].settings, "at_most");
    const bool variants = view_get(first, "reference_variant") != NULL;
    const enum verdict seen = ratio->low > most     ? VERDICT_ABOVE
                              : ratio->high <= most ? VERDICT_BELOW
                                                    : VERDICT_UNDECIDED;
    enum verdict verdict = seen;
    struct line why = {0};
    line_array(&why, NULL);
    for (size_t i = 0; i < of->group->count; i++) {
        const struct value *all = view_get(of->part[i].result.top, "warnings");
        for (const struct value *item = NULL; view_each(all, &item);) {
            const enum bias bias = bias_of(item, first);
            if (bias == BIAS_NONE || bias_beside(bias, seen, variants) != VERDICT_UNDECIDED)
                continue;
            const struct value *flag = view_get(item, "flag");
            verdict = VERDICT_UNDECIDED;
            if (memmem(why.text, why.used, flag->text, flag->length) == NULL) /* each once */
                view_put(&why, NULL, flag);
        }
    }
    line_close(&why);
    line_text(json, "gate", isnan(most) ? NULL : verdict_names[verdict]);
    line_raw(json, "why", why.text);
    line_free(&why);
}

/* What names the ratio, as the first session has it. */
static void put_names(struct line *json, const struct value *first)
{
    static const char *const members[] = {"condition", "reference", "variant", "reference_variant",
                                          "load",      "metric",    "unit",    "better",
                                          "requested", "statistic"};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        view_put_known(json, members[i], view_get(first, members[i]));
}

static void put_ratio(struct line *json, struct sessions *of, const struct parts *ratios)
{
    const struct value *first = ratios->of[0];
    const struct levels levels = levels_of(of, ratios);
    const struct interval *ratio = &levels.ratio;
    line_object(json, NULL);
    put_names(json, first);
    line_real(json, "ratio", ratio->center);
    put_interval(json, ratio);
    line_real(json, "p", levels.p);
    line_text(json, "method", "sessions-fieller");
    line_count(json, "pairs", ratios->count);
    if (isnan(ratio->center))
        line_null(json, "distinguishable");
    else
        line_bool(json, "distinguishable", ratio->low > 1 || ratio->high < 1);
    if (view_get(first, "reference_variant") != NULL && view_get(first, "verdict") != NULL)
        line_text(json, "verdict", verdict_of(of, ratio, first));
    if (view_is(view_get(first, "gate"), VIEW_NULL)) /* --at-most does not judge it */
        line_null(json, "gate");
    else if (view_is(view_get(first, "gate"), VIEW_STRING))
        put_gate(json, of, ratio, first);
    view_put(json, "simultaneous", view_get(first, "simultaneous"));
    line_real(json, "censored", sum_of(ratios, "censored"));
    put_sessions(json, of, ratios, &levels);
    line_close(json);
}

/* The same ratio in another session's list; NULL: it is not there. */
static const struct value *same_ratio(const struct value *list, const struct value *wanted)
{
    static const char *const members[] = {"condition", "metric", "variant", "load"};
    for (const struct value *item = NULL; view_each(list, &item);) {
        bool same = true;
        for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
            const struct value *a = view_get(item, members[i]), *b = view_get(wanted, members[i]);
            same = same && ((a == NULL && b == NULL) || view_same(a, b));
        }
        if (same)
            return item;
    }
    return NULL;
}

/* slowdowns, comparisons or interactions. */
static void put_ratios(struct line *json, const char *name, struct sessions *of)
{
    const struct value *list = view_get(of->part[0].result.top, name);
    line_array(json, name);
    for (const struct value *item = NULL; view_each(list, &item);) {
        struct parts ratios = parts_new(of);
        for (size_t i = 0; i < ratios.count; i++)
            ratios.of[i] = same_ratio(view_get(of->part[i].result.top, name), item);
        if (are_objects(&ratios))
            put_ratio(json, of, &ratios);
        free(ratios.of);
    }
    line_close(json);
}

/* Whether a session converged, or is noise, is not what the interval over them is about. */
static bool is_of_session_alone(const struct value *warning)
{
    return view_equals(view_get(warning, "flag"), "noise") ||
           view_equals(view_get(warning, "flag"), "not-converged");
}

static void put_warning(struct line *json, const struct value *warning, unsigned session)
{
    static const char *const members[] = {"flag",   "severity", "condition",
                                          "metric", "advice",   "bias"};
    OWNED char *message = view_text(warning, "message"),
               *text = text_of("session %u: %s", session, message == NULL ? "" : message);
    line_object(json, NULL);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        view_put(json, members[i], view_get(warning, members[i]));
    line_text(json, "message", text);
    line_raw(json, "runs", "[]"); /* their numbers are of one session */
    line_close(json);
}

static void put_warnings(struct line *json, const struct sessions *of)
{
    line_array(json, "warnings");
    for (size_t i = 0; i < of->group->count; i++) {
        const struct value *all = view_get(of->part[i].result.top, "warnings");
        for (const struct value *item = NULL; view_each(all, &item);)
            if (!is_of_session_alone(item))
                put_warning(json, item, of->group->place[i].session);
    }
    line_close(json);
}

static char *result_of(struct sessions *of)
{
    const struct value *first = of->part[0].result.top, *list;
    struct line json = {0};
    line_object(&json, NULL);
    line_text(&json, "schema", SCHEMA_RESULT);
    line_array(&json, "conditions");
    list = view_get(first, "conditions");
    for (const struct value *item = NULL; view_each(list, &item);)
        put_condition(&json, of, item);
    line_close(&json);
    put_ratios(&json, "slowdowns", of);
    put_ratios(&json, "comparisons", of);
    put_ratios(&json, "interactions", of);
    put_warnings(&json, of);
    view_put(&json, "intervals", view_get(first, "intervals"));
    line_close(&json);
    must(json.failed ? NULL : json.text);
    return json.text;
}

char *sessions_result(const struct experiment *part, const struct group *group)
{
    const struct experiment *first = &part[0];
    const double family = view_number(view_path(first->result.top, "intervals", "family"), 1);
    const double confidence = view_confidence(first->settings);
    struct sessions of = {.part = part, .group = group};
    critical_init(&of.critical, 1 - (1 - confidence) / fmax(family, 1));
    char *result = result_of(&of);
    critical_free(&of.critical);
    return result;
}

struct place place_of(const struct experiment *experiment, size_t folder)
{
    const struct value *cell = experiment->cell;
    char *name = view_text(cell, "of");
    return (struct place){.name = name != NULL ? name : view_text(cell, "name"),
                          .key = view_text(cell, "key"),
                          .session = view_count(view_get(cell, "session"), 1),
                          .folder = folder};
}

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b);
}

/* What has another definition is another cell, whatever its name. */
static int by_cell(const struct place *x, const struct place *y)
{
    const int order = compare_texts(x->name, y->name);
    return order != 0 ? order : compare_texts(x->key, y->key);
}

static int by_session(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int order = by_cell(x, y);
    if (order != 0)
        return order;
    return x->session != y->session ? (x->session > y->session) - (x->session < y->session)
                                    : (x->folder > y->folder) - (x->folder < y->folder);
}

/* Of the places from start on: how many are sessions of one cell. */
static size_t sessions_from(const struct place *places, size_t start, size_t count)
{
    size_t end = start + 1;
    while (end < count && places[start].name != NULL && by_cell(&places[end], &places[start]) == 0)
        end++;
    return end - start;
}

/* Two of one number are no sessions of each other, but two results of the same, such as of two
 * nodes. */
static bool are_distinct(const struct place *places, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (places[i].session == places[i - 1].session)
            return false;
    return count > 1;
}

static void add_group(struct groups *groups, const struct place *places, size_t count)
{
    struct group group = {.name = must(strdup(places[0].name)),
                          .place = must(calloc(count, sizeof *group.place)),
                          .count = count};
    memcpy(group.place, places, count * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        group.place[i].name = group.place[i].key = NULL;
        groups->of[places[i].folder] = groups->count;
    }
    groups->item = grown(groups->item, groups->count, &groups->allocated, sizeof *groups->item);
    groups->item[groups->count++] = group;
}

void groups_make(struct groups *groups, struct place *places, size_t count)
{
    *groups = (struct groups){.of = must(calloc(count + 1, sizeof *groups->of))};
    for (size_t i = 0; i < count; i++)
        groups->of[i] = SIZE_MAX;
    if (count > 0) /* qsort() takes no NULL */
        qsort(places, count, sizeof *places, by_session);
    for (size_t i = 0, same; i < count; i += same) {
        same = sessions_from(places, i, count);
        if (are_distinct(&places[i], same))
            add_group(groups, &places[i], same);
    }
    for (size_t i = 0; i < count; i++) {
        free(places[i].name);
        free(places[i].key);
    }
}

void groups_free(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->item[i].name);
        free(groups->item[i].place);
    }
    free(groups->item);
    free(groups->of);
    *groups = (struct groups){0};
}
