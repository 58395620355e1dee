#include "protection.h"

#include "row.h"
#include "view.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct value *protection_of(const struct experiment *experiment)
{
    return view_get(experiment->result.top, "protection");
}

bool protection_measured(const struct experiment *experiment)
{
    return view_is(protection_of(experiment), VIEW_OBJECT);
}

/* The texts of a list with blanks between, or NULL. */
static char *joined(char *text, const struct value *list)
{
    for (const struct value *item = NULL; view_each(list, &item);) {
        OWNED char *one = view_string(item), *plain = one == NULL ? NULL : visible(one);
        if (plain != NULL)
            text = text_joined(text, " ", plain);
    }
    return text;
}

static bool is_empty(const struct value *list)
{
    return view_first(list) == NULL;
}

char *protection_setting(const struct value *entry)
{
    const struct value *settings = view_get(entry, "settings"), *load = view_get(settings, "load"),
                       *target = view_get(settings, "target");
    if (!is_empty(load) && !is_empty(target)) {
        OWNED char *of_load = joined(NULL, load), *of_target = joined(NULL, target);
        char *text = strcmp(of_load, of_target) == 0 ? must(strdup(of_load))
                                                     : text_of("%s, target %s", of_load, of_target);
        return text;
    }
    char *text = joined(joined(NULL, load), target), *on = view_text(settings, "on");
    if (text == NULL && on != NULL)
        text = visible(on);
    free(on);
    return text == NULL ? must(strdup("none")) : text;
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
    const bool same = name != NULL && view_equals(view_get(entry, "condition"), name);
    return same;
}

char *protection_front(const struct experiment *experiment, const struct value *entry)
{
    return must(strdup(is_named(experiment, "best", entry)             ? "best"
                       : is_named(experiment, "weakest", entry)        ? "weakest"
                       : view_true(view_get(entry, "front"))           ? "yes"
                       : view_is(view_get(entry, "front"), VIEW_FALSE) ? "no"
                                                                       : "-"));
}

/* A bound in percent; what is beyond 0 and 1 is said as it is. */
static char *percent_text(double value, double low, double high, bool words)
{
    char center[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
    const int decimals = fabs(high - low) < 0.02 ? 1 : 0;
    if (isnan(value))
        return must(strdup("-"));
    number_fixed(100 * value, isnan(low) ? 0 : decimals, center);
    if (isnan(low) || isnan(high))
        return text_of("%s %%", center);
    number_fixed(100 * low, decimals, from);
    number_fixed(100 * high, decimals, to);
    return words ? text_of("%s %% (%s to %s)", center, from, to)
                 : text_of("%s [%s, %s] %%", center, from, to);
}

static double value_of(const struct value *figure)
{
    return view_number(view_get(figure, "value"), NAN);
}

char *protection_share(const struct value *figure)
{
    return percent_text(value_of(figure), figure_bound(figure, false), figure_bound(figure, true),
                        false);
}

char *protection_ratio(const struct value *figure)
{
    char text[NUMBER_SIZE];
    return must(strdup(number_ratio(value_of(figure), figure_bound(figure, false),
                                    figure_bound(figure, true), text)));
}

static const struct value *entry_named(const struct experiment *experiment, const char *key)
{
    const struct value *list = view_get(protection_of(experiment), "rows");
    for (const struct value *item = NULL; view_each(list, &item);)
        if (is_named(experiment, key, item))
            return item;
    return NULL;
}

/* "cpu.weight=10 for the neighbour" */
static char *named_text(const struct value *entry)
{
    OWNED char *setting = protection_setting(entry), *where = protection_where(entry);
    char *text = strcmp(where, "neighbour") == 0 ? text_of("%s for the neighbour", setting)
                 : strcmp(where, "target") == 0  ? text_of("%s for the target", setting)
                 : strcmp(where, "both") == 0    ? text_of("%s (both)", setting)
                                                 : must(strdup(setting));
    return text;
}

static char *kept_text(const struct value *entry)
{
    const struct value *kept = view_get(entry, "kept");
    OWNED char *share =
        percent_text(value_of(kept), figure_bound(kept, false), figure_bound(kept, true), true);
    char *text = strcmp(share, "-") == 0 ? must(strdup(""))
                                         : text_of("; the neighbour keeps %s of its speed", share);
    return text;
}

static char *removed_text(const struct value *entry)
{
    const struct value *removed = view_get(entry, "removed");
    return percent_text(fmin(value_of(removed), 1), fmin(figure_bound(removed, false), 1),
                        fmin(figure_bound(removed, true), 1), true);
}

/* Two significant digits more than 1 has: "5.0", "1.04". */
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
    if (best == NULL) {
        line_text(json, NULL,
                  "None of these settings is known to protect it: more runs would tell.");
        return;
    }
    OWNED char *name = named_text(best), *removed = removed_text(best), *kept = kept_text(best);
    OWNED char *text =
        text_of("Best: %s: %s \u2192 %s times as long, which removes %s of the damage%s.", name,
                times_text(value_of(view_get(best, "slowdown_unprotected")), before),
                times_text(value_of(view_get(best, "slowdown")), after), removed, kept);
    line_text(json, NULL, text);
}

static void put_until(struct line *json, const struct experiment *experiment)
{
    const struct value *protection = protection_of(experiment),
                       *weakest = entry_named(experiment, "weakest");
    const double until = view_number(view_get(protection, "until"), NAN);
    OWNED char *text = NULL;
    if (isnan(until))
        return;
    if (weakest == NULL) {
        text = text_of("%s keeps it below %.6g times.",
                       view_equals(view_get(protection, "verdict"), "above")
                           ? "None of these settings"
                           : "It is not known yet that any of these settings",
                       until);
    } else {
        OWNED char *name = named_text(weakest), *kept = kept_text(weakest),
                   *left = protection_ratio(view_get(weakest, "slowdown"));
        text =
            text_of("Weakest that keeps it below %.6g times: %s: %s%s.", until, name, left, kept);
    }
    line_text(json, NULL, text);
}

void protection_put_answers(struct line *json, const struct experiment *experiment)
{
    put_until(json, experiment);
    put_best(json, experiment);
}
