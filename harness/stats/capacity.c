#include "capacity.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json.h"
#include "threshold.h"

#include "common/memory.h"
#include "common/record_json.h"

// How likely the next run is to keep the objectives, from block to block: in the middle the
// answer is least known, at the sides runs show the slope and the noise.
static const double chances[] = {0.5, 0.15, 0.5, 0.85};
enum { CHANCES = sizeof chances / sizeof *chances };

static const double known = 1; // an error above this is none

// The share of the posterior outside of an interval, over 1 - confidence: an interval that ends
// the search when it is narrow is too narrow a little more often than one that does not. By
// simulation (simulate --tables capacity).
static const double early = 0.6;

struct capacity_fit {
    struct threshold threshold;
    size_t seen; // of the condition's runs; 0: not fitted
    bool fitted;
};

static struct stimuli range_of(const struct settings *settings)
{
    return (struct stimuli){log(settings->vary.low), log(settings->vary.high)};
}

static bool is_trial(const struct session *session, const struct observation *run, size_t condition)
{
    return run->condition == (int)condition && session_uses(session, run) && !isnan(run->x) &&
           !isnan(run->y);
}

static void fit(struct session *session, size_t condition, struct threshold *threshold)
{
    struct trial *trials = must(calloc(session->count + 1, sizeof *trials));
    const struct stimuli range = range_of(session->settings);
    size_t count = 0;
    for (size_t i = 0; i < session->count; i++)
        if (is_trial(session, &session->runs[i], condition))
            trials[count++] = (struct trial){session->runs[i].x, session->runs[i].y};
    threshold_fit(threshold, &range, trials, count);
    free(trials);
}

// The posterior of a condition, fitted again once it has more runs.
static const struct threshold *posterior(struct session *session, size_t condition)
{
    if (!session->fits)
        session->fits = must(calloc(session->settings->condition_count, sizeof *session->fits));
    struct capacity_fit *one = &session->fits[condition];
    if (!one->fitted || one->seen != session->conditions[condition].seen) {
        fit(session, condition, &one->threshold);
        one->seen = session->conditions[condition].seen;
        one->fitted = true;
    }
    return &one->threshold;
}

static void count_runs(const struct session *session, size_t condition, struct capacity *capacity)
{
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        if (!is_trial(session, run, condition))
            continue;
        capacity->runs++;
        capacity->kept += run->y < 0 ? 1 : 0;
        capacity->timed_out += run->missed ? 1 : 0;
    }
}

// The largest value that keeps the objectives is an integer where all are.
static double settle(const struct vary *vary, double theta)
{
    const double value = exp(theta);
    return vary->whole ? floor(value) : value;
}

static void find_bound(const struct settings *settings, const struct threshold *threshold,
                       struct capacity *capacity)
{
    const struct stimuli range = range_of(settings);
    const double middle = threshold_quantile(threshold, 0.5);
    const double below = threshold_below(threshold, range.low);
    const double above = 1 - threshold_below(threshold, range.high);
    if (middle < range.low)
        capacity->bound = CAPACITY_BELOW;
    else if (middle >= range.high)
        capacity->bound = CAPACITY_AT_LEAST;
    else
        return;
    capacity->is_sure = fmax(below, above) >= settings->confidence;
}

struct capacity capacity_of(struct session *session, size_t condition)
{
    const struct settings *settings = session->settings;
    const struct threshold *threshold = posterior(session, condition);
    const double side = early * (1 - settings->confidence) / 2;
    struct capacity capacity = {.value = NAN, .low = NAN, .high = NAN, .error = INFINITY};
    count_runs(session, condition, &capacity);
    if (capacity.runs == 0)
        return capacity;
    capacity.value = settle(&settings->vary, threshold_quantile(threshold, 0.5));
    capacity.low = settle(&settings->vary, threshold_quantile(threshold, side));
    capacity.high = settle(&settings->vary, threshold_quantile(threshold, 1 - side));
    find_bound(settings, threshold, &capacity);
    if (capacity.bound == CAPACITY_INSIDE)
        capacity.error = (capacity.high - capacity.low) / 2 / capacity.value;
    else if (capacity.is_sure)
        capacity.error = 0;
    return capacity;
}

double capacity_error(struct session *session)
{
    double worst = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++)
        worst = fmax(worst, capacity_of(session, i).error);
    return worst < known ? worst : INFINITY;
}

double capacity_next(struct session *session, size_t condition, size_t block)
{
    const struct stimuli range = range_of(session->settings);
    const struct threshold *threshold = posterior(session, condition);
    return vary_value(&session->settings->vary,
                      threshold_next(threshold, &range, chances[(block - 1) % CHANCES]));
}

long capacity_forecast(struct session *session, double error)
{
    const struct settings *settings = session->settings;
    const double now = (double)session_blocks(session), width = (double)settings->condition_count;
    if (!(error < known) || now < 1)
        return -1;
    double blocks = fmax(ceil(now * pow(error / settings->error, 2)), (double)settings->min_runs);
    blocks = fmax(fmin(blocks, (double)settings->max_runs), now + 1);
    const double total = (blocks + (double)session_left_out(session)) * width;
    return (long)fmax(total - (double)session->count, 0);
}

struct interval capacity_ratio(struct session *session, size_t condition, size_t reference)
{
    const double side = early * (1 - session->settings->confidence) / 2;
    const struct threshold *a = posterior(session, condition), *b = posterior(session, reference);
    if (capacity_of(session, condition).bound != CAPACITY_INSIDE ||
        capacity_of(session, reference).bound != CAPACITY_INSIDE)
        return interval_unbounded(NAN);
    struct interval ratio = {.center = exp(threshold_difference(a, b, 0.5)),
                             .low = exp(threshold_difference(a, b, side)),
                             .high = exp(threshold_difference(a, b, 1 - side))};
    ratio.error = (ratio.high - ratio.low) / 2 / ratio.center;
    return ratio;
}

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
    const char *slo = json_text_at(asked, "slo");
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    fprintf(stream, "highest %s that keeps %s: ", session->settings->vary.name, slo ? slo : "");
    for (size_t i = 0; i < session->settings->condition_count; i++) {
        fputs(i > 0 ? ", " : "", stream);
        print_condition(stream, experiment, session, i);
    }
    return stream_text(stream, &text);
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
        is_inside ? json_bounds(capacity.low, capacity.high) : json_null(), "error",
        json_figure(is_inside && isfinite(capacity.error) ? capacity.error : none), "bound",
        bounds[capacity.bound], "sure", is_inside || capacity.is_sure, "runs", (int)capacity.runs,
        "kept", (int)capacity.kept, "timed_out", (int)capacity.timed_out, "reference",
        condition != reference ? names[reference] : NULL, "of_reference",
        json_figure(has_ratio ? ratio.center : none), "of_reference_ci",
        has_ratio ? json_bounds(ratio.low, ratio.high) : json_null(), "distinguishable",
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
