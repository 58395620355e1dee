// An effect, none, or not known yet: of an interval, and of what the test says.
#include "effect.h"

#include <math.h>
#include <string.h>

const char *const effect_names[EFFECTS] = {"unknown", "no", "yes"};

const char *const effect_remarks[EFFECTS] = {
    [EFFECT_UNKNOWN] = " (unclear)", [EFFECT_NONE] = " (no effect)", [EFFECT_SEEN] = ""};

enum effect effect_named(const char *name)
{
    enum effect effect = 0;
    while (effect < EFFECTS && !(name && strcmp(name, effect_names[effect]) == 0))
        effect++;
    return effect;
}

enum effect effect_of(const struct interval *ratio, bool is_seen)
{
    if (ratio->constant)
        return ratio->center == 1 ? EFFECT_NONE : EFFECT_SEEN;
    if (!isfinite(ratio->low) || !isfinite(ratio->high))
        return EFFECT_UNKNOWN;
    if (is_seen && interval_excludes_one(ratio))
        return EFFECT_SEEN;
    return effect_at_most(ratio) < EFFECT_NEGLIGIBLE ? EFFECT_NONE : EFFECT_UNKNOWN;
}

double effect_at_most(const struct interval *ratio)
{
    return fmax(1 - ratio->low, ratio->high - 1);
}

double effect_pairs_needed(const struct interval *ratio, double pairs)
{
    const double half = (ratio->high - ratio->low) / 2, away = fabs(ratio->center - 1);
    const double wanted = fmax(away, EFFECT_NEGLIGIBLE - away);
    const double needed = ceil(pairs * pow(half / wanted, 2));
    // Beside 1 already: it is the test, or the family, that asks for more.
    const double least = pairs + 1;
    return isfinite(half) && isfinite(needed) && needed <= EFFECT_MOST_PAIRS ? fmax(needed, least)
                                                                             : NAN;
}
