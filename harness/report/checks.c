#include "checks.h"

#include "experiment.h"
#include "row.h"
#include "variants.h"
#include "view.h"

#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One ratio; NULL: of a measurement that compares nothing. */
struct check {
    const struct experiment *of;
    const struct metric *metric;
    const struct value *ratio, *reference, *condition; /* conditions: of the result */
    const char *gate;
    char *what, *why; /* why: the problems that leave it undecided; NULL: none */
};

/* What the record says, else by the interval: records of comparisons may have no answer for
 * each. NULL: not judged. */
static const char *gate_of(const struct experiment *of, const struct metric *metric,
                           const struct value *ratio, const char *member)
{
    static const char *const words[] = {"below", "above", "undecided"};
    const double most = view_real(of->settings, "at_most");
    const struct value *verdict = view_get(ratio, member),
                       *decide = view_get(of->settings, "decide");
    bool decides = view_first(decide) == NULL;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_equals(verdict, words[i]))
            return words[i];
    if (verdict != NULL) /* null: such as of a CPU time that is too short */
        return NULL;
    for (const struct value *item = NULL; view_each(decide, &item);)
        decides = decides || view_equals(item, metric->name);
    if (isnan(most) || !decides || !experiment_has_variants(of))
        return NULL;
    const double low = figure_bound(ratio, false), high = figure_bound(ratio, true);
    return high <= most ? "below" : low > most ? "above" : "undecided";
}

char *checks_why(const struct value *judged)
{
    const struct value *why = view_get(judged, "why");
    char *text = NULL;
    for (const struct value *flag = NULL; view_each(why, &flag);) {
        OWNED char *name = view_string(flag);
        text = text_joined(text, ", ", name == NULL ? "?" : name);
    }
    return text;
}

static char *message_of(const struct check *check)
{
    const double most = view_real(check->of->settings, "at_most");
    char ratio[NUMBER_SIZE];
    ratio_text(check->ratio, NULL, ratio);
    if (check->gate == NULL)
        return NULL;
    if (strcmp(check->gate, "above") == 0)
        return text_of("%s, %s: ratio %s is above %.4g", check->what, check->metric->words, ratio,
                       most);
    if (strcmp(check->gate, "below") == 0)
        return text_of("%s, %s: ratio %s is below %.4g", check->what, check->metric->words, ratio,
                       most);
    if (check->why != NULL)
        return text_of("undecided because of %s: %s, %s: ratio %s (see the problem)", check->why,
                       check->what, check->metric->words, ratio);
    return text_of("undecided: %s, %s: ratio %s does not say on which side of %.4g it is: more "
                   "runs would",
                   check->what, check->metric->words, ratio, most);
}

/* Seconds that the runs of a condition took; 0: not known. */
static double seconds_of(const struct value *condition)
{
    const double mean = view_number(view_path(condition, "wall_s", "mean"), 0);
    return mean * view_number(view_get(condition, "runs"), 0);
}

/* Takes check->what. */
static void put_check(struct line *json, struct check *check)
{
    check->why = checks_why(check->ratio);
    char text[NUMBER_SIZE], *verdict = view_text(check->ratio, "verdict");
    OWNED char *change = variants_change(check->ratio, check->metric), *message = message_of(check);
    const bool compared = check->ratio != NULL;
    line_object(json, NULL);
    visible_put(json, "what", check->what);
    line_text(json, "metric", check->metric->words);
    line_text(json, "reference",
              compared ? row_figure(check->reference, check->metric, text) : NULL);
    line_text(json, "figure", row_figure(check->condition, check->metric, text));
    line_text(json, "ratio",
              compared ? ratio_remarked(check->ratio, check->of->family, text) : NULL);
    line_text(json, "change", change);
    line_text(json, "gate", check->gate);
    visible_put(json, "why", check->why);
    visible_put(json, "verdict", experiment_has_variants(check->of) ? verdict : NULL);
    visible_put(json, "message", message);
    line_real(json, "time_s", seconds_of(check->condition));
    line_close(json);
    free(verdict);
    free(check->what);
    free(check->why);
}

static const struct metric *chosen_metric(const struct experiment *of, const struct value *ratio)
{
    const size_t place = metric_named(&of->metrics, view_get(ratio, "metric"));
    return place < of->metrics.count && of->metrics.item[place].chosen ? &of->metrics.item[place]
                                                                       : NULL;
}

static char *text_or(const struct value *value, const char *otherwise)
{
    return view_is(value, VIEW_STRING) ? must(view_string(value)) : must(strdup(otherwise));
}

static const struct value *condition_of(const struct experiment *of, const struct value *entry,
                                        const char *member)
{
    OWNED char *name = view_text(entry, member);
    const struct value *condition = condition_named(of, name);
    return condition;
}

static void put_comparison(struct line *json, const struct cell *cell, const struct value *entry)
{
    const struct experiment *of = cell->of;
    const struct metric *metric = chosen_metric(of, entry);
    if (metric == NULL)
        return;
    OWNED char *variant = text_or(view_get(entry, "variant"), "?"),
               *other = text_or(view_get(entry, "reference_variant"), "?");
    OWNED char *load = view_text(entry, "load");
    struct check check = {
        .of = of,
        .metric = metric,
        .ratio = entry,
        .reference = condition_of(of, entry, "reference"),
        .condition = condition_of(of, entry, "condition"),
        .gate = gate_of(of, metric, entry, "gate"),
        .what = text_of("%s against %s%s%s", variant, other, load == NULL ? " alone" : " under ",
                        load == NULL ? "" : load),
    };
    put_check(json, &check);
}

static void put_slowdown(struct line *json, const struct cell *cell, const struct value *entry)
{
    const struct metric *metric = chosen_metric(cell->of, entry);
    struct check check = {.of = cell->of, .metric = metric, .ratio = entry};
    if (metric == NULL)
        return;
    check.reference = cell->baseline;
    check.condition = cell->loaded;
    /* Old records have only that of all metrics together. */
    check.gate =
        gate_of(cell->of, metric, entry, view_get(entry, "gate") != NULL ? "gate" : "verdict");
    check.what = text_of("under %s", cell->condition);
    put_check(json, &check);
}

static void put_measured(struct line *json, const struct cell *cell)
{
    for (size_t i = 0; i < cell->of->metrics.count; i++) {
        struct check check = {
            .of = cell->of, .metric = &cell->of->metrics.item[i], .condition = cell->baseline};
        if (!check.metric->chosen)
            continue;
        check.what = must(strdup("alone"));
        put_check(json, &check);
    }
}

/* What a condition can bear, which is a result and no ratio. */
static void put_capacity(struct line *json, const struct value *capacity, const struct value *entry)
{
    char text[NUMBER_SIZE], *load = view_text(entry, "load"), *slo = view_text(capacity, "slo");
    OWNED char *what =
        text_of("capacity%s%s", load == NULL ? " alone" : " under ", load == NULL ? "" : load);
    line_object(json, NULL);
    visible_put(json, "what", what);
    visible_put(json, "metric", slo == NULL ? "-" : slo);
    line_null(json, "reference");
    line_text(json, "figure", capacity_value(capacity, entry, text));
    line_null(json, "ratio");
    line_null(json, "change");
    line_null(json, "gate");
    line_null(json, "why");
    line_null(json, "verdict");
    line_null(json, "message");
    line_real(json, "time_s", 0);
    line_close(json);
    free(load);
    free(slo);
}

static void put_capacities(struct line *json, const struct value *capacity)
{
    const struct value *list = view_get(capacity, "by_condition");
    for (const struct value *item = NULL; view_each(list, &item);)
        put_capacity(json, capacity, item);
}

void checks_put(struct line *json, const struct cell *cell, bool first)
{
    const bool variants = experiment_has_variants(cell->of);
    const struct value *all =
        view_get(cell->of->result.top, variants ? "comparisons" : "slowdowns");
    const bool searched = capacity_searched(cell->of);
    line_array(json, "checks");
    if (searched && first)
        put_capacities(json, view_get(cell->of->result.top, "capacity"));
    for (const struct value *item = NULL; view_each(all, &item);)
        if (variants && first)
            put_comparison(json, cell, item);
        else if (!variants && cell->condition != NULL &&
                 view_equals(view_get(item, "condition"), cell->condition))
            put_slowdown(json, cell, item);
    if (!variants && !searched && cell->loaded == NULL)
        put_measured(json, cell);
    line_close(json);
}
