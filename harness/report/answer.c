// The answer of a report in sentences: what a load costs, and what a setting protects.
#include "texts.h"

#include <unistd.h>

// ---- settings that protect

// With a service the target is its client.
static const char *target_word(const struct experiment *of)
{
    return view_has_text(of->settings, "service") ? "client" : "target";
}

// Settings by the names that the user gave them: "mine nice=19".
const char *protection_setting(const struct row *row)
{
    const struct value *settings = view_get(row->entry, "settings");
    struct arena *texts = row->of->texts;
    const char *load = view_joined(texts, view_get(settings, "load"), " "),
               *target = view_joined(texts, view_get(settings, "target"), " "),
               *service = view_joined(texts, view_get(settings, "service"), " "),
               *own = view_joined(texts, view_get(settings, "own"), " ");
    const char *all = load;
    if (target && !load)
        all = service ? said(texts, "%s %s", target_word(row->of), target) : target;
    else if (target && strcmp(load, target) != 0)
        all = said(texts, "%s, %s %s", load, target_word(row->of), target);
    if (service)
        all = all ? said(texts, "%s, service %s", all, service) : service;
    if (own && all)
        all = said(texts, "%s %s", own, all);
    return shown(texts, all ?: own ?: view_text(settings, "on") ?: "none");
}

const char *protection_where(const struct row *row)
{
    const struct value *settings = view_get(row->entry, "settings");
    const bool load = view_first(view_get(settings, "load")) != NULL,
               target = view_first(view_get(settings, "target")) != NULL,
               service = view_first(view_get(settings, "service")) != NULL;
    return !view_is(settings, VIEW_OBJECT) ? "-"
           : load + target + service == 3  ? "all"
           : load + target + service == 2  ? "both"
           : service                       ? "service"
           : target                        ? target_word(row->of)
           : load                          ? "neighbour"
                                           : "machine";
}

// What was found for the load of an entry of `rows`: {best, weakest, not_told_apart, ...}. Older
// results have one for all loads.
static const struct value *choice_of(const struct experiment *experiment, const struct value *entry)
{
    const char *load = view_text(entry, "unprotected");
    const struct value *choice =
        load ? view_entry(view_get(experiment->protection, "loads"), "unprotected", load) : NULL;
    return choice ?: experiment->protection;
}

static bool is_named(const struct value *choice, const char *key, const struct value *entry)
{
    const char *name = view_text(choice, key);
    return name && view_matches(entry, "condition", name);
}

const char *protection_front(const struct row *row)
{
    const struct value *choice = choice_of(row->of, row->entry);
    return is_named(choice, "best", row->entry)                 ? "best"
           : is_named(choice, "weakest", row->entry)            ? "weakest"
           : view_has_text(row->entry, "undone")                ? "undone"
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
    if (!(share.high > share.low)) // all of it, as it cannot be more
        return said(texts, "%s %%", number_fixed(100 * share.center, 0, ROOM));
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

static const struct value *entry_named(const struct experiment *experiment, const char *name)
{
    return name ? view_entry(view_get(experiment->protection, "rows"), "condition", name) : NULL;
}

// "cpu.weight=10 for the neighbour"
static const char *named_text(const struct experiment *of, const struct value *entry)
{
    const struct row row = {.of = of, .entry = entry};
    const char *setting = protection_setting(&row), *where = protection_where(&row);
    return strcmp(where, "neighbour") == 0 || strcmp(where, "service") == 0 ||
                   strcmp(where, target_word(of)) == 0
               ? said(of->texts, "%s for the %s", setting, where)
           : strcmp(where, "both") == 0 ? said(of->texts, "%s (both)", setting)
                                        : setting;
}

// Of the conditions of a list: "nice=19 for the neighbour, mine".
static const char *all_named_text(const struct experiment *of, const struct value *list)
{
    const char *all = NULL;
    EACH_VALUE (item, list)
        all = joined(of->texts, all, ", ", named_text(of, entry_named(of, item->string)));
    return all;
}

static const char *kept_text(struct arena *texts, const struct value *entry)
{
    const char *share = percent_text(texts, estimate_of(view_get(entry, "kept"), "value"), true);
    const bool by_cpu = view_matches(entry, "kept_by", "cpu-time");
    return strcmp(share, "-") == 0 ? ""
                                   : said(texts, "; the neighbour keeps %s of its %s", share,
                                          by_cpu ? "CPU time (it has no rate)" : "speed");
}

static double figure_at(const struct value *entry, const char *key)
{
    return view_real(view_get(entry, key), "value");
}

// "1.48 \u2192 1.19 times as long", with so many digits of the damage that the share of it which is
// removed follows from them. The slowdown that is left is from `left` to `most`.
static const char *change_text(const struct experiment *of, double damaged, double left,
                               double most)
{
    const struct quantity *metric = main_metric(of);
    const double damage = fabs(damaged - 1);
    const int decimals = damage >= 0.2 ? 2 : damage >= 0.02 ? 3 : 4;
    const char *to = number_fixed(left, decimals, ROOM);
    if (most > left)
        to = said(of->texts, "%s to %s", to, number_fixed(most, decimals, ROOM));
    const bool timed = metric_is_wall(metric);
    return said(of->texts, "%s%s%s \u2192 %s times %s", timed ? "" : metric->words,
                timed ? "" : " ", number_fixed(damaged, decimals, ROOM), to,
                timed            ? "as long"
                : metric->higher ? "lower"
                                 : "as high");
}

// " beside X" where there are several loads, so that one has to say of which of them this is.
static const char *beside_text(const struct experiment *of, const struct value *choice)
{
    const struct value *loads = view_get(of->protection, "loads");
    const char *load = view_text(choice, "unprotected");
    const bool several = view_first(loads) && view_next(loads, view_first(loads));
    return several && load ? said(of->texts, " beside %s", shown(of->texts, load)) : "";
}

// The settings that may be the best ones.
static const char *rivals_text(const struct experiment *of, const struct value *choice)
{
    const struct value *list = view_get(choice, "not_told_apart");
    double damaged = NAN, least = INFINITY, most = -INFINITY;
    EACH_VALUE (item, list) {
        const struct value *entry = entry_named(of, item->string);
        damaged = figure_at(entry, "slowdown_unprotected");
        least = fmin(least, figure_at(entry, "slowdown"));
        most = fmax(most, figure_at(entry, "slowdown"));
    }
    return said(of->texts,
                "No setting is known to be the best%s; not told apart: %s (%s). More runs would "
                "settle it.",
                beside_text(of, choice), all_named_text(of, list),
                change_text(of, damaged, least, most));
}

// Whether the load of the choice is known to do damage at all.
static bool does_harm(const struct experiment *of, const struct value *choice)
{
    EACH_VALUE (item, view_get(of->protection, "rows"))
        if (choice_of(of, item) == choice &&
            figure_bound(view_get(item, "slowdown_unprotected"), false) > 1)
            return true;
    return false;
}

static const char *best_text(const struct experiment *of, const struct value *choice)
{
    const struct value *best = entry_named(of, view_text(choice, "best"));
    const struct estimate all = estimate_of(view_get(best, "removed"), "value");
    const struct estimate removed = {fmin(all.center, 1), fmin(all.low, 1), fmin(all.high, 1)};
    const char *beside = beside_text(of, choice);
    if (view_first(view_get(choice, "not_told_apart")))
        return rivals_text(of, choice);
    if (!best && !does_harm(of, choice))
        return said(of->texts,
                    "The neighbour is not known to do any damage%s, so no setting is known to "
                    "protect from it: more runs would settle it.",
                    beside);
    return !best
               ? said(of->texts,
                      "None of these settings is known to protect it%s: more runs would settle it.",
                      beside)
               : said(of->texts, "Best%s: %s: %s, which removes %s of the damage%s.", beside,
                      named_text(of, best),
                      change_text(of, figure_at(best, "slowdown_unprotected"),
                                  figure_at(best, "slowdown"), NAN),
                      percent_text(of->texts, removed, true), kept_text(of->texts, best));
}

static const char *until_text(const struct experiment *of, const struct value *choice)
{
    const struct value *weakest = entry_named(of, view_text(choice, "weakest")),
                       *several = view_get(choice, "weakest_not_told_apart");
    const double until = view_real(of->protection, "until");
    const char *limit =
        said(of->texts, "keeps it below %.6g times%s", until, beside_text(of, choice));
    if (isnan(until))
        return NULL;
    if (weakest)
        return said(of->texts, "Weakest that %s: %s: %s%s.", limit, named_text(of, weakest),
                    protection_ratio(of->texts, view_get(weakest, "slowdown")),
                    kept_text(of->texts, weakest));
    if (view_first(several))
        return said(of->texts, "Weakest that %s is one of these, not told apart: %s.", limit,
                    all_named_text(of, several));
    return said(of->texts, "%s %s.",
                view_matches(choice, "verdict", "below")   ? "A setting"
                : view_matches(choice, "verdict", "above") ? "None of these settings"
                                                           : "It is not known yet that any of "
                                                             "these settings",
                limit);
}

// The load itself, where it did not do what was asked of it, so that its damage is not all of it.
static const char *weak_text(const struct experiment *of, const struct value *choice)
{
    const char *condition = view_text(choice, "unprotected");
    EACH_VALUE (load, condition ? view_get(condition_named(of, condition), "load") : NULL) {
        const char *which = view_text(load, "name");
        const double share = view_real(load, "achieved") / view_real(load, "offered");
        if (view_holds(load, "short") && which && share >= 0)
            return said(of->texts,
                        "Without settings %s ran at only %.2g %% of the requested rate, so the "
                        "full load may cost more.",
                        shown(of->texts, which), 100 * share);
    }
    return NULL;
}

// Settings of the choice's load that were not in force.
static void put_undone(struct line *json, const struct experiment *of, const struct value *choice)
{
    EACH_VALUE (item, view_get(of->protection, "rows"))
        if (choice_of(of, item) == choice && view_has_text(item, "undone"))
            visible_add(json, said(of->texts, "%s was not measured%s: the load did not keep %s.",
                                   named_text(of, item), beside_text(of, choice),
                                   shown(of->texts, view_text(item, "undone"))));
}

static void put_choice(struct line *json, const struct experiment *of, const struct value *choice)
{
    visible_add(json, weak_text(of, choice));
    visible_add(json, until_text(of, choice));
    visible_add(json, best_text(of, choice));
    put_undone(json, of, choice);
}

static void put_protection(struct line *json, const struct experiment *of)
{
    const struct value *loads = view_get(of->protection, "loads");
    EACH_VALUE (choice, loads)
        put_choice(json, of, choice);
    if (!view_first(loads))
        put_choice(json, of, of->protection);
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

// What is known of its effect.
static double size_of(const struct value *slowdown)
{
    return fabs(log(view_real(slowdown, "ratio")));
}

void answer_put(struct line *json, const char *name, const struct experiment *experiment)
{
    LINE_ARRAY (json, name)
        if (experiment->variants || experiment->capacity)
            ; // their tables have them: see variants.c
        else if (experiment->protection)
            put_protection(json, experiment);
        else if (view_first(experiment->slowdowns))
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

// ---- what to do next

// Options that a command line made of another one does not take over: loads and settings, which it
// has its own of, and what is of a panorama alone.
static const char *const never_repeated[] = {"--load", "--try", "--quick", "--for", NULL};
// Limits that it has its own of, and those of a gate.
static const char *const limits_given[] = {"--error",    "--runs",     "--min-runs",
                                           "--max-runs", "--max-time", NULL};
static const char *const gates_given[] = {"--until", "--at-most", "--same-within", NULL};

static bool is_among(const char *word, const char *const *names)
{
    const size_t length = strcspn(word, "=");
    for (; *names; names++)
        if (strlen(*names) == length && strncmp(*names, word, length) == 0)
            return true;
    return false;
}

// A command line that is made of the one that was given.
struct next {
    const struct experiment *of;
    const char *begin;  // its first words
    bool limits, gates; // it takes over those
    bool runs_already;  // its load is one that --pause stops
    const char *loads;  // its own words, as a shell reads them
};

static bool takes_over(const struct next *next, const char *option)
{
    return !is_among(option, never_repeated) && (next->limits || !is_among(option, limits_given)) &&
           (next->gates || !is_among(option, gates_given)) &&
           (next->runs_already || strcmp(option, "--pause") != 0);
}

// Of a program that runs for a fixed time the metric to take instead of its times: " --metric
// @ADAPTER"; "" of others; NULL: no adapter has one.
static const char *metric_instead(const struct experiment *of)
{
    const struct value *fixed = view_get(of->baseline, "fixed_time");
    const char *adapter = view_text(fixed, "adapter");
    if (!view_is(fixed, VIEW_OBJECT) || !metric_is_wall(main_metric(of)))
        return "";
    return adapter ? said(of->texts, " --metric %s", adapter) : NULL;
}

// NULL: it is not known how the experiment was asked for (by a campaign, or an older jostle), or
// that was on another machine.
static const char *next_text(const struct next *next)
{
    static const char *const of_metrics[] = {"--metric", "--decide", NULL};
    const struct experiment *of = next->of;
    const struct value *asked = view_get(of->record.top, "asked");
    const char *instead = metric_instead(of);
    const char *host = view_text(of->environment, "host"), *text = next->begin;
    char here[256] = "";
    (void)gethostname(here, sizeof here - 1);
    if (!view_is(asked, VIEW_OBJECT) || !host || strcmp(host, here) != 0 || !instead)
        return NULL;
    EACH_VALUE (option, view_get(asked, "options")) {
        const struct value *first = view_first(option);
        if (first && first->string && takes_over(next, first->string) &&
            (*instead == '\0' || !is_among(first->string, of_metrics)))
            text = said(of->texts, "%s %s", text, command_text(of->texts, option));
    }
    return said(of->texts, "%s%s %s%s %s", text, instead, next->loads,
                view_holds(asked, "dashes") ? " --" : "",
                command_text(of->texts, view_get(asked, "target")));
}

// The entry of a condition's load; NULL: it has none that a command line could be about.
static const struct value *load_of(const struct experiment *experiment, const char *condition)
{
    const struct value *load = condition && !experiment->variants && !experiment->capacity
                                   ? view_entry(experiment->loads, "name", condition)
                                   : NULL;
    return view_text(load, "spec") ? load : NULL;
}

// Whether all of it is started by jostle on this machine. (Its words are those of loadgen.)
static bool is_ours(const struct value *load)
{
    EACH_VALUE (part, view_get(load, "parts")) {
        const struct value *word = view_first(view_get(part, "words"));
        if (view_text(part, "node") || !word || !word->string ||
            strcmp(word->string, "neighbour") == 0)
            return false;
    }
    return true;
}

// "--load 'half=cpu --percent 50'"
static const char *load_words(struct arena *texts, const struct value *load)
{
    return said(
        texts, "--load %s",
        word_quoted(texts, said(texts, "%s=%s", view_text(load, "name"), view_text(load, "spec"))));
}

static const char *const closer = "jostle slowdown --error 2% --max-runs 200",
                         *const protect_closer = "jostle protect --error 2% --max-runs 200";

// A command line that looks closer at a condition's load.
static const char *closer_text(const struct experiment *experiment, const char *condition)
{
    const struct value *load = load_of(experiment, condition);
    return !load ? NULL
                 : next_text(&(struct next){.of = experiment,
                                            .begin = closer,
                                            .gates = !experiment->protection,
                                            .runs_already = !is_ours(load),
                                            .loads = load_words(experiment->texts, load)});
}

// "nice=19 target:cpus=0" of the spec "[nice=19 target:cpus=0] cpu": what is in front of that of
// the load without settings. NULL: there is nothing.
static const char *try_text(struct arena *texts, const struct value *load, const struct value *bare)
{
    const char *spec = view_text(load, "spec"), *plain = view_text(bare, "spec");
    const size_t length = spec ? strlen(spec) : 0, rest = plain ? strlen(plain) : 0;
    if (length <= rest || *spec != '[' || strcmp(spec + length - rest, plain) != 0)
        return NULL;
    size_t end = length - rest;
    while (end > 1 && spec[end - 1] != ']')
        end--;
    return end < 2 ? NULL : said(texts, "%.*s", (int)end - 2, spec + 1);
}

// The one that tells settings apart.
static const char *rivals_closer(const struct experiment *experiment)
{
    struct arena *texts = experiment->texts;
    const char *words = NULL;
    EACH_VALUE (item, view_get(experiment->protection, "not_told_apart")) {
        const struct value *load = load_of(experiment, item->string),
                           *bare = load_of(experiment, view_text(load, "unprotected"));
        const char *text = bare ? try_text(texts, load, bare) : NULL;
        if (!text)
            return NULL;
        words =
            said(texts, "%s --try %s", words ?: load_words(texts, bare), word_quoted(texts, text));
    }
    return !words ? NULL
                  : next_text(
                        &(struct next){.of = experiment, .begin = protect_closer, .loads = words});
}

// What is worth protecting from: the largest slowdown that is seen, where it is surely above this.
// Not where settings were tried.
static const double worth_protecting = 1.05;

static const struct value *harmful(const struct experiment *experiment)
{
    const struct value *found = NULL;
    double size = worth_protecting;
    if (experiment->protection || view_matches(experiment->settings, "engine", "hyperfine"))
        return NULL;
    for (const struct value *item = NULL; each_slowdown(experiment, &item);)
        if (ratio_effect(item) == EFFECT_SEEN && figure_bound(item, false) > size) {
            size = figure_bound(item, false);
            found = item;
        }
    return found;
}

static const char *protect_text(const struct experiment *experiment)
{
    const struct value *load = load_of(experiment, view_text(harmful(experiment), "condition"));
    const char *spec = view_text(load, "spec");
    return !spec || *spec == '[' || !is_ours(load)
               ? NULL
               : next_text(&(struct next){.of = experiment,
                                          .begin = "jostle protect",
                                          .limits = true,
                                          .loads = load_words(experiment->texts, load)});
}

static const char *what_is_next(const struct experiment *experiment)
{
    const char *best = view_text(experiment->protection, "best");
    if (experiment->protection && !best)
        return rivals_closer(experiment);
    return closer_text(experiment, best ?: view_text(largest(experiment), "condition"));
}

void answer_put_next(struct line *json, const struct experiment *experiment)
{
    visible_put(json, "next", what_is_next(experiment));
    visible_put(json, "protect", protect_text(experiment));
}
