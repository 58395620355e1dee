// What an experiment has found, in sentences: one for each load and metric that decides. What a
// sentence says of an effect is the judgement of the ratio (harness/stats/effect.h): nothing is
// decided here.
#include "harness/record/settings.h"
#include "texts.h"

// A share of the extra time: what has less of it is not named.
static const double worth_naming = 0.05;

#define CPU_TIME "cpu_s" // a metric

// One cause of extra time, in points of the time alone.
struct cause {
    const char *words;
    struct estimate points;
};

static int by_points(const void *a, const void *b)
{
    const struct cause *one = a, *other = b;
    return (one->points.center < other->points.center) -
           (one->points.center > other->points.center);
}

// "+90 %" or "+13 ± 7 %"
static const char *points_text(struct arena *texts, const struct estimate *points)
{
    const double half = (points->high - points->low) / 2;
    const int decimals = points->center < 9.95 ? 1 : 0;
    const char *center = number_fixed(points->center, decimals, ROOM);
    return half > 0 ? said(texts, "+%s ± %s %%", center, number_fixed(half, decimals, ROOM))
                    : said(texts, "+%s %%", center);
}

// As it is printed: "+59 ± 69 %". Of bounds that are not known it is false.
static bool may_be_nothing(const struct estimate *points)
{
    return points->low <= 0 || points->center - (points->high - points->low) / 2 <= 0;
}

// ": +90 ± 3 % by waiting for a CPU, +13 ± 7 % by slower execution"; "" where it is not known. What
// is a small part of all of it is left out, and so is what may be nothing, with what is smaller
// still: it would be taken for the whole.
static const char *causes_text(struct arena *texts, const struct value *attribution)
{
    static const struct {
        const char *key, *words;
    } known[] = {{"cpu", "waiting for a CPU"},     {"execution", "slower execution"},
                 {"memory", "waiting for memory"}, {"io", "waiting for the disk"},
                 {"steal", "what the host took"},  {"unexplained", "what is not explained"}};
    enum { CAUSES = sizeof known / sizeof *known };
    const struct value *points = view_get(attribution, "points"),
                       *intervals = view_get(attribution, "intervals");
    struct cause cause[CAUSES];
    double sum = 0;
    const char *all = NULL;
    for (size_t i = 0; i < CAUSES; i++) {
        const double center = view_real(points, known[i].key);
        const struct value *low = view_first(view_get(intervals, known[i].key));
        cause[i] = (struct cause){
            known[i].words,
            {center > 0 ? center : 0, view_number(low, NAN),
             view_number(low ? view_next(view_get(intervals, known[i].key), low) : NULL, NAN)}};
        sum += cause[i].points.center;
    }
    if (!(sum > 0))
        return "";
    qsort(cause, CAUSES, sizeof *cause, by_points);
    for (size_t i = 0; i < CAUSES && cause[i].points.center >= worth_naming * sum &&
                       !may_be_nothing(&cause[i].points);
         i++)
        all = joined(texts, all, ", ",
                     said(texts, "%s by %s", points_text(texts, &cause[i].points), cause[i].words));
    return all ? said(texts, ": %s", all) : "";
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
    const char
        *beside; // "Beside half (cpu --percent 50) ", or the title of a load: "Sharing ...: "
    const char *subject; // "it takes ", "rps is ", "its p90 is "; "" behind a title
    bool timed;
    double sure;
};

// "it takes ", "rps is ", "its p90 is ": what the figure is of, and its verb.
static const char *subject_of(const struct experiment *of, enum statistic statistic,
                              const struct quantity *metric, bool timed)
{
    struct arena *texts = of->texts;
    const char *words = metric->words;
    if (statistic == STATISTIC_TYPICAL || statistic == STATISTIC_MEAN || statistic == STATISTICS)
        return timed ? "it takes " : said(texts, "%s is ", words);
    return timed ? said(texts, "its %s is ", statistic_words[statistic])
                 : said(texts, "the %s of %s is ", statistic_words[statistic], words);
}

static const char *as_what(const struct finding *finding)
{
    return finding->timed ? "long" : *finding->subject == '\0' ? "much" : "high";
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
            return said(texts, " But %s did nothing, so this says nothing about it.", which);
        return said(texts,
                    " But %s ran at only %.2g %% of the requested rate, so the full load may cost "
                    "more.",
                    which, 100 * share);
    }
    return "";
}

// "; about 384 runs of each would settle it"; "" where nobody knows how many.
static const char *needed_text(const struct finding *finding)
{
    const double needed = view_real(view_get(finding->slowdown, "judgement"), "pairs_needed");
    return isnan(needed) ? ""
                         : said(finding->of->texts, "; about %s runs of each would settle it",
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
        return said(texts, "%s%s%sabout %s, but that may still be chance after %s runs of each%s.",
                    finding->beside, finding->subject, groups,
                    times_as(texts, plain, as_what(finding), NAN),
                    number_fixed(view_real(finding->slowdown, "pairs"), 0, ROOM),
                    needed_text(finding));
    const char *front = *groups != '\0'  ? said(texts, "%s%s", finding->subject, groups)
                        : finding->timed ? "the effect is unclear so far: "
                                         : said(texts, "%sunclear so far: ", finding->subject);
    return said(texts, "%s%sanything from %s to %s (%.4g %% sure)%s.", finding->beside, front,
                difference_text(plain->low, finding->timed, ROOM),
                difference_text(plain->high, finding->timed, ROOM), 100 * finding->sure,
                needed_text(finding));
}

static const char *none(const struct finding *finding)
{
    const struct interval plain = {.low = finding->plain.low, .high = finding->plain.high};
    const char *of = finding->timed || *finding->subject == '\0'
                         ? ""
                         : said(finding->of->texts, " on %s", finding->metric->words);
    return said(finding->of->texts, "%sno effect%s is seen: at most %s either way (%.4g %% sure).",
                finding->beside, of, percent_of(effect_at_most(&plain), ROOM), 100 * finding->sure);
}

static const char *seen(const struct finding *finding)
{
    struct arena *texts = finding->of->texts;
    return said(texts, "%s%s%s%s%s%s.", finding->beside, finding->subject, groups_text(finding),
                times_as(texts, &finding->plain, as_what(finding), finding->sure),
                finding->statistic == STATISTIC_MEAN ? " on average" : "",
                finding->timed && finding->plain.center > 1
                    ? causes_text(texts, view_get(finding->slowdown, "attribution"))
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
        return said(texts, "%sthe slowdown is not known: %s.", finding->beside,
                    base_censored > 0
                        ? "runs of the baseline ran into the time-out"
                        : said(texts, "%.0f of %.0f runs ran into the time-out", censored, runs));
    return said(texts, "%s%sat least %s times as long: %.0f of %.0f runs ran into the time-out.",
                finding->beside, finding->subject, number_fixed(floor(100 * ratio) / 100, 2, ROOM),
                censored, runs);
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
    const char *words = *finding->subject == '\0' ? ""
                        : finding->timed          ? "it takes "
                                                  : said(texts, "%s is ", finding->metric->words),
               *value = kept(texts, number_scaled(center, finding->metric->unit, ROOM)),
               *before = kept(texts, number_scaled(base, finding->metric->unit, ROOM));
    if (!view_holds(finding->slowdown, "constant"))
        return base == 0 && center > 0 ? said(texts, "%s%s%s, and %s in all runs alone.",
                                              finding->beside, words, value, before)
                                       : NULL;
    return center == base ? said(texts, "%sno effect on %s is seen: %s in all runs.",
                                 finding->beside, finding->metric->words, value)
                          : said(texts, "%s%s%s in all runs, and %s alone.", finding->beside, words,
                                 value, before);
}

// Of a program that runs for a fixed time its time says nothing; NULL: it is none.
static const char *fixed_time(const struct experiment *of, const struct value *entry,
                              const char *beside)
{
    const char *text = view_text(view_get(entry, "fixed_time"), "text");
    return !text ? NULL : said(of->texts, "%s%s.", beside, shown(of->texts, text));
}

static const char *sentence_of(const struct finding *finding)
{
    struct arena *texts = finding->of->texts;
    if (isnan(finding->plain.center) || view_holds(finding->slowdown, "constant"))
        return timed_out(finding) ?: without_interval(finding);
    if (isnan(finding->plain.low))
        return said(texts, "%s%sabout %.2g times as %s: too few runs to say how surely.",
                    finding->beside, finding->subject, finding->plain.center, as_what(finding));
    switch (ratio_effect(finding->slowdown)) {
    case EFFECT_SEEN:
        return seen(finding);
    case EFFECT_NONE:
        return none(finding);
    default:
        return unknown(finding);
    }
}

// What the sentence on one of jostle's own loads begins with; NULL: it is another one.
static const char *title_of(const struct experiment *experiment, const char *condition)
{
    return view_text(view_entry(experiment->loads, "name", condition), "title");
}

// NULL: there is nothing to say of it.
static const char *finding_text(const struct experiment *experiment, const struct value *slowdown,
                                const struct quantity *metric)
{
    const char *condition = view_text(slowdown, "condition");
    if (!condition)
        return NULL;
    const char *title = title_of(experiment, condition);
    const bool timed = metric_is_wall(metric),
               is_titles = title && (timed || strcmp(metric->name, CPU_TIME) == 0);
    const enum statistic statistic = statistic_named(view_text(slowdown, "statistic"));
    const struct finding finding = {
        .of = experiment,
        .slowdown = slowdown,
        .metric = metric,
        .plain = ratio_of_alone(slowdown, metric),
        .statistic = statistic,
        .beside = title ? said(experiment->texts, "%s: ", shown(experiment->texts, title))
                        : said(experiment->texts, "Beside %s ", load_text(experiment, condition)),
        .subject = is_titles ? "" : subject_of(experiment, statistic, metric, timed),
        .timed = timed,
        .sure = settings_confidence(node_of_view(experiment->settings)),
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

// Whether there is a sentence on that metric: beside a load that shares the target's CPUs its CPU
// time says what the load costs it, and beside other loads of jostle's own its wall time.
static bool has_sentence(const struct experiment *experiment, const struct value *slowdown,
                         const struct quantity *metric)
{
    const char *condition = view_text(slowdown, "condition");
    const bool is_cpu_time = strcmp(metric->name, CPU_TIME) == 0;
    if (condition && title_of(experiment, condition) && (is_cpu_time || metric_is_wall(metric))) {
        const struct value *load = view_entry(experiment->loads, "name", condition);
        const bool by_cpu_time =
            view_holds(load, "by_cpu_time") && slowdown_of(experiment, condition, CPU_TIME) != NULL;
        return by_cpu_time == is_cpu_time;
    }
    return metric == main_metric(experiment) || view_holds(slowdown, "decides");
}

void finding_put_slowdowns(struct line *json, const struct experiment *experiment)
{
    const struct metric_list *list = &experiment->metrics;
    struct {
        struct found *item;
        size_t count, allocated;
    } found = {0};
    const char *fixed = NULL;
    EACH_VALUE (item, experiment->slowdowns)
        for (size_t m = 0; m < list->count; m++) {
            const struct quantity *metric = &list->item[m];
            const bool is_main = metric == main_metric(experiment);
            if (!view_matches(item, "metric", metric->name) ||
                !has_sentence(experiment, item, metric))
                continue;
            const char *its = fixed_time(experiment, item, "Alone and beside a load ");
            fixed = fixed ?: its;
            if (its) // its time and its CPU time say nothing beside any load
                continue;
            const char *text = finding_text(experiment, item, metric);
            if (text)
                MORE(&found) =
                    (struct found){text, is_main ? 0 : m + 1, fabs(log(view_real(item, "ratio")))};
        }
    visible_add(json, fixed);
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
    return said(
        of->texts, " (%s to %s, %.4g %% sure)%s", number_fixed(low * scale->factor, decimals, ROOM),
        number_fixed(high * scale->factor, decimals, ROOM),
        100 * settings_confidence(node_of_view(of->settings)), variation_text(of->texts, figure));
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
    const char *fixed = timed ? fixed_time(experiment, baseline, "Alone ") : NULL;
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
