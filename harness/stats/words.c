#include "words.h"

#include "direction.h"

#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PART = 256 };
static const double large = 2; // from here on a ratio is no percentage

bool words_is_time(const struct metric_setting *metric)
{
    return relation_is_time(metric->unit, metric->higher_is_better);
}

static bool has_bounds(const struct interval *interval)
{
    return !interval->constant && isfinite(interval->low) && isfinite(interval->high);
}

// So many decimals that the width shows at least one digit, and mostly two.
static int decimals_of(double width)
{
    if (!(width > 0) || !isfinite(width))
        return 1;
    const double needed = ceil(-log10(width / 4));
    return needed < 0 ? 0 : needed > 4 ? 4 : (int)needed;
}

// "4 % [2, 6]"
static void percent_text(const struct interval *change, char *text, size_t size)
{
    const double width = 100 * (change->high - change->low);
    const int decimals = decimals_apart(decimals_of(has_bounds(change) ? width : 1),
                                        100 * change->low, 100 * change->high, 0);
    // No "-0".
    const double low = 100 * change->low + 0.0, high = 100 * change->high + 0.0;
    if (has_bounds(change))
        snprintf(text, size, "%.*f %% [%.*f, %.*f]", decimals, 100 * change->center, decimals, low,
                 decimals, high);
    else
        snprintf(text, size, "%.*f %%", decimals, 100 * change->center);
}

// "1.05 [1.02, 1.08]"
static void ratio_text(const struct interval *ratio, char *text, size_t size)
{
    const int needed = decimals_of(ratio->high - ratio->low);
    const int decimals = decimals_apart(needed > 2 ? needed : 2, ratio->low, ratio->high, 1);
    if (has_bounds(ratio))
        snprintf(text, size, "%.*f [%.*f, %.*f]", decimals, ratio->center, decimals, ratio->low,
                 decimals, ratio->high);
    else
        snprintf(text, size, "%.*f", decimals, ratio->center);
}

// By how much more, or less (`up` false), than 1.
static struct interval change_of(const struct interval *ratio, bool up)
{
    struct interval change = *ratio;
    change.center = up ? ratio->center - 1 : 1 - ratio->center;
    change.low = up ? ratio->low - 1 : 1 - ratio->high;
    change.high = up ? ratio->high - 1 : 1 - ratio->low;
    return change;
}

// "alone", "beside mem-50"
static void place_text(const struct words_of *of, char *text, size_t size)
{
    if (of->load)
        snprintf(text, size, "beside %s", of->load);
    else
        snprintf(text, size, "alone");
}

// Of a time. The wall time needs no name.
static void time_text(const struct words_of *of, const struct interval *ratio, const char *place,
                      char *text, size_t size)
{
    const bool up = ratio->center >= 1,
               times = ratio->center >= large || ratio->center <= 1 / large;
    const struct interval change = change_of(ratio, up);
    const bool other = strcmp(of->metric->name, "wall_s") != 0;
    char figure[PART];
    if (times) {
        ratio_text(ratio, figure, sizeof figure);
        snprintf(text, size, "takes %s times as long as %s %s%s%s", figure, of->reference, place,
                 other ? ", by " : "", other ? of->metric->name : "");
        return;
    }
    percent_text(&change, figure, sizeof figure);
    snprintf(text, size, "is %s %s %s%s%s", figure, up ? "slower" : "faster", place,
             other ? ", by " : "", other ? of->metric->name : "");
}

// Of what is no time, in its own direction.
static void other_text(const struct words_of *of, const struct interval *ratio, const char *place,
                       char *text, size_t size)
{
    const struct interval plain = direction_of_reference(ratio, of->metric->higher_is_better);
    const bool up = plain.center >= 1, times = plain.center >= large || plain.center <= 1 / large;
    const struct interval change = change_of(&plain, up);
    const char *judgement = up == of->metric->higher_is_better ? "better" : "worse";
    char figure[PART];
    if (times) {
        ratio_text(&plain, figure, sizeof figure);
        snprintf(text, size, "%s %s times %s's %s (%s)", of->metric->name, figure, of->reference,
                 place, judgement);
        return;
    }
    percent_text(&change, figure, sizeof figure);
    snprintf(text, size, "%s %s %s %s (%s)", of->metric->name, figure, up ? "higher" : "lower",
             place, judgement);
}

char *words_comparison(const struct words_of *of, const struct interval *ratio, double same_within)
{
    const bool is_time = words_is_time(of->metric);
    char place[PART], figure[4 * PART], *text = NULL;
    int length = 0;
    if (!(ratio->center > 0))
        return NULL;
    place_text(of, place, sizeof place);
    if (is_time)
        time_text(of, ratio, place, figure, sizeof figure);
    else
        other_text(of, ratio, place, figure, sizeof figure);
    if (relation_of(ratio, same_within) == RELATION_SAME)
        length = asprintf(&text, "%s is the same as %s within %.3g %%: it%s %s", of->variant,
                          of->reference, 100 * same_within, is_time ? "" : "s", figure);
    else
        length = asprintf(&text, "%s%s %s", of->variant, is_time ? "" : ":", figure);
    return length < 0 ? NULL : text;
}

char *words_interaction(const struct words_of *of, const struct interval *ratio)
{
    const bool seen = ratio->low > 1 || ratio->high < 1;
    const bool other = strcmp(of->metric->name, "wall_s") != 0;
    char figure[PART], *text = NULL;
    if (!(ratio->center > 0))
        return NULL;
    ratio_text(ratio, figure, sizeof figure);
    const int length =
        asprintf(&text, "%s %s how %s compares with %s%s%s: %s times the ratio alone", of->load,
                 seen ? "changes" : "is not seen to change", of->variant, of->reference,
                 other ? " by " : "", other ? of->metric->name : "", figure);
    return length < 0 ? NULL : text;
}
