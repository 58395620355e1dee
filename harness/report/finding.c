// What an experiment has found, in sentences: one for each load and metric that decides. What a
// sentence says of an effect is the judgement of the ratio (harness/stats/effect.h): nothing is
// decided here.
#include "texts.h"

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

// A difference from 1 in percent, with two digits.
static const char *percent_of(double difference, char *text)
{
    const double percent = 100 * fabs(difference);
    snprintf(text, NUMBER_SIZE, "%.*f %%", percent < 1 ? 2 : percent < 9.95 ? 1 : 0, percent);
    return text;
}

// "2.7 % slower"; of other metrics "higher". What is far beyond that is said in times: "5.3 times
// as long".
static const char *difference_text(double ratio, bool timed, char *text)
{
    if (ratio >= 3)
        snprintf(text, NUMBER_SIZE, "%s times as %s", number_fixed(ratio, ratio < 10 ? 1 : 0, ROOM),
                 timed ? "long" : "high");
    else
        snprintf(text, NUMBER_SIZE, "%s %s", percent_of(ratio - 1, ROOM),
                 ratio >= 1 ? (timed ? "slower" : "higher")
                 : timed    ? "faster"
                            : "lower");
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

// ---- beside a load

// One slowdown, and what its sentence needs.
struct finding {
    const struct experiment *of;
    const struct value *slowdown;
    const struct quantity *metric;
    struct estimate plain; // in the metric's own direction
    enum statistic statistic;
    const char *load; // "half (cpu --percent 50)"
    bool timed;
    double sure;
};

// "it takes", "rps is", "its p90 is": what the figure is of, and its verb.
static const char *subject(const struct finding *finding)
{
    const enum statistic statistic = finding->statistic;
    struct arena *texts = finding->of->texts;
    const char *words = finding->metric->words;
    if (statistic == STATISTIC_TYPICAL || statistic == STATISTIC_MEAN || statistic == STATISTICS)
        return finding->timed ? "it takes" : said(texts, "%s is", words);
    return finding->timed ? said(texts, "its %s is", statistic_words[statistic])
                          : said(texts, "the %s of %s is", statistic_words[statistic], words);
}

static const char *as_what(const struct finding *finding)
{
    return finding->timed ? "long" : "high";
}

// Which of the condition's loads did not come to what was asked of it.
static const char *short_text(const struct finding *finding)
{
    struct arena *texts = finding->of->texts;
    const char *condition = view_text(finding->slowdown, "condition");
    EACH_VALUE (load, view_get(condition_named(finding->of, condition), "load")) {
        const char *which = view_text(load, "name");
        const double share = view_real(load, "achieved") / view_real(load, "offered");
        if (!view_holds(load, "short") || !which)
            continue;
        if (!(share >= 0))
            return said(texts, " But %s did nothing: this says nothing of it.", which);
        return said(texts,
                    " But %s reached only %s of what was asked of it: this is not yet the slowdown "
                    "beside it.",
                    which, number_percent(share, ROOM));
    }
    return "";
}

// "; about 384 runs of each would tell"; "" where nobody knows how many.
static const char *needed_text(const struct finding *finding)
{
    const double needed = view_real(view_get(finding->slowdown, "judgement"), "pairs_needed");
    return isnan(needed) ? ""
                         : said(finding->of->texts, "; about %s runs of each would tell",
                                number_fixed(needed, 0, ROOM));
}

// "1.25 times as long in 18 of 30 runs, 1.50 times in 12; typically ": the pairs fall into two
// groups; "" where they do not.
static const char *groups_text(const struct finding *finding)
{
    const struct value *groups = view_get(finding->slowdown, "groups"), *first = view_first(groups),
                       *second = first ? view_next(groups, first) : NULL;
    const double low = view_real(first, "ratio"), high = view_real(second, "ratio"),
                 low_runs = view_real(first, "runs"), high_runs = view_real(second, "runs");
    const bool higher = finding->metric->higher;
    if (!(low > 0 && high > 0 && low_runs > 0 && high_runs > 0))
        return "";
    return said(finding->of->texts,
                "%.2f times as %s in %.0f of %.0f runs, %.2f times in %.0f; typically ",
                higher ? 1 / low : low, as_what(finding), low_runs, low_runs + high_runs,
                higher ? 1 / high : high, high_runs);
}

static const char *unknown(const struct finding *finding)
{
    const struct estimate *plain = &finding->plain;
    struct arena *texts = finding->of->texts;
    const char *groups = groups_text(finding);
    if (plain->low > 1 || plain->high < 1)
        return said(
            texts, "Beside %s %s %sabout %s, but that may still be chance after %s runs of each%s.",
            finding->load, subject(finding), groups, times_as(texts, plain, as_what(finding), NAN),
            number_fixed(view_real(finding->slowdown, "pairs"), 0, ROOM), needed_text(finding));
    const char *front = *groups != '\0'  ? said(texts, "%s %s", subject(finding), groups)
                        : finding->timed ? "the effect is unclear so far: "
                                         : said(texts, "%s unclear so far: ", subject(finding));
    return said(texts, "Beside %s %sanything from %s to %s (%.4g %% sure)%s.", finding->load, front,
                difference_text(plain->low, finding->timed, ROOM),
                difference_text(plain->high, finding->timed, ROOM), 100 * finding->sure,
                needed_text(finding));
}

static const char *none(const struct finding *finding)
{
    const struct interval plain = {.low = finding->plain.low, .high = finding->plain.high};
    const char *of =
        finding->timed ? "" : said(finding->of->texts, " on %s", finding->metric->words);
    return said(finding->of->texts,
                "Beside %s no effect%s is seen: at most %s either way (%.4g %% sure).",
                finding->load, of, percent_of(effect_at_most(&plain), ROOM), 100 * finding->sure);
}

static const char *seen(const struct finding *finding)
{
    struct arena *texts = finding->of->texts;
    return said(texts, "Beside %s %s %s%s%s%s.", finding->load, subject(finding),
                groups_text(finding),
                times_as(texts, &finding->plain, as_what(finding), finding->sure),
                finding->statistic == STATISTIC_MEAN ? " on average" : "",
                finding->timed && finding->plain.center > 1
                    ? causes_text(texts, view_path(finding->slowdown, "attribution", "points"))
                    : "");
}

// Where runs ran into the time-out: a lower bound, if none of the baseline's did.
static const char *timed_out(const struct finding *finding)
{
    const struct value *condition =
        condition_named(finding->of, view_text(finding->slowdown, "condition"));
    const double censored = view_number(view_get(condition, "censored"), 0),
                 base_censored = view_number(view_get(finding->of->baseline, "censored"), 0),
                 runs = view_number(view_get(condition, "runs"), 0),
                 ratio = figure_center(metric_figure(condition, finding->metric)) /
                         figure_center(metric_figure(finding->of->baseline, finding->metric));
    struct arena *texts = finding->of->texts;
    if (!finding->timed || !(censored + base_censored > 0))
        return NULL;
    if (base_censored > 0 || !(ratio > 0))
        return said(texts, "Beside %s the slowdown is not known: %s.", finding->load,
                    base_censored > 0
                        ? "runs of the baseline ran into the time-out"
                        : said(texts, "%.0f of %.0f runs ran into the time-out", censored, runs));
    return said(
        texts,
        "Beside %s it takes at least %s times as long: %.0f of %.0f runs ran into the time-out.",
        finding->load, number_fixed(floor(100 * ratio) / 100, 2, ROOM), censored, runs);
}

// Of a figure that is the same in all runs of both, or is 0 in those of the baseline.
static const char *without_interval(const struct finding *finding)
{
    const struct value *loaded =
        condition_named(finding->of, view_text(finding->slowdown, "condition"));
    const double base = figure_center(metric_figure(finding->of->baseline, finding->metric)),
                 center = figure_center(metric_figure(loaded, finding->metric));
    struct arena *texts = finding->of->texts;
    if (isnan(base) || isnan(center))
        return NULL;
    const char *words = finding->timed ? "it takes" : said(texts, "%s is", finding->metric->words),
               *value = kept(texts, number_scaled(center, finding->metric->unit, ROOM)),
               *before = kept(texts, number_scaled(base, finding->metric->unit, ROOM));
    if (!view_holds(finding->slowdown, "constant"))
        return base == 0 && center > 0 ? said(texts, "Beside %s %s %s, and %s in all runs alone.",
                                              finding->load, words, value, before)
                                       : NULL;
    return center == base ? said(texts, "Beside %s no effect on %s is seen: %s in all runs.",
                                 finding->load, finding->metric->words, value)
                          : said(texts, "Beside %s %s %s in all runs, and %s alone.", finding->load,
                                 words, value, before);
}

// Of a program that runs for a fixed time its time says nothing; NULL: it is none.
static const char *fixed_time(const struct experiment *of, const struct value *entry,
                              const char *load)
{
    const char *text = view_text(view_get(entry, "fixed_time"), "text");
    return !text  ? NULL
           : load ? said(of->texts, "Beside %s %s.", load, shown(of->texts, text))
                  : said(of->texts, "Alone %s.", shown(of->texts, text));
}

static const char *sentence_of(const struct finding *finding)
{
    struct arena *texts = finding->of->texts;
    const char *fixed =
        finding->timed ? fixed_time(finding->of, finding->slowdown, finding->load) : NULL;
    if (fixed)
        return fixed;
    if (isnan(finding->plain.center) || view_holds(finding->slowdown, "constant"))
        return timed_out(finding) ?: without_interval(finding);
    if (isnan(finding->plain.low))
        return said(texts, "Beside %s %s about %s times as %s: too few runs to say how surely.",
                    finding->load, subject(finding),
                    number_significant(finding->plain.center, ROOM), as_what(finding));
    switch (ratio_effect(finding->slowdown)) {
    case EFFECT_SEEN:
        return seen(finding);
    case EFFECT_NONE:
        return none(finding);
    default:
        return unknown(finding);
    }
}

// NULL: there is nothing to say of it.
static const char *finding_text(const struct experiment *experiment, const struct value *slowdown,
                                const struct quantity *metric)
{
    const char *condition = view_text(slowdown, "condition");
    if (!condition)
        return NULL;
    const struct finding finding = {
        .of = experiment,
        .slowdown = slowdown,
        .metric = metric,
        .plain = ratio_of_alone(slowdown, metric),
        .statistic = statistic_named(view_text(slowdown, "statistic")),
        .load = load_text(experiment, condition),
        .timed = metric_is_wall(metric),
        .sure = view_confidence(experiment->settings),
    };
    const char *sentence = sentence_of(&finding);
    return !sentence ? NULL : said(experiment->texts, "%s%s", sentence, short_text(&finding));
}

struct found {
    const char *text;
    size_t metric; // the main one first
    double size;   // of the effect, for the order; NAN: not known
};

static int largest_first(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    if (one->metric != other->metric)
        return one->metric < other->metric ? -1 : 1;
    return (one->size < other->size) - (one->size > other->size);
}

void finding_put_slowdowns(struct line *json, const struct experiment *experiment)
{
    const struct metric_list *list = &experiment->metrics;
    struct {
        struct found *item;
        size_t count, allocated;
    } found = {0};
    EACH_VALUE (item, experiment->slowdowns)
        for (size_t m = 0; m < list->count; m++) {
            const struct quantity *metric = &list->item[m];
            const bool is_main = metric == main_metric(experiment);
            if (!view_matches(item, "metric", metric->name) ||
                !(is_main || view_holds(item, "decides")))
                continue;
            const char *text = finding_text(experiment, item, metric);
            if (text)
                MORE(&found) =
                    (struct found){text, is_main ? 0 : m + 1, fabs(log(view_real(item, "ratio")))};
        }
    if (found.count > 0)
        qsort(found.item, found.count, sizeof *found.item, largest_first);
    for (size_t i = 0; i < found.count; i++)
        visible_add(json, found.item[i].text);
    free(found.item);
}

// ---- alone

// How far single runs are from their mean, as people say it: "; runs vary by 4 %"; "" where there
// is nothing to say.
static const char *variation_text(struct arena *texts, const struct value *figure)
{
    const double mean = view_real(figure, "mean"), variance = view_real(figure, "variance");
    return mean > 0 && variance > 0
               ? said(texts, "; runs vary by %s", number_percent(sqrt(variance) / mean, ROOM))
               : "";
}

// How surely it is known.
static const char *range_text(const struct experiment *of, const struct value *figure,
                              const struct scale *scale, int decimals)
{
    const double low = figure_bound(figure, false), high = figure_bound(figure, true);
    if (view_holds(figure, "constant"))
        return said(of->texts, " in all %s runs",
                    number_fixed(view_number(view_get(of->baseline, "runs"), 0), 0, ROOM));
    if (isnan(low))
        return " (too few runs to say how surely)";
    return said(of->texts, " (%s to %s, %.4g %% sure)%s",
                number_fixed(low * scale->factor, decimals, ROOM),
                number_fixed(high * scale->factor, decimals, ROOM),
                100 * view_confidence(of->settings), variation_text(of->texts, figure));
}

static void put_alone(struct line *json, const struct experiment *experiment,
                      const struct quantity *metric)
{
    const struct value *baseline = experiment->baseline, *figure = metric_figure(baseline, metric);
    const double center = figure_center(figure),
                 censored = view_number(view_get(baseline, "censored"), 0);
    const bool timed = metric_is_wall(metric);
    struct arena *texts = experiment->texts;
    if (isnan(center))
        return;
    const struct scale scale = scale_of(center, metric->unit);
    const char *verb = timed ? "It takes" : said(texts, "%s is", metric->words),
               *value = kept(texts, number_scaled(center, metric->unit, ROOM));
    const char *time = timed ? view_string(view_path(baseline, "time", "text")) : NULL;
    const char *fixed = timed ? fixed_time(experiment, baseline, NULL) : NULL;
    if (fixed)
        visible_add(json, fixed);
    visible_add(json, censored > 0
                          ? said(texts, "%s at least %s: %.0f of %.0f runs ran into the time-out.",
                                 verb, value, censored, view_number(view_get(baseline, "runs"), 0))
                          : said(texts, "%s %s%s%s%s.", verb, value,
                                 range_text(experiment, figure, &scale,
                                            number_decimals(center * scale.factor)),
                                 time ? ": " : "", time ?: ""));
}

void finding_put_alone(struct line *json, const struct experiment *experiment)
{
    const struct metric_list *list = &experiment->metrics;
    const struct value *decide = view_get(experiment->settings, "decide");
    put_alone(json, experiment, main_metric(experiment));
    for (size_t m = 0; m < list->count; m++)
        EACH_VALUE (name, &list->item[m] == main_metric(experiment) ? NULL : decide)
            if (name->string && strcmp(name->string, list->item[m].name) == 0)
                put_alone(json, experiment, &list->item[m]);
}
