#include "result.h"

#include "decide.h"
#include "json.h"
#include "metrics.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What settings do for a target beside its neighbours.

// A condition with settings, and that of the same variant with the same load and none.
struct protected
{
    size_t condition, bare;
    const json_t *settings;
    struct interval slowdown, removed, kept;
    const char *alone; // the condition with the same settings of the target and no load, or NULL
    bool on_front;
};

struct protection {
    struct session *session;
    const json_t *slowdowns;
    size_t metric;
    struct protected *row;
    size_t count;
};

static const struct interval unknown = {.center = NAN, .low = NAN, .high = NAN, .error = INFINITY};

static bool same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

// The condition of the same variant under that load; the number of conditions: there is none.
static size_t beside(const struct experiment *experiment, size_t condition, const char *load)
{
    const char *variant = experiment_member(experiment, condition, "variant");
    size_t i = 0;
    while (i < experiment->settings.condition_count &&
           !(same_text(experiment_member(experiment, i, "variant"), variant) &&
             same_text(experiment_member(experiment, i, "load"), load)))
        i++;
    return i;
}

static struct interval slowdown_of(const struct protection *of, size_t condition)
{
    const struct settings *settings = of->session->settings;
    const json_t *one = json_ratio_of(of->slowdowns, settings->conditions[condition],
                                      settings->metrics.item[of->metric].name);
    return (struct interval){.center = json_number_at(one, "ratio"),
                             .low = json_bound_at(one, 0),
                             .high = json_bound_at(one, 1),
                             .error = INFINITY};
}

// What all loads of a run achieved together; NAN where they count in different units, or one does
// not say.
static double achieved(const json_t *record)
{
    const json_t *loads = json_object_get(record, "load");
    const char *unit = json_text_at(json_array_get(loads, 0), "unit");
    double sum = json_array_size(loads) > 0 ? 0 : NAN;
    JSON_EACH (load, loads) {
        sum += same_text(json_text_at(load, "unit"), unit) ? json_number_at(load, "achieved") : NAN;
    }
    return sum;
}

// A run's value of the metric; without one (MAX_METRICS) what its loads achieved.
static double value_of(const struct observation *run, size_t metric)
{
    return metric == MAX_METRICS ? achieved(run->record) : run->value[metric];
}

// How many times the figure of `b` that of `a` is, from the blocks where both count. Of the metric,
// above 1 is worse.
static struct interval ratio_of(const struct protection *of, size_t a, size_t b, size_t metric)
{
    struct session *session = of->session;
    const size_t width = session->settings->condition_count;
    const bool inverted =
        metric < MAX_METRICS && session->settings->metrics.item[metric].higher_is_better;
    struct pairs pairs = {0};
    for (size_t block = session_left_out(session); block < session->blocks; block++) {
        const int *row = session->table + block * width;
        const struct observation *run_a = row[a] < 0 ? NULL : &session->runs[row[a]];
        const struct observation *run_b = row[b] < 0 ? NULL : &session->runs[row[b]];
        if (!run_a || !run_b || !session_uses(session, run_a) || !session_uses(session, run_b))
            continue;
        const double first = value_of(run_a, metric), second = value_of(run_b, metric);
        if (!isnan(first) && !isnan(second))
            pairs_add(&pairs, inverted ? second : first, inverted ? first : second);
    }
    const struct interval ratio = pairs.count > 0 ? metric_pairs_ratio(session, &pairs) : unknown;
    pairs_free(&pairs);
    return ratio;
}

// The share of the damage that is removed, (u - p) / (u - b), of times u unprotected, p protected
// and b alone: with r = p/u and s = u/b it is (1 - r) / (1 - 1/s). It falls with r, and the bounds
// are those of the corners of both intervals, so that it holds where both do. Unknown where the
// load does no damage for certain.
static struct interval removed_of(const struct interval *ratio, const struct interval *slowdown)
{
    struct interval removed = unknown;
    if (!(slowdown->low > 1) || !isfinite(ratio->low) || !isfinite(ratio->high))
        return removed;
    const double most = 1 - 1 / slowdown->high, least = 1 - 1 / slowdown->low;
    removed.center = (1 - ratio->center) / (1 - 1 / slowdown->center);
    removed.low = (1 - ratio->high) / (ratio->high < 1 ? most : least);
    removed.high = (1 - ratio->low) / (ratio->low < 1 ? least : most);
    return removed;
}

static void take_condition(struct protection *of, size_t condition)
{
    const struct experiment *experiment = of->session->experiment;
    const json_t *loads = json_object_get(experiment->json, "loads");
    const char *own = experiment_member(experiment, condition, "load");
    // One that is no load has the name of its entry, too, where there are no variants.
    const json_t *entry =
        json_named(loads, "name", own ? own : experiment->settings.conditions[condition]);
    const json_t *settings = json_object_get(entry, "settings");
    const json_t *target = json_object_get(settings, "target");
    const char *bare = json_text_at(entry, "unprotected");
    const size_t other =
        bare == NULL ? experiment->settings.condition_count : beside(experiment, condition, bare);
    if (other == experiment->settings.condition_count)
        return;
    struct protected *row = &of->row[of->count++];
    const struct interval damage = slowdown_of(of, other),
                          ratio = ratio_of(of, other, condition, of->metric);
    *row = (struct protected){.condition = condition,
                              .bare = other,
                              .settings = settings,
                              .slowdown = slowdown_of(of, condition),
                              .removed = removed_of(&ratio, &damage),
                              .kept = ratio_of(of, other, condition, MAX_METRICS)};
    JSON_EACH (load, json_array_size(target) > 0 ? loads : NULL)
        if (!row->alone && json_array_size(json_object_get(load, "parts")) == 0 &&
            json_equal(json_object_get(json_object_get(load, "settings"), "target"), target))
            row->alone = json_text_at(load, "name");
}

static void find_front(struct protection *of)
{
    for (size_t i = 0; i < of->count; i++) {
        struct protected *row = &of->row[i];
        row->on_front = row->removed.low > 0;
        for (size_t k = 0; k < of->count && row->on_front; k++) {
            const struct protected *other = &of->row[k];
            // Surely better for the target and no worse for the neighbour, or the other way round.
            const bool safer = other->slowdown.high < row->slowdown.low;
            const bool kinder = other->kept.low > row->kept.high;
            row->on_front = other->bare != row->bare ||
                            !((safer && other->kept.center >= row->kept.center) ||
                              (kinder && other->slowdown.center <= row->slowdown.center));
        }
    }
}

// What is removed of the damage and what is left to the neighbour, weighed alike.
static double worth(const struct protected *row)
{
    return fmin(row->removed.center, 1) + (isnan(row->kept.center) ? 0 : fmin(row->kept.center, 1));
}

static json_t *figure_json(const struct interval *interval)
{
    return json_pack("{s:o, s:o}", "value", json_figure(interval->center), "ci",
                     json_bounds(interval->low, interval->high));
}

static json_t *row_json(const struct protection *of, const struct protected *row)
{
    char *const *names = of->session->settings->conditions;
    const struct interval bare = slowdown_of(of, row->bare);
    struct interval cost = unknown;
    const int alone =
        row->alone == NULL ? -1 : settings_condition(of->session->settings, row->alone);
    if (alone >= 0)
        cost = slowdown_of(of, (size_t)alone);
    return json_pack("{s:s, s:s, s:O, s:o, s:o, s:o, s:o, s:o, s:b}", "condition",
                     names[row->condition], "unprotected", names[row->bare], "settings",
                     row->settings, "slowdown", figure_json(&row->slowdown), "slowdown_unprotected",
                     figure_json(&bare), "removed", figure_json(&row->removed), "kept",
                     figure_json(&row->kept), "cost", alone < 0 ? json_null() : figure_json(&cost),
                     "front", row->on_front);
}

static json_t *rows_json(const struct protection *of)
{
    const json_t *asked = experiment_setting(of->session->experiment, "until");
    const double until = json_is_number(asked) ? json_number_value(asked) : NAN;
    char *const *names = of->session->settings->conditions;
    // The weakest that keeps the limit for certain: under which the neighbour achieves most.
    const struct protected *best = NULL, *weakest = NULL;
    bool above = true;
    json_t *rows = json_array();
    for (size_t i = 0; i < of->count; i++) {
        const struct protected *row = &of->row[i];
        if (row->on_front && (best == NULL || worth(row) > worth(best)))
            best = row;
        if (row->slowdown.high <= until &&
            (weakest == NULL || row->kept.center > weakest->kept.center))
            weakest = row;
        above = above && row->slowdown.low > until;
        json_array_append_new(rows, row_json(of, row));
    }
    // Of --until: below where one keeps it, above where none can.
    enum verdict verdict = above ? VERDICT_ABOVE : VERDICT_UNDECIDED;
    if (weakest)
        verdict = VERDICT_BELOW;
    return json_pack("{s:s, s:o, s:s?, s:s?, s:s?, s:o}", "metric",
                     of->session->settings->metrics.item[of->metric].name, "until",
                     json_figure(until), "verdict", isnan(until) ? NULL : verdict_names[verdict],
                     "best", best == NULL ? NULL : names[best->condition], "weakest",
                     weakest == NULL ? NULL : names[weakest->condition], "rows", rows);
}

json_t *protection_json(struct session *session, const json_t *slowdowns)
{
    struct protected rows[MAX_CONDITIONS];
    const struct metric_settings *metrics = &session->settings->metrics;
    struct protection of = {.session = session, .slowdowns = slowdowns, .row = rows};
    while (of.metric + 1 < metrics->count && !metrics->item[of.metric].decides)
        of.metric++;
    for (size_t i = 0; i < session->settings->condition_count; i++)
        if (session->settings->adjusted[i])
            take_condition(&of, i);
    if (of.count == 0)
        return json_null();
    find_front(&of);
    return rows_json(&of);
}

// What jostle capacity found, for the result and for people.

static const char *const bounds[] = {NULL, "below", "at-least"};

// NULL: it is alone.
static const char *load_beside(const struct experiment *experiment, size_t condition)
{
    const char *load = experiment_member(experiment, condition, "load");
    return same_text(load, "baseline") ? NULL : load;
}

// What a condition's capacity is compared with: that of the same variant alone, or of the
// first variant where it is alone itself. The condition itself: there is none.
static size_t reference_of(const struct experiment *experiment, size_t condition)
{
    const char *variant = experiment_member(experiment, condition, "variant");
    for (size_t i = 0; variant && load_beside(experiment, condition) && i < condition; i++)
        if (same_text(experiment_member(experiment, i, "variant"), variant))
            return i; // the conditions without load come first
    return 0;
}

// "alone", "beside mem", "new alone", "new beside mem".
static void print_place(FILE *stream, const struct experiment *experiment, size_t condition)
{
    const char *variant = experiment_member(experiment, condition, "variant");
    const char *load = load_beside(experiment, condition);
    if (variant)
        fprintf(stream, "%s ", variant);
    if (load)
        fprintf(stream, "beside %s", load);
    else
        fputs("alone", stream);
}

// A factor of a thousand that makes the value short, and its sign.
struct prefix {
    double factor;
    const char *sign;
};

static struct prefix prefix_of(double value)
{
    static const struct prefix prefixes[] = {{1e9, "G"}, {1e6, "M"}, {1e4, "k"}};
    for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
        if (value >= prefixes[i].factor)
            return (struct prefix){prefixes[i].factor == 1e4 ? 1e3 : prefixes[i].factor,
                                   prefixes[i].sign};
    return (struct prefix){1, ""};
}

// Three digits; of an integer all of them.
static void print_number(FILE *stream, const struct prefix *prefix, double value, bool whole)
{
    const double scaled = value / prefix->factor;
    if (scaled >= 100 || (whole && prefix->factor == 1))
        fprintf(stream, "%.0f", scaled);
    else
        fprintf(stream, scaled >= 10 ? "%.1f" : "%#.3g", scaled);
}

static void print_unit(FILE *stream, const struct vary *vary, const struct prefix *prefix)
{
    const bool needs_space = (*prefix->sign || *vary->unit) && vary->unit[0] != '/';
    if (*prefix->sign || needs_space)
        fputc(' ', stream);
    fprintf(stream, "%s%s", prefix->sign, vary->unit);
}

static void print_value(FILE *stream, const struct vary *vary, const struct capacity *capacity)
{
    static const char *const words[] = {"", "below ", "at least "};
    const double values[] = {capacity->value, vary->low, vary->high}; // by the bound
    const double shown = values[capacity->bound];
    const struct prefix prefix = prefix_of(shown);
    fputs(words[capacity->bound], stream);
    print_number(stream, &prefix, shown, vary->whole);
    print_unit(stream, vary, &prefix);
    if (capacity->bound != CAPACITY_INSIDE) {
        fputs(capacity->is_sure ? "" : " (not sure)", stream);
        return;
    }
    fputs(" [", stream);
    print_number(stream, &prefix, capacity->low, vary->whole);
    fputs(", ", stream);
    print_number(stream, &prefix, capacity->high, vary->whole);
    fputc(']', stream);
}

static void print_condition(FILE *stream, struct session *session, size_t condition)
{
    const struct experiment *experiment = session->experiment;
    const size_t reference = reference_of(experiment, condition);
    const struct capacity capacity = capacity_of(session, condition);
    const struct interval ratio = capacity_ratio(session, condition, reference);
    if (capacity.runs == 0)
        fputs("not known", stream);
    else
        print_value(stream, &session->settings->vary, &capacity);
    fputc(' ', stream);
    print_place(stream, experiment, condition);
    if (condition == reference || isnan(ratio.center))
        return;
    fprintf(stream, " (%.2f [%.2f, %.2f] of ", ratio.center, ratio.low, ratio.high);
    print_place(stream, experiment, reference);
    fputc(')', stream);
}

// "highest rate that keeps p99_ms<2: 41.2 k/s [40.1, 42.4] alone, 29.0 k/s [27.0, 31.0] beside
// mem (0.70 [0.66, 0.75] of alone)"; to be freed.
static char *capacity_text(struct session *session)
{
    const json_t *asked = experiment_setting(session->experiment, "capacity");
    const char *slo = json_text_at(asked, "slo");
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    fprintf(stream, "highest %s that keeps %s: ", session->settings->vary.name, slo ? slo : "");
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        print_condition(stream, session, i);
    }
    return stream_text(stream, &text);
}

static json_t *condition_json(struct session *session, size_t condition)
{
    const struct experiment *experiment = session->experiment;
    const size_t reference = reference_of(experiment, condition);
    const char *const *names = (const char *const *)session->settings->conditions;
    const struct capacity capacity = capacity_of(session, condition);
    const struct interval ratio = capacity_ratio(session, condition, reference);
    const bool is_inside = capacity.bound == CAPACITY_INSIDE && capacity.runs > 0;
    const bool has_ratio = condition != reference && !isnan(ratio.center);
    const double none = NAN;
    return json_pack(
        "{s:s, s:s?, s:s?, s:o, s:o, s:o, s:s?, s:b, s:i, s:i, s:i, s:s?, s:o, s:o, s:o}",
        "condition", names[condition], "variant",
        experiment_member(experiment, condition, "variant"), "load",
        experiment_member(experiment, condition, "load"), "value",
        json_figure(is_inside ? capacity.value : none), "ci",
        is_inside ? json_bounds(capacity.low, capacity.high) : json_null(), "error",
        json_figure(is_inside && isfinite(capacity.error) ? capacity.error : none), "bound",
        bounds[capacity.bound], "sure", is_inside || capacity.is_sure, "runs", (int)capacity.runs,
        "kept", (int)capacity.kept, "timed_out", (int)capacity.timed_out, "reference",
        condition != reference ? names[reference] : NULL, "of_reference",
        json_figure(has_ratio ? ratio.center : none), "of_reference_ci",
        has_ratio ? json_bounds(ratio.low, ratio.high) : json_null(), "distinguishable",
        has_ratio ? json_boolean(ratio.low > 1 || ratio.high < 1) : json_null());
}

json_t *capacity_json(struct session *session)
{
    const struct settings *settings = session->settings;
    const json_t *asked = experiment_setting(session->experiment, "capacity");
    if (!settings_has_capacity(settings))
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < settings->condition_count; i++)
        json_array_append_new(list, condition_json(session, i));
    OWNED char *text = capacity_text(session);
    return json_pack("{s:s, s:s, s:o, s:o, s:b, s:O?, s:s, s:o, s:o, s:s?}", "vary",
                     settings->vary.name, "unit", settings->vary.unit, "low",
                     json_figure(settings->vary.low), "high", json_figure(settings->vary.high),
                     "whole", settings->vary.whole, "slo", json_object_get(asked, "slo"), "method",
                     "threshold-posterior", "confidence", json_figure(settings->confidence),
                     "by_condition", list, "text", text);
}
