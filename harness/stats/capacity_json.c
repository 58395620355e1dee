#include "capacity_json.h"

#include "capacity.h"
#include "json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const bounds[] = {NULL, "below", "at-least"};

// What a condition's capacity is compared with: that of the same variant alone, or of the
// first variant where it is alone itself. The condition itself: there is none.
static size_t reference_of(const struct experiment *experiment, size_t condition)
{
    const char *variant = experiment_member(experiment, condition, "variant");
    const char *load = experiment_member(experiment, condition, "load");
    const bool is_alone = !load || strcmp(load, "baseline") == 0;
    for (size_t i = 0; variant && !is_alone && i < condition; i++) {
        const char *its = experiment_member(experiment, i, "variant");
        if (its && strcmp(its, variant) == 0)
            return i; // the conditions without load come first
    }
    return 0;
}

// "alone", "beside mem", "new alone", "new beside mem".
static void print_place(FILE *stream, const struct experiment *experiment, size_t condition)
{
    const char *variant = experiment_member(experiment, condition, "variant");
    const char *load = experiment_member(experiment, condition, "load");
    const bool is_alone = !load || strcmp(load, "baseline") == 0;
    fprintf(stream, "%s%s%s", variant ? variant : "", variant ? " " : "",
            is_alone ? "alone" : "beside ");
    if (!is_alone)
        fputs(load, stream);
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
    if (whole && prefix->factor == 1)
        fprintf(stream, "%.0f", scaled);
    else
        fprintf(stream, scaled >= 100 ? "%.0f" : scaled >= 10 ? "%.1f" : "%#.3g", scaled);
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
    const double shown = capacity->bound == CAPACITY_BELOW      ? vary->low
                         : capacity->bound == CAPACITY_AT_LEAST ? vary->high
                                                                : capacity->value;
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

static void print_condition(FILE *stream, const struct experiment *experiment,
                            struct session *session, size_t condition)
{
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
static char *sentence(const struct experiment *experiment, struct session *session)
{
    const json_t *settings = json_object_get(experiment->json, "settings");
    const json_t *asked = json_object_get(settings, "capacity");
    const char *slo = json_string_value(json_object_get(asked, "slo"));
    char *text = NULL;
    size_t size = 0;
    FILE *stream = open_memstream(&text, &size);
    if (!stream)
        return NULL;
    fprintf(stream, "highest %s that keeps %s: ", session->settings->vary.name, slo ? slo : "");
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        print_condition(stream, experiment, session, i);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

static json_t *pair_json(double low, double high)
{
    return isfinite(low) && isfinite(high)
               ? json_pack("[o, o]", json_figure(low), json_figure(high))
               : json_null();
}

static json_t *condition_json(const struct experiment *experiment, struct session *session,
                              size_t condition)
{
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
        is_inside ? pair_json(capacity.low, capacity.high) : json_null(), "error",
        json_figure(is_inside && isfinite(capacity.error) ? capacity.error : none), "bound",
        bounds[capacity.bound], "sure", is_inside || capacity.is_sure, "runs", (int)capacity.runs,
        "kept", (int)capacity.kept, "timed_out", (int)capacity.timed_out, "reference",
        condition != reference ? names[reference] : NULL, "of_reference",
        json_figure(has_ratio ? ratio.center : none), "of_reference_ci",
        has_ratio ? pair_json(ratio.low, ratio.high) : json_null(), "distinguishable",
        has_ratio ? json_boolean(ratio.low > 1 || ratio.high < 1) : json_null());
}

json_t *capacity_json(const struct experiment *experiment, struct session *session)
{
    const struct settings *settings = session->settings;
    const json_t *asked =
        json_object_get(json_object_get(experiment->json, "settings"), "capacity");
    if (!settings_has_capacity(settings))
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < settings->condition_count; i++)
        json_array_append_new(list, condition_json(experiment, session, i));
    char *text = sentence(experiment, session);
    json_t *object = json_pack(
        "{s:s, s:s, s:o, s:o, s:b, s:O?, s:s, s:o, s:o, s:s?}", "vary", settings->vary.name, "unit",
        settings->vary.unit, "low", json_figure(settings->vary.low), "high",
        json_figure(settings->vary.high), "whole", settings->vary.whole, "slo",
        json_object_get(asked, "slo"), "method", "threshold-posterior", "confidence",
        json_figure(settings->confidence), "by_condition", list, "text", text);
    free(text);
    return object;
}
