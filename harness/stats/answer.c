#include "result.h"

#include "bounded.h"
#include "json.h"
#include "judgement.h"
#include "metrics.h"
#include "stragglers.h"

#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Worse than the median by so much: below, a run is an oddity (FLAG_OUTLIERS), and no straggler.
static const double least_times = 1.25;

static double times_worse(double value, double median, bool higher_is_better)
{
    return higher_is_better ? median / value : value / median;
}

// The i-th worst of the values, from 0.
static double worst_of(const struct sample *sample, size_t i, bool higher_is_better)
{
    return sample_sorted(sample)[higher_is_better ? i : sample->count - 1 - i];
}

// The runs that shape_outliers() finds on the side that is worse, where they are worse by a
// quarter of the median at least.
static struct stragglers stragglers_of(const struct session *session, size_t condition,
                                       size_t metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    const bool higher = session->settings->metrics.item[metric].higher_is_better;
    const struct outliers outliers = shape_outliers(sample);
    const double median = sample_median(sample);
    struct stragglers found = {.count = higher ? outliers.low : outliers.high,
                               .runs = sample->count,
                               .limit = NAN,
                               .times = NAN};
    while (found.count > 0 &&
           times_worse(worst_of(sample, found.count - 1, higher), median, higher) < least_times)
        found.count--;
    if (found.count > 0) {
        found.limit = worst_of(sample, found.count - 1, higher);
        found.times = times_worse(worst_of(sample, found.count / 2, higher), median, higher);
    }
    stragglers_share(&found, session->critical.confidence);
    return found;
}

static bool is_one(const struct stragglers *of, double value, bool higher_is_better)
{
    return of->count > 0 && (higher_is_better ? value <= of->limit : value >= of->limit);
}

// A pair's two stragglers: x's are those of the condition where higher is better.
struct sides {
    struct stragglers x, y;
    bool higher;
};

static struct sides sides_of(const struct session *session, struct ratio of)
{
    const size_t reference = settings_reference(session->settings, of.condition, of.against);
    const bool higher = session->settings->metrics.item[of.metric].higher_is_better;
    const struct stragglers own = stragglers_of(session, of.condition, of.metric),
                            other = stragglers_of(session, reference, of.metric);
    return (struct sides){.x = higher ? own : other, .y = higher ? other : own, .higher = higher};
}

// Of blocks in which only one of the condition and its reference straggled.
static double pairs_p(const struct pairs *pairs, const struct sides *sides)
{
    unsigned only_x = 0, only_y = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const bool x = is_one(&sides->x, pairs->x[i], sides->higher);
        const bool y = is_one(&sides->y, pairs->y[i], sides->higher);
        only_x += x && !y;
        only_y += y && !x;
    }
    return stragglers_p(only_x, only_y, 0.5);
}

// The longest of the values that are no stragglers: what a straggler is cut to.
static double cut(const struct stragglers *of, const double *value, size_t n, bool higher)
{
    double longest = higher ? INFINITY : -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (!is_one(of, value[i], higher))
            longest = higher ? fmin(longest, value[i]) : fmax(longest, value[i]);
    return longest;
}

// The interval of the ratio of the means, with the stragglers of x, of y, or of neither cut.
static struct interval mean_ratio(struct session *session, const struct pairs *pairs,
                                  enum against against, const struct sides *sides, bool cut_x,
                                  bool cut_y)
{
    const double most_x = cut(&sides->x, pairs->x, pairs->count, sides->higher);
    const double most_y = cut(&sides->y, pairs->y, pairs->count, sides->higher);
    struct pairs rest = {0};
    for (size_t i = 0; i < pairs->count; i++) {
        const bool x = cut_x && is_one(&sides->x, pairs->x[i], sides->higher);
        const bool y = cut_y && is_one(&sides->y, pairs->y[i], sides->higher);
        pairs_add(&rest, x ? most_x : pairs->x[i], y ? most_y : pairs->y[i]);
    }
    const struct interval ratio = metric_mean_ratio(session, &rest, against, sides->higher);
    pairs_free(&rest);
    return ratio;
}

struct interval stragglers_mean(struct session *session, struct ratio of)
{
    const struct pairs *pairs = session_pairs(session, of);
    const struct sides sides = sides_of(session, of);
    const bool open_x = stragglers_needed(&sides.x) > 0, open_y = stragglers_needed(&sides.y) > 0;
    struct interval ratio = mean_ratio(session, pairs, of.against, &sides, false, false);
    if (open_x || open_y) {
        ratio.low = mean_ratio(session, pairs, of.against, &sides, false, open_y).low;
        ratio.high =
            open_y ? NAN : mean_ratio(session, pairs, of.against, &sides, open_x, false).high;
    }
    // Of the reference's stragglers more may come, too.
    if (open_x && !open_y)
        ratio.low = NAN;
    bool all_above = true;
    for (size_t i = 0; i < pairs->count; i++)
        all_above = all_above && pairs->y[i] > pairs->x[i];
    if (!(ratio.low > 0))
        ratio.low = all_above ? 1 : NAN;
    return ratio;
}

enum { PART = 128 };

bool words_is_time(const struct metric_setting *metric)
{
    return relation_is_time(metric->unit, metric->higher_is_better);
}

// What seldom happens, in sentences; null: nothing does.
static json_t *seldom_json(const struct seldom *seldom)
{
    char *text;
    size_t size;
    FILE *stream = must(open_memstream(&text, &size));
    seldom_print(seldom, stream);
    return json_owned_text(stream_text(stream, &text));
}

// ---- the record ----

static json_t *bound_json(const struct interval *interval)
{
    return json_pack("{s:o, s:[o, o]}", "ratio", json_figure(interval->center), "ci",
                     json_figure(interval->constant ? NAN : interval->low),
                     json_figure(interval->constant ? NAN : interval->high));
}

static json_t *stragglers_json(const struct stragglers *of)
{
    return json_pack("{s:i, s:i, s:[o, o], s:o, s:i}", "runs", (int)of->count, "of", (int)of->runs,
                     "share", json_figure(of->low), json_figure(of->high), "times",
                     json_figure(of->times), "needed", (int)stragglers_needed(of));
}

// [{"ratio", "runs"}, {"ratio", "runs"}], the lower first; null: there are none.
static json_t *groups_json(const struct groups *groups)
{
    if (groups->low_count == 0)
        return json_null();
    return json_pack("[{s:o, s:I}, {s:o, s:I}]", "ratio", json_figure(groups->low), "runs",
                     (json_int_t)groups->low_count, "ratio", json_figure(groups->high), "runs",
                     (json_int_t)groups->high_count);
}

// "beside half" and "alone", or two variants, of `of`.
static void place_names(const struct settings *settings, struct ratio of, char place[static PART],
                        char other[static PART])
{
    const size_t reference = settings_reference(settings, of.condition, of.against);
    const char *load = settings_load_name(settings, of.condition);
    if (of.against == AGAINST_ALONE) {
        snprintf(place, PART, "beside %.100s", load ? load : settings->conditions[of.condition]);
        snprintf(other, PART, "alone");
        return;
    }
    snprintf(place, PART, "with %.100s",
             settings->conditions[settings_variant(settings, of.condition)]);
    snprintf(other, PART, "with %.100s",
             settings->conditions[settings_variant(settings, reference)]);
}

void answer_add(struct session *session, struct ratio of, json_t *record)
{
    const struct settings *settings = session->settings;
    const struct pairs *pairs = session_pairs(session, of);
    const struct sides sides = sides_of(session, of);
    const struct interval typical = metric_typical(session, of);
    char place[PART], other_place[PART];
    place_names(settings, of, place, other_place);
    const struct seldom seldom = {
        .own = sides.higher ? sides.x : sides.y,
        .other = sides.higher ? sides.y : sides.x,
        .p = pairs_p(pairs, &sides),
        .confidence = session->critical.confidence,
        .typical = typical.center,
        .mean = stragglers_mean(session, of),
        .place = place,
        .other_place = other_place,
        .is_time = words_is_time(&settings->metrics.item[of.metric]),
        .higher_is_better = sides.higher,
    };
    const bool is_told = pairs->count > 0 && typical.center > 0 &&
                         session_censored(session, of) == 0 &&
                         seldom.own.count + seldom.other.count > 0;
    const struct groups groups = metric_groups(session, of);
    json_extend(record,
                json_pack("{s:o, s:o, s:o, s:{s:o, s:o, s:o}, s:o}", "groups", groups_json(&groups),
                          "typical", bound_json(&typical), "mean", bound_json(&seldom.mean),
                          "stragglers", "own", stragglers_json(&seldom.own), "reference",
                          stragglers_json(&seldom.other), "p", json_figure(seldom.p), "seldom",
                          is_told ? seldom_json(&seldom) : json_null()));
}

// ---- a ratio in one sentence ----

static const double large = 2; // from here on a ratio is no percentage

static bool has_bounds(const struct interval *interval)
{
    return !interval->constant && isfinite(interval->low) && isfinite(interval->high);
}

// "1.05 [1.02, 1.08]", "4 % [2, 6]"; to be freed.
static char *figure_text(const struct interval *of, int decimals, const char *unit)
{
    char center[NUMBER_SIZE], bounds[NUMBER_SIZE];
    number_fixed(of->center, decimals, center);
    if (!has_bounds(of))
        return text_of("%s%s", center, unit);
    return text_of("%s%s %s", center, unit, number_interval(of->low, of->high, decimals, bounds));
}

// So many decimals that the width shows at least one digit, and mostly two.
static int decimals_shown(double width)
{
    if (!(width > 0) || !isfinite(width))
        return 1;
    return (int)fmin(fmax(ceil(-log10(width / 4)), 0), 4);
}

static char *ratio_text(const struct interval *ratio)
{
    const int needed = decimals_shown(ratio->high - ratio->low);
    const bool wide = has_bounds(ratio) && ratio->high - ratio->low >= 2;
    return figure_text(ratio,
                       wide ? ratio_decimals(ratio->low, ratio->high)
                            : decimals_apart(needed > 2 ? needed : 2, ratio->low, ratio->high, 1),
                       "");
}

// By how much more, or less (`up` false), than 1, in percent.
static char *percent_text(const struct interval *ratio, bool up)
{
    const double low = up ? ratio->low - 1 : 1 - ratio->high;
    const double high = up ? ratio->high - 1 : 1 - ratio->low;
    const struct interval change = {.center = 100 * (up ? ratio->center - 1 : 1 - ratio->center),
                                    .low = 100 * low,
                                    .high = 100 * high,
                                    .constant = ratio->constant};
    const double width = has_bounds(ratio) ? 100 * (high - low) : 1;
    return figure_text(&change, decimals_apart(decimals_shown(width), change.low, change.high, 0),
                       " %");
}

struct words_of words_of(const struct settings *settings, size_t condition, size_t metric)
{
    return (struct words_of){.metric = &settings->metrics.item[metric],
                             .variant = settings->conditions[settings_variant(settings, condition)],
                             .reference = settings->conditions[0],
                             .load = settings_load_name(settings, condition)};
}

// The wall time needs no name.
static const char *name_of(const struct words_of *of, const char *before)
{
    return strcmp(of->metric->name, "wall_s") == 0 ? "" : before;
}

// How a variant compares, in the metric's own direction.
static char *change_text(const struct words_of *of, const struct interval *ratio)
{
    const char *name = of->metric->name;
    const bool higher = of->metric->higher_is_better, is_time = words_is_time(of->metric);
    const struct interval plain = interval_of_reference(ratio, higher);
    const bool up = plain.center >= 1, times = plain.center >= large || plain.center <= 1 / large;
    const char *judgement = up == higher ? "better" : "worse";
    OWNED char *figure = times ? ratio_text(&plain) : percent_text(&plain, up);
    OWNED char *place = of->load ? text_of("beside %s", of->load) : must(strdup("alone"));
    OWNED char *by = text_of("%s%s", name_of(of, ", by "), name_of(of, name));
    if (is_time && times)
        return text_of("takes %s times as long as %s %s%s", figure, of->reference, place, by);
    if (is_time)
        return text_of("is %s %s %s%s", figure, up ? "slower" : "faster", place, by);
    if (times)
        return text_of("%s %s times %s's %s (%s)", name, figure, of->reference, place, judgement);
    return text_of("%s %s %s %s (%s)", name, figure, up ? "higher" : "lower", place, judgement);
}

json_t *words_comparison(const struct settings *settings, size_t condition, size_t metric,
                         const struct interval *ratio)
{
    const struct words_of of = words_of(settings, condition, metric);
    const bool is_time = words_is_time(of.metric);
    if (!(ratio->center > 0))
        return json_null();
    OWNED char *change = change_text(&of, ratio);
    if (relation_of(ratio, settings->tolerance) == RELATION_SAME)
        return json_owned_text(text_of("%s is the same as %s within %.10g %%: it%s %s", of.variant,
                                       of.reference, 100 * settings->tolerance, is_time ? "" : "s",
                                       change));
    return json_owned_text(text_of("%s%s %s", of.variant, is_time ? "" : ":", change));
}

json_t *words_interaction(const struct settings *settings, struct ratio ratio_of,
                          const struct interval *ratio, enum effect effect)
{
    const struct words_of of = words_of(settings, ratio_of.condition, ratio_of.metric);
    const bool seen = effect == EFFECT_SEEN;
    if (!(ratio->center > 0))
        return json_null();
    OWNED char *figure = ratio_text(ratio);
    char *text = text_of("%s %s how %s compares with %s%s%s: %s times the ratio alone", of.load,
                         seen ? "changes" : "is not seen to change", of.variant, of.reference,
                         name_of(&of, " by "), name_of(&of, of.metric->name), figure);
    return json_owned_text(text);
}

void answer_direction(const struct metric_setting *metric, const struct interval *ratio,
                      const char *reference, json_t *object)
{
    const struct interval plain = interval_of_reference(ratio, metric->higher_is_better);
    const bool has_width = has_bounds(&plain) && plain.high > plain.low;
    OWNED char *figure = figure_text(&plain, has_width ? bounded_decimals(&plain, 2, 5) : 2, "");
    OWNED char *text =
        text_of("%s %s %s %s", metric->name, figure, plain.center < 1 ? "of" : "times", reference);
    json_extend(object,
                json_pack("{s:s, s:s, s:o, s:o, s:s?}", "unit", metric->unit, "better",
                          metric_better_names[metric->higher_is_better], "of_reference",
                          json_figure(plain.center), "of_reference_ci", json_interval(&plain),
                          "text", isnan(plain.center) ? NULL : text));
}
