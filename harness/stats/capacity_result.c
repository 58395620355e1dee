// Writes what jostle capacity found, for the result and for people.
#include "capacity.h"
#include "interval.h"
#include "json.h"
#include "result.h"
#include "session.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>
#include <stdio.h>

// What jostle capacity found, for the result and for people.

static const char *const bounds[] = {NULL, "below", "at-least"};

// NULL: it is alone.
static const char *load_beside(const struct experiment *experiment, size_t condition)
{
    const char *load = experiment_member(experiment, condition, "load");
    return json_same_text(load, "baseline") ? NULL : load;
}

// What a condition's capacity is compared with: that of the same variant alone, or of the
// first variant where it is alone itself. The condition itself: there is none.
static size_t reference_of(const struct experiment *experiment, size_t condition)
{
    const char *variant = experiment_member(experiment, condition, "variant");
    for (size_t i = 0; variant && load_beside(experiment, condition) && i < condition; i++)
        if (json_same_text(experiment_member(experiment, i, "variant"), variant))
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
        has_ratio ? json_boolean(interval_excludes_one(&ratio)) : json_null());
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
