#include "answer.h"

#include "common/memory.h"
#include "common/numbers.h"
#include "protection.h"
#include "row.h"
#include "view.h"

#include "common/words.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const double negligible_effect = 0.05;

/* Of the extra time: what has so much of it is nearly all of it, and most of it. */
static const double nearly_all = 0.9, most = 0.6, worth_naming = 0.15;

static double number_of(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

/* What stats takes in place of a confidence that is none. */
static double confidence_of(const struct experiment *experiment)
{
    const double sure = number_of(experiment->settings, "confidence");
    return sure > 0 && sure < 1 ? sure : 0.95;
}

struct cause {
    const char *words;
    double share;
};

static int by_share(const void *a, const void *b)
{
    const struct cause *one = a, *other = b;
    return (one->share < other->share) - (one->share > other->share);
}

/* ": nearly all of it waiting for a CPU"; "" where it is not known. To be freed. */
static char *causes_text(const struct value *points)
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
        const double points_of = number_of(points, known[i].key);
        cause[i] = (struct cause){known[i].words, points_of > 0 ? points_of : 0};
        sum += cause[i].share;
    }
    if (!(sum > 0))
        return must(strdup(""));
    qsort(cause, CAUSES, sizeof *cause, by_share);
    const double first = cause[0].share / sum, second = cause[1].share / sum;
    if (first >= nearly_all)
        return text_of(": nearly all of it %s", cause[0].words);
    if (first >= most || second < worth_naming)
        return text_of(": most of it %s", cause[0].words);
    return text_of(": partly %s, partly %s", cause[0].words, cause[1].words);
}

/* "half (cpu --percent 50)", or the name alone where that is all of the load. To be freed. */
static char *load_text(const struct experiment *experiment, const struct value *condition)
{
    const struct value *loads = view_get(experiment->record.top, "loads");
    OWNED char *name = must(view_string(condition)), *spec = NULL;
    for (const struct value *load = NULL; spec == NULL && view_each(loads, &load);)
        if (view_equals(view_get(load, "name"), name))
            spec = view_string(view_get(load, "spec"));
    OWNED char *plain = visible(name), *what = spec == NULL ? NULL : visible(spec);
    char *text = what == NULL || strcmp(what, plain) == 0 ? must(strdup(plain))
                                                          : text_of("%s (%s)", plain, what);
    return text;
}

/* A difference from 1 as people say it, with two digits: "2.7 % slower"; of other metrics "higher".
 */
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

int sentence_decimals(double low, double high)
{
    const int decimals = ratio_decimals(low, high);
    const double step = pow(10, 1 - decimals);
    const bool is_clear = low > 1 ? low - 1 > step : 1 - high > step;
    return decimals > 1 && is_clear ? decimals - 1 : decimals;
}

/* A ratio to alone and its bounds, in the metric's own direction: what records have of a metric
 * that is better when it is higher is how many times worse it is. */
struct plain {
    double ratio, low, high; /* bounds NAN: not known */
};

static struct plain plain_of(const struct value *slowdown, const struct metric *metric)
{
    const double ratio = number_of(slowdown, "ratio"), low = figure_bound(slowdown, false),
                 high = figure_bound(slowdown, true);
    if (!metric->higher)
        return (struct plain){ratio, low, high};
    return (struct plain){1 / ratio, low > 0 ? 1 / high : NAN, low > 0 ? 1 / low : NAN};
}

/* What a few runs may be by chance, although their interval is beside 1. */
static char *too_few(const struct value *slowdown, const struct plain *plain, const char *load,
                     const struct metric *metric, bool timed)
{
    char center[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE], runs[NUMBER_SIZE];
    const int decimals = sentence_decimals(plain->low, plain->high);
    return text_of("Beside %s %s about %s times as %s (%s to %s), but %s runs of each are too few "
                   "to be sure: more runs would tell.",
                   load, timed ? "it takes" : metric->words,
                   number_fixed(plain->ratio, decimals, center), timed ? "long" : "high",
                   number_fixed(plain->low, decimals, from),
                   number_fixed(plain->high, decimals, to),
                   number_fixed(number_of(slowdown, "pairs"), 0, runs));
}

/* What is not distinguishable from noise. */
static char *no_effect(const char *load, double low, double high, bool timed, double sure)
{
    char above[NUMBER_SIZE], below[NUMBER_SIZE];
    const bool is_none = high - 1 < negligible_effect && 1 - low < negligible_effect;
    if (is_none && low < 1 && high > 1 && timed)
        return text_of("Beside %s no effect is seen: at most %s (%.4g %% sure).", load,
                       difference_text(high, timed, above), 100 * sure);
    return text_of("Beside %s %s: between %s and %s (%.4g %% sure)%s.", load,
                   is_none ? "no effect is seen" : "it is not known yet",
                   difference_text(low, timed, below), difference_text(high, timed, above),
                   100 * sure, is_none ? "" : ": more runs would tell");
}

/* Which of the condition's loads did not come to what was asked of it. To be freed. */
static char *short_text(const struct experiment *experiment, const struct value *condition)
{
    char *name = must(view_string(condition)), *text = NULL;
    const struct value *loads = view_get(condition_named(experiment, name), "load");
    for (const struct value *load = NULL; text == NULL && view_each(loads, &load);) {
        char *which = view_string(view_get(load, "name")), reached[NUMBER_SIZE];
        const double share = number_of(load, "achieved") / number_of(load, "offered");
        if (view_true(view_get(load, "short")) && which != NULL && share >= 0)
            text = text_of(" But %s reached only %s of what was asked of it: this is not yet the "
                           "slowdown beside it.",
                           which, number_percent(share, reached));
        free(which);
    }
    free(name);
    return text == NULL ? must(strdup("")) : text;
}

static char *effect(const struct experiment *experiment, const struct value *slowdown,
                    const char *load, const struct metric *metric, double sure)
{
    const struct plain plain = plain_of(slowdown, metric);
    const double ratio = plain.ratio, low = plain.low, high = plain.high;
    const bool timed = strcmp(metric->name, metrics[METRIC_WALL].name) == 0;
    const int decimals = sentence_decimals(low, high);
    char center[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
    OWNED char *what = timed ? must(strdup("it takes")) : text_of("%s is", metric->words);
    OWNED char *causes = timed && ratio > 1
                             ? causes_text(view_path(slowdown, "attribution", "points"))
                             : must(strdup(""));
    OWNED char *missed = short_text(experiment, view_get(slowdown, "condition"));
    char *text = text_of("Beside %s %s %s times as %s (%s to %s, %.4g %% sure)%s.%s", load, what,
                         number_fixed(ratio, decimals, center), timed ? "long" : "high",
                         number_fixed(low, decimals, from), number_fixed(high, decimals, to),
                         100 * sure, causes, missed);
    return text;
}

char *answer_sentence(const struct experiment *experiment, const struct value *slowdown)
{
    const struct metric *metric = &experiment->metrics.item[experiment->metrics.main];
    const struct plain plain = plain_of(slowdown, metric);
    const double ratio = plain.ratio, low = plain.low, high = plain.high;
    const double sure = confidence_of(experiment);
    const bool timed = strcmp(metric->name, metrics[METRIC_WALL].name) == 0;
    char number[NUMBER_SIZE], *text;
    if (isnan(ratio) || view_true(view_get(slowdown, "constant")))
        return NULL;
    OWNED char *load = load_text(experiment, view_get(slowdown, "condition"));
    if (isnan(low))
        text = text_of("Beside %s %s about %s times as %s: too few runs to say how surely.", load,
                       timed ? "it takes" : metric->words, number_significant(ratio, number),
                       timed ? "long" : "high");
    else if (view_is(view_get(slowdown, "distinguishable"), VIEW_FALSE) &&
             ratio_excludes_one(slowdown))
        text = too_few(slowdown, &plain, load, metric, timed);
    else if (low <= 1 && high >= 1)
        text = no_effect(load, low, high, timed, sure);
    else
        text = effect(experiment, slowdown, load, metric, sure);
    return text;
}

struct found {
    char *text;
    double size; /* of the effect, for the order; NAN: not known */
};

static int largest_first(const void *a, const void *b)
{
    const struct found *one = a, *other = b;
    return (one->size < other->size) - (one->size > other->size);
}

static void put_slowdowns(struct line *json, const struct experiment *experiment)
{
    const char *main = experiment->metrics.item[experiment->metrics.main].name;
    const struct value *all = view_get(experiment->result.top, "slowdowns");
    struct found *found = NULL;
    size_t count = 0, allocated = 0;
    for (const struct value *item = NULL; view_each(all, &item);) {
        char *text =
            view_equals(view_get(item, "metric"), main) ? answer_sentence(experiment, item) : NULL;
        if (text == NULL)
            continue;
        found = grown(found, count, &allocated, sizeof *found);
        found[count++] = (struct found){text, fabs(log(number_of(item, "ratio")))};
    }
    if (count > 0)
        qsort(found, count, sizeof *found, largest_first);
    for (size_t i = 0; i < count; i++) {
        line_text(json, NULL, found[i].text);
        free(found[i].text);
    }
    free(found);
}

/* How far single runs are from their mean, as people say it: ", runs vary by 4 %"; "" where there
 * is nothing to say. To be freed. */
static char *variation_text(const struct value *figure)
{
    const double mean = number_of(figure, "mean"), variance = number_of(figure, "variance");
    char number[NUMBER_SIZE];
    if (!(mean > 0) || !(variance > 0))
        return must(strdup(""));
    return text_of("; runs vary by %s", number_percent(sqrt(variance) / mean, number));
}

/* Of a target that was measured alone. */
static void put_alone(struct line *json, const struct experiment *experiment)
{
    const struct metric *metric = &experiment->metrics.item[experiment->metrics.main];
    const struct value *figure = metric_figure(experiment->baseline, metric);
    const double center = figure_center(figure), low = figure_bound(figure, false),
                 high = figure_bound(figure, true);
    const double sure = confidence_of(experiment);
    const bool timed = strcmp(metric->name, metrics[METRIC_WALL].name) == 0;
    char value[NUMBER_SIZE], from[NUMBER_SIZE], to[NUMBER_SIZE];
    if (isnan(center))
        return;
    const struct scale scale = scale_of(center, metric->unit);
    const int decimals = number_decimals(center * scale.factor);
    OWNED char *unit = visible(scale.unit), *variation = variation_text(figure);
    OWNED char *time = view_string(view_path(experiment->baseline, "time", "text"));
    number_fixed(center * scale.factor, decimals, value);
    number_fixed(low * scale.factor, decimals, from);
    number_fixed(high * scale.factor, decimals, to);
    OWNED char *range = isnan(low) ? must(strdup(" (too few runs to say how surely)"))
                                   : text_of(" (%s to %s, %.4g %% sure)", from, to, 100 * sure);
    OWNED char *text =
        text_of("%s %s %s%s%s%s%s.", timed ? "It takes" : metric->words, value, unit, range,
                variation, time == NULL || !timed ? "" : ": ", time == NULL || !timed ? "" : time);
    visible_put(json, NULL, text);
}

void answer_put(struct line *json, const char *name, const struct experiment *experiment)
{
    line_array(json, name);
    if (experiment_has_variants(experiment))
        ; /* their tables have them: see variants.h */
    else if (protection_measured(experiment))
        protection_put_answers(json, experiment);
    else if (view_first(view_get(experiment->result.top, "slowdowns")) != NULL)
        put_slowdowns(json, experiment);
    else
        put_alone(json, experiment);
    line_close(json);
}

/* The slowdown of the main metric that is farthest from 1; NULL: there are not several. */
static const struct value *largest(const struct experiment *experiment)
{
    const char *main = experiment->metrics.item[experiment->metrics.main].name;
    const struct value *all = view_get(experiment->result.top, "slowdowns"), *found = NULL;
    size_t count = 0;
    double size = -1;
    for (const struct value *item = NULL; view_each(all, &item);) {
        const double effect = fabs(log(number_of(item, "ratio")));
        if (!view_equals(view_get(item, "metric"), main))
            continue;
        count++;
        if (effect > size) {
            size = effect;
            found = item;
        }
    }
    return count > 1 ? found : NULL;
}

/* A command line about the load of a slowdown, `begin` in front of it: to be freed; NULL: there is
 * none. */
static char *command_about(const struct experiment *experiment, const struct value *slowdown,
                           const char *begin)
{
    const struct value *loads = view_get(experiment->record.top, "loads");
    char *which = view_string(view_get(slowdown, "condition")), *text = NULL;
    for (const struct value *load = NULL; text == NULL && view_each(loads, &load);) {
        OWNED char *spec = view_equals(view_get(load, "name"), which == NULL ? "" : which)
                               ? view_string(view_get(load, "spec"))
                               : NULL;
        if (spec == NULL || experiment_has_variants(experiment))
            continue;
        OWNED char *both = text_of("%s=%s", which, spec);
        const char *const word[] = {both};
        OWNED char *quoted = must(words_quote(word, 1));
        OWNED char *command = command_text(view_get(experiment->record.top, "command"));
        text = text_of("%s --load %s -- %s", begin, quoted, command);
    }
    free(which);
    return text;
}

/* What is worth protecting from: the largest slowdown, where it is surely above this. Not of a
 * service, whose command line says too little, nor where settings were tried. */
static const double worth_protecting = 1.05;

static const struct value *harmful(const struct experiment *experiment)
{
    const char *main = experiment->metrics.item[experiment->metrics.main].name;
    const struct value *all = view_get(experiment->result.top, "slowdowns"), *found = NULL;
    double size = worth_protecting;
    if (protection_measured(experiment) ||
        view_is(view_get(experiment->settings, "service"), VIEW_STRING))
        return NULL;
    for (const struct value *item = NULL; view_each(all, &item);) {
        if (!view_equals(view_get(item, "metric"), main) || !(figure_bound(item, false) > size))
            continue;
        size = figure_bound(item, false);
        found = item;
    }
    return found;
}

void answer_put_next(struct line *json, const struct experiment *experiment)
{
    const struct value *best = protection_best(experiment), *harm = harmful(experiment);
    const struct value *closer = best != NULL ? best : largest(experiment);
    OWNED char *next = closer == NULL ? NULL
                                      : command_about(experiment, closer,
                                                      "jostle slowdown --error 2% --max-runs 200");
    OWNED char *protect = harm == NULL ? NULL : command_about(experiment, harm, "jostle protect");
    visible_put(json, "next", next);
    visible_put(json, "protect", protect);
}
