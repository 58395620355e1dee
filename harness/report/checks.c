#include "texts.h"

#include "common/memory.h"

#include <math.h>
#include <string.h>

// One ratio; NULL: of a measurement that compares nothing.
struct check {
    const struct experiment *of;
    const struct quantity *metric;
    const struct value *ratio, *reference, *condition; // conditions: of the result
    const char *gate;
    char *what, *why; // why: the problems that leave it undecided; NULL: none
};

// What the record says, else by the interval: records of comparisons may have no answer for
// each. NULL: not judged.
static const char *gate_of(const struct experiment *of, const struct quantity *metric,
                           const struct value *ratio, const char *member)
{
    static const char *const words[] = {"below", "above", "undecided"};
    const double most = view_real(of->settings, "at_most");
    const struct value *verdict = view_get(ratio, member);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_equals(verdict, words[i]))
            return words[i];
    if (verdict) // null: such as of a CPU time that is too short
        return NULL;
    if (isnan(most) || !metric_decides(of->settings, metric->name) || !experiment_has_variants(of))
        return NULL;
    const double low = figure_bound(ratio, false), high = figure_bound(ratio, true);
    return high <= most ? "below" : low > most ? "above" : "undecided";
}

char *checks_why(const struct value *judged)
{
    return view_joined(view_get(judged, "why"), ", ");
}

static char *message_of(const struct check *check)
{
    const double most = view_real(check->of->settings, "at_most");
    char ratio[NUMBER_SIZE];
    ratio_text(check->ratio, NULL, ratio);
    if (!check->gate)
        return NULL;
    if (strcmp(check->gate, "undecided") != 0)
        return text_of("%s, %s: ratio %s is %s %.4g", check->what, check->metric->words, ratio,
                       check->gate, most);
    if (check->why)
        return text_of("undecided because of %s: %s, %s: ratio %s (see the problem)", check->why,
                       check->what, check->metric->words, ratio);
    return text_of(
        "undecided: %s, %s: ratio %s does not say on which side of %.4g it is: more runs would",
        check->what, check->metric->words, ratio, most);
}

// Seconds that the runs of a condition took; 0: not known.
static double seconds_of(const struct value *condition)
{
    const double mean = view_number(view_path(condition, "wall_s", "mean"), 0);
    return mean * view_number(view_get(condition, "runs"), 0);
}

// Takes check->what.
static void put_check(struct line *json, struct check *check)
{
    OWNED char *what = check->what, *why = checks_why(check->ratio);
    check->why = why;
    OWNED char *verdict = view_text(check->ratio, "verdict"),
               *change = variants_change(check->ratio, check->metric);
    const bool compared = check->ratio != NULL;
    char text[NUMBER_SIZE];
    line_object(json, NULL);
    visible_put(json, "what", what);
    line_text(json, "metric", check->metric->words);
    line_text(json, "reference",
              compared ? row_figure(check->reference, check->metric, text) : NULL);
    line_text(json, "figure", row_figure(check->condition, check->metric, text));
    line_text(json, "ratio",
              compared ? ratio_remarked(check->ratio, check->of->family, text) : NULL);
    line_text(json, "change", change);
    line_text(json, "gate", check->gate);
    visible_put(json, "why", why);
    visible_put(json, "verdict", experiment_has_variants(check->of) ? verdict : NULL);
    visible_take(json, "message", message_of(check));
    line_real(json, "time_s", seconds_of(check->condition));
    line_close(json);
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
    const struct quantity *metric = metric_chosen(&of->metrics, view_get(entry, "metric"));
    if (!metric)
        return;
    OWNED char *variant = view_text(entry, "variant"),
               *other = view_text(entry, "reference_variant"), *load = view_text(entry, "load");
    struct check check = {
        .of = of,
        .metric = metric,
        .ratio = entry,
        .reference = condition_of(of, entry, "reference"),
        .condition = condition_of(of, entry, "condition"),
        .gate = gate_of(of, metric, entry, "gate"),
        .what = text_of("%s against %s%s%s", variant ?: "?", other ?: "?",
                        load ? " under " : " alone", load ?: ""),
    };
    put_check(json, &check);
}

static void put_slowdown(struct line *json, const struct cell *cell, const struct value *entry)
{
    const struct quantity *metric = metric_chosen(&cell->of->metrics, view_get(entry, "metric"));
    struct check check = {.of = cell->of, .metric = metric, .ratio = entry};
    if (!metric)
        return;
    check.reference = cell->baseline;
    check.condition = cell->loaded;
    // Old records have only that of all metrics together.
    check.gate = gate_of(cell->of, metric, entry, view_get(entry, "gate") ? "gate" : "verdict");
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

// What a condition can bear, which is a result and no ratio.
static void put_capacity(struct line *json, const struct value *capacity, const struct value *entry)
{
    static const char *const nothing[] = {"ratio", "change", "gate", "why", "verdict", "message"};
    OWNED char *load = view_text(entry, "load"), *slo = view_text(capacity, "slo");
    char text[NUMBER_SIZE];
    line_object(json, NULL);
    visible_take(json, "what", text_of("capacity%s%s", load ? " under " : " alone", load ?: ""));
    visible_put(json, "metric", slo ?: "-");
    line_null(json, "reference");
    line_text(json, "figure", capacity_value(capacity, entry, text));
    for (size_t i = 0; i < sizeof nothing / sizeof *nothing; i++)
        line_null(json, nothing[i]);
    line_real(json, "time_s", 0);
    line_close(json);
}

void checks_put(struct line *json, const struct cell *cell, bool first)
{
    const bool variants = experiment_has_variants(cell->of);
    const struct value *all =
        view_get(cell->of->result.top, variants ? "comparisons" : "slowdowns");
    const struct value *capacity = view_get(cell->of->result.top, "capacity");
    const bool searched = capacity_searched(cell->of);
    line_array(json, "checks");
    if (searched && first)
        for (const struct value *item = NULL; view_each(view_get(capacity, "by_condition"), &item);)
            put_capacity(json, capacity, item);
    for (const struct value *item = NULL; view_each(all, &item);)
        if (variants && first)
            put_comparison(json, cell, item);
        else if (!variants && cell->condition && view_matches(item, "condition", cell->condition))
            put_slowdown(json, cell, item);
    if (!variants && !searched && !cell->loaded)
        put_measured(json, cell);
    line_close(json);
}
