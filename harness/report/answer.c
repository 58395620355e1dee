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

const double negligible_effect = 0.05;

// Of the extra time: what has so much of it is nearly all of it, and most of it.
static const double nearly_all = 0.9, most = 0.6, worth_naming = 0.15;

struct cause {
    const char *words;
    double share;
};

static int by_share(const void *a, const void *b)
{
    const struct cause *one = a, *other = b;
    return (one->share < other->share) - (one->share > other->share);
}

// ": nearly all of it waiting for a CPU"; "" where it is not known.
static const char *causes_text(struct arena *texts, const struct value *points)
{
    static const struct {
        const char *key, *words;
    } known[] = {{"cpu", "waiting for a CPU"},     {"execution", "slower execution"},
                 {"memory", "waiting for memory"}, {"io", "waiting for the disk"},
                 {"steal", "taken by the host"},   {"unexplained", "unexplained"}};
    enum { CAUSES = sizeof known / sizeof *known };
    struct cause cause[CAUSES];
    double sum = 0;
    for (size_t i = 0; i < CAUSES; i++) {
        const double points_of = view_real(points, known[i].key);
        cause[i] = (struct cause){known[i].words, points_of > 0 ? points_of : 0};
        sum += cause[i].share;
    }
    if (!(sum > 0))
        return "";
    qsort(cause, CAUSES, sizeof *cause, by_share);
    const double first = cause[0].share / sum, second = cause[1].share / sum;
    if (first >= nearly_all)
        return said(texts, ": nearly all of it %s", cause[0].words);
    if (first >= most || second < worth_naming)
        return said(texts, ": most of it %s", cause[0].words);
    return said(texts, ": partly %s, partly %s", cause[0].words, cause[1].words);
}

// "half (cpu --percent 50)", or the name alone where that is all of the load.
static const char *load_text(const struct experiment *experiment, const char *name)
{
    const struct value *load = view_entry(experiment->loads, "name", name);
    const char *spec = view_text(load, "spec");
    return shown(experiment->texts, !spec || strcmp(spec, name) == 0
                                        ? name
                                        : said(experiment->texts, "%s (%s)", name, spec));
}

// A difference from 1 as people say it, with two digits: "2.7 % slower"; of other metrics "higher".
static const char *difference_text(double ratio, bool timed, char *text)
{
    const double percent = 100 * fabs(ratio - 1);
    const char *way = ratio >= 1 ? (timed ? "slower" : "higher") : timed ? "faster" : "lower";
    snprintf(text, NUMBER_SIZE, "%.*f %% %s",
             percent < 1      ? 2
             : percent < 9.95 ? 1
                              : 0,
             percent, way);
    return text;
}

// Decimals of a ratio within a sentence: one fewer than in the table, where the range still shows
// on which side of 1 it is.
static int sentence_decimals(double low, double high)
{
    const int decimals = ratio_decimals(low, high);
    const double step = pow(10, 1 - decimals);
    const bool is_clear = low > 1 ? low - 1 > step : 1 - high > step;
    return decimals > 1 && is_clear ? decimals - 1 : decimals;
}

const char *times_as(struct arena *texts, const struct estimate *ratio, const char *what,
                     double sure)
{
    const int decimals = sentence_decimals(ratio->low, ratio->high);
    return said(texts, "%s times as %s (%s to %s%s)", number_fixed(ratio->center, decimals, ROOM),
                what, number_fixed(ratio->low, decimals, ROOM),
                number_fixed(ratio->high, decimals, ROOM),
                isnan(sure) ? "" : said(texts, ", %.4g %% sure", 100 * sure));
}

// What a few runs may be by chance, although their interval is beside 1.
static const char *too_few(struct arena *texts, const struct value *slowdown,
                           const struct estimate *plain, const char *load,
                           const struct quantity *metric, bool timed)
{
    return said(texts,
                "Beside %s %s about %s, but %s runs of each are too few to be sure: more runs "
                "would tell.",
                load, timed ? "it takes" : metric->words,
                times_as(texts, plain, timed ? "long" : "high", NAN),
                number_fixed(view_real(slowdown, "pairs"), 0, ROOM));
}

// What is not distinguishable from noise.
static const char *no_effect(struct arena *texts, const char *load, double low, double high,
                             bool timed, double sure)
{
    const bool is_none = high - 1 < negligible_effect && 1 - low < negligible_effect;
    if (is_none && low < 1 && high > 1 && timed)
        return said(texts, "Beside %s no effect is seen: at most %s (%.4g %% sure).", load,
                    difference_text(high, timed, ROOM), 100 * sure);
    return said(texts, "Beside %s %s: between %s and %s (%.4g %% sure)%s.", load,
                is_none ? "no effect is seen" : "it is not known yet",
                difference_text(low, timed, ROOM), difference_text(high, timed, ROOM), 100 * sure,
                is_none ? "" : ": more runs would tell");
}

// Which of the condition's loads did not come to what was asked of it.
static const char *short_text(const struct experiment *experiment, const char *condition)
{
    EACH_VALUE (load, view_get(condition_named(experiment, condition), "load")) {
        const char *which = view_text(load, "name");
        const double share = view_real(load, "achieved") / view_real(load, "offered");
        if (view_holds(load, "short") && which && share >= 0)
            return said(experiment->texts,
                        " But %s reached only %s of what was asked of it: this is not yet the "
                        "slowdown beside it.",
                        which, number_percent(share, ROOM));
    }
    return "";
}

static const char *effect(const struct experiment *experiment, const struct value *slowdown,
                          const char *load, const struct quantity *metric, double sure)
{
    const struct estimate plain = ratio_of_alone(slowdown, metric);
    const bool timed = metric_is_wall(metric);
    struct arena *texts = experiment->texts;
    return said(texts, "Beside %s %s %s%s.%s", load,
                timed ? "it takes" : said(texts, "%s is", metric->words),
                times_as(texts, &plain, timed ? "long" : "high", sure),
                timed && plain.center > 1
                    ? causes_text(texts, view_path(slowdown, "attribution", "points"))
                    : "",
                short_text(experiment, view_text(slowdown, "condition")));
}

// The sentence of one slowdown of the main metric. NULL: it has no ratio.
static const char *answer_sentence(const struct experiment *experiment,
                                   const struct value *slowdown)
{
    const struct quantity *metric = main_metric(experiment);
    const struct estimate plain = ratio_of_alone(slowdown, metric);
    const double low = plain.low, high = plain.high;
    const double sure = view_confidence(experiment->settings);
    const bool timed = metric_is_wall(metric);
    const char *condition = view_text(slowdown, "condition");
    if (isnan(plain.center) || view_holds(slowdown, "constant") || !condition)
        return NULL;
    const char *load = load_text(experiment, condition);
    if (isnan(low))
        return said(experiment->texts,
                    "Beside %s %s about %s times as %s: too few runs to say how surely.", load,
                    timed ? "it takes" : metric->words, number_significant(plain.center, ROOM),
                    timed ? "long" : "high");
    if (view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE) && ratio_excludes_one(slowdown))
        return too_few(experiment->texts, slowdown, &plain, load, metric, timed);
    return low <= 1 && high >= 1 ? no_effect(experiment->texts, load, low, high, timed, sure)
                                 : effect(experiment, slowdown, load, metric, sure);
}

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

struct found {
    const char *text;
    double size; // of the effect, for the order; NAN: not known
};

static int largest_first(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    return (one->size < other->size) - (one->size > other->size);
}

static void put_slowdowns(struct line *json, const struct experiment *experiment)
{
    struct {
        struct found *item;
        size_t count, allocated;
    } found = {0};
    for (const struct value *item = NULL; each_slowdown(experiment, &item);) {
        const char *text = answer_sentence(experiment, item);
        if (text)
            MORE(&found) = (struct found){text, size_of(item)};
    }
    if (found.count > 0)
        qsort(found.item, found.count, sizeof *found.item, largest_first);
    for (size_t i = 0; i < found.count; i++)
        visible_add(json, found.item[i].text);
    free(found.item);
}

// How far single runs are from their mean, as people say it: ", runs vary by 4 %"; "" where there
// is nothing to say.
static const char *variation_text(struct arena *texts, const struct value *figure)
{
    const double mean = view_real(figure, "mean"), variance = view_real(figure, "variance");
    return mean > 0 && variance > 0
               ? said(texts, "; runs vary by %s", number_percent(sqrt(variance) / mean, ROOM))
               : "";
}

// Of a target that was measured alone.
static void put_alone(struct line *json, const struct experiment *experiment)
{
    const struct quantity *metric = main_metric(experiment);
    const struct value *figure = metric_figure(experiment->baseline, metric);
    const double center = figure_center(figure), low = figure_bound(figure, false),
                 high = figure_bound(figure, true);
    const double sure = view_confidence(experiment->settings);
    const bool timed = metric_is_wall(metric);
    if (isnan(center))
        return;
    const struct scale scale = scale_of(center, metric->unit);
    const int decimals = number_decimals(center * scale.factor);
    const char *unit = shown(experiment->texts, scale.unit),
               *variation = variation_text(experiment->texts, figure);
    const char *time = view_string(view_path(experiment->baseline, "time", "text"));
    const char *range = isnan(low)
                            ? " (too few runs to say how surely)"
                            : said(experiment->texts, " (%s to %s, %.4g %% sure)",
                                   number_fixed(low * scale.factor, decimals, ROOM),
                                   number_fixed(high * scale.factor, decimals, ROOM), 100 * sure);
    const bool told = time && timed;
    visible_add(json,
                said(experiment->texts, "%s %s %s%s%s%s%s.", timed ? "It takes" : metric->words,
                     number_fixed(center * scale.factor, decimals, ROOM), unit, range, variation,
                     told ? ": " : "", told ? time : ""));
}

void answer_put(struct line *json, const char *name, const struct experiment *experiment)
{
    LINE_ARRAY (json, name)
        if (experiment->variants)
            ; // their tables have them: see variants.c
        else if (experiment->protection) {
            visible_add(json, until_text(experiment));
            visible_add(json, best_text(experiment));
        } else if (view_first(experiment->slowdowns))
            put_slowdowns(json, experiment);
        else
            put_alone(json, experiment);
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
