#include "texts.h"

#include "common/memory.h"

#include <math.h>
#include <string.h>

static const struct value *protection_of(const struct experiment *experiment)
{
    return view_get(experiment->result.top, "protection");
}

bool protection_measured(const struct experiment *experiment)
{
    return view_is(protection_of(experiment), VIEW_OBJECT);
}

static bool is_empty(const struct value *list)
{
    return !view_first(list);
}

char *protection_setting(const struct value *entry)
{
    const struct value *settings = view_get(entry, "settings");
    OWNED char *load = view_joined(view_get(settings, "load"), " "),
               *target = view_joined(view_get(settings, "target"), " "),
               *on = view_text(settings, "on");
    OWNED char *both =
        load && target && strcmp(load, target) != 0 ? text_of("%s, target %s", load, target) : NULL;
    return visible(both ?: load ?: target ?: on ?: "none");
}

char *protection_where(const struct value *entry)
{
    const struct value *settings = view_get(entry, "settings");
    const bool load = !is_empty(view_get(settings, "load")),
               target = !is_empty(view_get(settings, "target"));
    if (!view_is(settings, VIEW_OBJECT))
        return must(strdup("-"));
    return must(strdup(load && target ? "both"
                       : target       ? "target"
                       : load         ? "neighbour"
                                      : "machine"));
}

static bool is_named(const struct experiment *experiment, const char *key,
                     const struct value *entry)
{
    OWNED char *name = view_text(protection_of(experiment), key);
    return name && view_matches(entry, "condition", name);
}

char *protection_front(const struct experiment *experiment, const struct value *entry)
{
    return must(strdup(is_named(experiment, "best", entry)             ? "best"
                       : is_named(experiment, "weakest", entry)        ? "weakest"
                       : view_holds(entry, "front")                    ? "yes"
                       : view_is(view_get(entry, "front"), VIEW_FALSE) ? "no"
                                                                       : "-"));
}

static struct estimate estimate_of(const struct value *figure)
{
    return (struct estimate){view_real(figure, "value"), figure_bound(figure, false),
                             figure_bound(figure, true)};
}

// A share in percent; what is beyond 0 and 1 is said as it is.
static char *percent_text(struct estimate share, bool words)
{
    char center[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
    const int decimals = fabs(share.high - share.low) < 0.02 ? 1 : 0;
    if (isnan(share.center))
        return must(strdup("-"));
    number_fixed(100 * share.center, isnan(share.low) ? 0 : decimals, center);
    if (isnan(share.low) || isnan(share.high))
        return text_of("%s %%", center);
    number_fixed(100 * share.low, decimals, from);
    number_fixed(100 * share.high, decimals, to);
    return words ? text_of("%s %% (%s to %s)", center, from, to)
                 : text_of("%s [%s, %s] %%", center, from, to);
}

char *protection_share(const struct value *figure)
{
    return percent_text(estimate_of(figure), false);
}

char *protection_ratio(const struct value *figure)
{
    const struct estimate ratio = estimate_of(figure);
    char text[NUMBER_SIZE];
    return must(strdup(number_ratio(ratio.center, ratio.low, ratio.high, text)));
}

static const struct value *entry_named(const struct experiment *experiment, const char *key)
{
    const struct value *list = view_get(protection_of(experiment), "rows");
    for (const struct value *item = NULL; view_each(list, &item);)
        if (is_named(experiment, key, item))
            return item;
    return NULL;
}

// "cpu.weight=10 for the neighbour"
static char *named_text(const struct value *entry)
{
    OWNED char *setting = protection_setting(entry), *where = protection_where(entry);
    return strcmp(where, "neighbour") == 0 ? text_of("%s for the neighbour", setting)
           : strcmp(where, "target") == 0  ? text_of("%s for the target", setting)
           : strcmp(where, "both") == 0    ? text_of("%s (both)", setting)
                                           : must(strdup(setting));
}

static char *kept_text(const struct value *entry)
{
    OWNED char *share = percent_text(estimate_of(view_get(entry, "kept")), true);
    return strcmp(share, "-") == 0 ? must(strdup(""))
                                   : text_of("; the neighbour keeps %s of its speed", share);
}

static char *removed_text(const struct value *entry)
{
    const struct estimate all = estimate_of(view_get(entry, "removed"));
    return percent_text((struct estimate){fmin(all.center, 1), fmin(all.low, 1), fmin(all.high, 1)},
                        true);
}

// Two significant digits more than 1 has: "5.0", "1.04".
static const char *times_text(double value, char *text)
{
    return number_fixed(value, value < 1.2 ? 2 : 1, text);
}

const struct value *protection_best(const struct experiment *experiment)
{
    return entry_named(experiment, "best");
}

static void put_best(struct line *json, const struct experiment *experiment)
{
    const struct value *best = protection_best(experiment);
    char before[NUMBER_SIZE], after[NUMBER_SIZE];
    if (!best) {
        line_text(json, NULL,
                  "None of these settings is known to protect it: more runs would tell.");
        return;
    }
    OWNED char *name = named_text(best), *removed = removed_text(best), *kept = kept_text(best);
    visible_add(
        json,
        text_of("Best: %s: %s \u2192 %s times as long, which removes %s of the damage%s.", name,
                times_text(view_real(view_get(best, "slowdown_unprotected"), "value"), before),
                times_text(view_real(view_get(best, "slowdown"), "value"), after), removed, kept));
}

static void put_until(struct line *json, const struct experiment *experiment)
{
    const struct value *protection = protection_of(experiment),
                       *weakest = entry_named(experiment, "weakest");
    const double until = view_real(protection, "until");
    if (isnan(until))
        return;
    if (!weakest) {
        visible_add(json, text_of("%s keeps it below %.6g times.",
                                  view_matches(protection, "verdict", "above")
                                      ? "None of these settings"
                                      : "It is not known yet that any of these settings",
                                  until));
    } else {
        OWNED char *name = named_text(weakest), *kept = kept_text(weakest),
                   *left = protection_ratio(view_get(weakest, "slowdown"));
        visible_add(json, text_of("Weakest that keeps it below %.6g times: %s: %s%s.", until, name,
                                  left, kept));
    }
}

void protection_put_answers(struct line *json, const struct experiment *experiment)
{
    put_until(json, experiment);
    put_best(json, experiment);
}
