// Says a ratio, a comparison or an interaction in one sentence.
#include "bounded.h"
#include "effect.h"
#include "interval.h"
#include "json.h"
#include "metrics.h"
#include "relation.h"
#include "result.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

#include "common/memory.h"
#include "common/metric.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"

#include <math.h>
#include <string.h>

bool words_is_time(const struct metric_setting *metric)
{
    return relation_is_time(metric->unit, metric->higher_is_better);
}

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

void ratio_direction_add(const struct metric_setting *metric, const struct interval *ratio,
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
