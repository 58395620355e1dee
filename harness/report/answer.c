#include "texts.h"

// ---- settings that protect

const char *protection_setting(const struct row *row)
{
    const struct value *settings = view_get(row->entry, "settings");
    struct arena *texts = row->of->texts;
    const char *load = view_joined(texts, view_get(settings, "load"), " "),
               *target = view_joined(texts, view_get(settings, "target"), " ");
    if (load && target && strcmp(load, target) != 0)
        load = said(texts, "%s, target %s", load, target);
    return shown(texts, load ?: target ?: view_text(settings, "on") ?: "none");
}

const char *protection_where(const struct row *row)
{
    const struct value *settings = view_get(row->entry, "settings");
    const bool load = view_first(view_get(settings, "load")) != NULL,
               target = view_first(view_get(settings, "target")) != NULL;
    return !view_is(settings, VIEW_OBJECT) ? "-"
           : load && target                ? "both"
           : target                        ? "target"
           : load                          ? "neighbour"
                                           : "machine";
}

static bool is_named(const struct experiment *experiment, const char *key,
                     const struct value *entry)
{
    const char *name = view_text(experiment->protection, key);
    return name && view_matches(entry, "condition", name);
}

const char *protection_front(const struct row *row)
{
    return is_named(row->of, "best", row->entry)                ? "best"
           : is_named(row->of, "weakest", row->entry)           ? "weakest"
           : view_holds(row->entry, "front")                    ? "yes"
           : view_is(view_get(row->entry, "front"), VIEW_FALSE) ? "no"
                                                                : "-";
}

// A share in percent; what is beyond 0 and 1 is said as it is.
static const char *percent_text(struct arena *texts, struct estimate share, bool words)
{
    const int decimals = fabs(share.high - share.low) < 0.02 ? 1 : 0;
    if (isnan(share.center))
        return "-";
    const char *center = number_fixed(100 * share.center, isnan(share.low) ? 0 : decimals, ROOM);
    if (isnan(share.low) || isnan(share.high))
        return said(texts, "%s %%", center);
    const char *from = number_fixed(100 * share.low, decimals, ROOM),
               *to = number_fixed(100 * share.high, decimals, ROOM);
    return words ? said(texts, "%s %% (%s to %s)", center, from, to)
                 : said(texts, "%s [%s, %s] %%", center, from, to);
}

const char *protection_share(struct arena *texts, const struct value *figure)
{
    return percent_text(texts, estimate_of(figure, "value"), false);
}

const char *protection_ratio(struct arena *texts, const struct value *figure)
{
    const struct estimate ratio = estimate_of(figure, "value");
    return kept(texts, number_ratio(ratio.center, ratio.low, ratio.high, ROOM));
}

static const struct value *entry_named(const struct experiment *experiment, const char *key)
{
    EACH_VALUE (item, view_get(experiment->protection, "rows"))
        if (is_named(experiment, key, item))
            return item;
    return NULL;
}

// "cpu.weight=10 for the neighbour"
static const char *named_text(const struct experiment *of, const struct value *entry)
{
    const struct row row = {.of = of, .entry = entry};
    const char *setting = protection_setting(&row), *where = protection_where(&row);
    return strcmp(where, "neighbour") == 0 || strcmp(where, "target") == 0
               ? said(of->texts, "%s for the %s", setting, where)
           : strcmp(where, "both") == 0 ? said(of->texts, "%s (both)", setting)
                                        : setting;
}

static const char *kept_text(struct arena *texts, const struct value *entry)
{
    const char *share = percent_text(texts, estimate_of(view_get(entry, "kept"), "value"), true);
    return strcmp(share, "-") == 0 ? ""
                                   : said(texts, "; the neighbour keeps %s of its speed", share);
}

// Two significant digits more than 1 has: "5.0", "1.04".
static const char *times_text(double value, char *text)
{
    return number_fixed(value, value < 1.2 ? 2 : 1, text);
}

static const char *best_text(const struct experiment *of)
{
    const struct value *best = entry_named(of, "best");
    const struct estimate all = estimate_of(view_get(best, "removed"), "value");
    const struct estimate removed = {fmin(all.center, 1), fmin(all.low, 1), fmin(all.high, 1)};
    return !best
               ? "None of these settings is known to protect it: more runs would tell."
               : said(of->texts,
                      "Best: %s: %s \u2192 %s times as long, which removes %s of the damage%s.",
                      named_text(of, best),
                      times_text(view_real(view_get(best, "slowdown_unprotected"), "value"), ROOM),
                      times_text(view_real(view_get(best, "slowdown"), "value"), ROOM),
                      percent_text(of->texts, removed, true), kept_text(of->texts, best));
}

static const char *until_text(const struct experiment *of)
{
    const struct value *protection = of->protection, *weakest = entry_named(of, "weakest");
    const double until = view_real(protection, "until");
    if (isnan(until))
        return NULL;
    if (weakest)
        return said(of->texts, "Weakest that keeps it below %.6g times: %s: %s%s.", until,
                    named_text(of, weakest),
                    protection_ratio(of->texts, view_get(weakest, "slowdown")),
                    kept_text(of->texts, weakest));
    return said(of->texts, "%s keeps it below %.6g times.",
                view_matches(protection, "verdict", "above")
                    ? "None of these settings"
                    : "It is not known yet that any of these settings",
                until);
}

// ---- what was found

// Steps through the slowdowns of the main metric.
static bool each_slowdown(const struct experiment *experiment, const struct value **item)
{
    const struct value *all = experiment->slowdowns;
    while (view_each(all, item))
        if (view_matches(*item, "metric", main_metric(experiment)->name))
            return true;
    return false;
}

// Of its effect.
static double size_of(const struct value *slowdown)
{
    return fabs(log(view_real(slowdown, "ratio")));
}

void answer_put(struct line *json, const char *name, const struct experiment *experiment)
{
    LINE_ARRAY (json, name)
        if (experiment->variants || experiment->capacity)
            ; // their tables have them: see variants.c
        else if (experiment->protection) {
            visible_add(json, until_text(experiment));
            visible_add(json, best_text(experiment));
        } else if (view_first(experiment->slowdowns))
            finding_put_slowdowns(json, experiment);
        else
            finding_put_alone(json, experiment);
}

// The slowdown of the main metric that is farthest from 1; NULL: there are not several.
static const struct value *largest(const struct experiment *experiment)
{
    const struct value *found = NULL;
    size_t count = 0;
    double size = -1;
    for (const struct value *item = NULL; each_slowdown(experiment, &item); count++)
        if (size_of(item) > size) {
            size = size_of(item);
            found = item;
        }
    return count > 1 ? found : NULL;
}

// A command line about the load of a slowdown, `begin` in front of it; NULL: there is none, or no
// slowdown.
static const char *command_about(const struct experiment *experiment, const struct value *slowdown,
                                 const char *begin)
{
    const char *which = view_text(slowdown, "condition");
    const struct value *record = experiment->record.top;
    struct arena *texts = experiment->texts;
    const char *spec =
        which ? view_text(view_entry(view_get(record, "loads"), "name", which), "spec") : NULL;
    return !spec || experiment->variants
               ? NULL
               : said(texts, "%s --load %s -- %s", begin,
                      word_quoted(texts, said(texts, "%s=%s", which, spec)),
                      command_text(texts, view_get(record, "command")));
}

// What is worth protecting from: the largest slowdown, where it is surely above this. Not of a
// service, whose command line says too little, nor where settings were tried.
static const double worth_protecting = 1.05;

static const struct value *harmful(const struct experiment *experiment)
{
    const struct value *found = NULL;
    double size = worth_protecting;
    if (experiment->protection || view_has_text(experiment->settings, "service"))
        return NULL;
    for (const struct value *item = NULL; each_slowdown(experiment, &item);)
        if (figure_bound(item, false) > size) {
            size = figure_bound(item, false);
            found = item;
        }
    return found;
}

void answer_put_next(struct line *json, const struct experiment *experiment)
{
    const struct value *best = entry_named(experiment, "best"), *harm = harmful(experiment);
    const struct value *closer = best ?: largest(experiment);
    visible_put(json, "next",
                command_about(experiment, closer, "jostle slowdown --error 2% --max-runs 200"));
    visible_put(json, "protect", command_about(experiment, harm, "jostle protect"));
}
