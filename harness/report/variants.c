// The variants of an experiment: their tables, their ratios to the reference, and what these mean.
#include "texts.h"

#include "common/text.h"

// The ratio of each variant to the reference, alone and under each load: {metric, limit, points};
// limit: of --at-most.
static void put_chart(struct line *json, const struct experiment *experiment,
                      const struct quantity *metric)
{
    line_object(json, NULL);
    line_text(json, "metric", metric->words);
    line_real(json, "limit", limit_of(experiment, LIMIT_AT_MOST));
    LINE_ARRAY (json, "points")
        EACH_VALUE (item, experiment->comparisons) {
            if (!view_matches(item, "metric", metric->name) || isnan(view_real(item, "ratio")))
                continue;
            const char *load = view_text(item, "load");
            line_object(json, NULL);
            visible_put(json, "name",
                        said(experiment->texts, "%s%s%s", view_text(item, "variant") ?: "?",
                             load ? ", " : "", load ?: ""));
            ratio_put_point(json, item, ratio_effect(item) == EFFECT_SEEN);
            line_close(json);
        }
    line_close(json);
}

// "3.8 % [3.0, 4.5] faster" of a ratio, where a metric is no time "1.6 % [1.0, 2.1] higher".
// NULL: the ratio is not known.
static const char *variants_change(struct arena *texts, const struct value *ratio,
                                   const struct quantity *metric)
{
    const struct estimate plain = ratio_of_alone(ratio, metric);
    const double center = plain.center, low = plain.low, high = plain.high;
    if (!(center > 0))
        return NULL;
    const bool more = center >= 1, timed = metric_is_wall(metric);
    const char *way = more ? (timed ? "slower" : "higher") : timed ? "faster" : "lower";
    const double sign = more ? 100 : -100, one = sign * (low - 1), two = sign * (high - 1);
    const double half = (high - low) * 50;
    const int deserved = isnan(half) ? 1 : half >= 2 ? 0 : half >= 0.2 ? 1 : half >= 0.02 ? 2 : 3;
    const int decimals = decimals_apart(deserved, fmin(one, two), fmax(one, two), 0);
    const char *interval = isnan(low) || isnan(high)
                               ? ""
                               : number_interval(fmin(one, two), fmax(one, two), decimals, ROOM);
    return said(texts, "%s %%%s%s %s", number_fixed(sign * (center - 1), decimals, ROOM),
                *interval == '\0' ? "" : " ", interval, way);
}

// " under half"; " alone" where others are under a load.
static const char *where_text(const struct experiment *experiment, const struct value *comparison)
{
    const char *load = view_text(comparison, "load");
    if (load)
        return said(experiment->texts, " under %s", load);
    EACH_VALUE (other, experiment->comparisons)
        if (view_has_text(other, "load"))
            return " alone";
    return "";
}

// What a comparison says: "4 % [2, 6] faster alone".
static const char *phrase(const struct experiment *experiment, const struct value *comparison,
                          const struct quantity *metric)
{
    struct arena *texts = experiment->texts;
    const char *change = variants_change(texts, comparison, metric),
               *where = where_text(experiment, comparison),
               *other = view_text(comparison, "reference_variant");
    const struct value *verdict = view_get(comparison, "verdict");
    if (!change)
        return said(texts, "not known%s", where);
    if (isnan(figure_bound(comparison, false)))
        return said(texts, "about %s%s (too few runs to say how surely)", change, where);
    if (view_equals(verdict, "same"))
        return said(texts, "the same as %s%s (%s)", other, where, change);
    if (!view_equals(verdict, "undecided"))
        return said(texts, "%s%s", change, where);
    switch (ratio_effect(comparison)) {
    case EFFECT_NONE:
        return said(texts, "no different from %s%s (%s)", other, where, change);
    case EFFECT_UNKNOWN:
        return said(texts, "not clearly different from %s%s (%s)", other, where, change);
    default:
        return said(texts, "%s%s (undecided)", change, where);
    }
}

// One sentence for a variant: "new is 4 % [2, 6] faster alone; 1 % [0, 2] slower under mem-50:
// the load changes that". NULL: nothing compares it.
static const char *sentence(const struct experiment *experiment, const struct value *variant,
                            const struct quantity *metric)
{
    struct arena *texts = experiment->texts;
    const char *text = NULL;
    EACH_VALUE (item, experiment->comparisons) {
        if (!view_same(view_get(item, "variant"), variant) ||
            !view_matches(item, "metric", metric->name))
            continue;
        const struct value *load = view_get(item, "load");
        const struct value *change =
            view_is(load, VIEW_STRING)
                ? comparison_of(experiment->interactions, variant, load, metric->name)
                : NULL;
        const char *words =
            said(texts, "%s%s", phrase(experiment, item, metric),
                 !change || isnan(figure_bound(change, false)) ? ""
                 : ratio_effect(change) == EFFECT_SEEN         ? ": the load changes that"
                                                       : ": no change by the load is shown");
        if (text)
            text = joined(texts, text, "; ", words);
        else if (metric_is_wall(metric))
            text = said(texts, "%s is %s", view_string(variant), words);
        else
            text = said(texts, "%s of %s is %s", metric->words, view_string(variant), words);
    }
    return text;
}

// The first variant is what all are compared with.
static bool is_reference(const struct experiment *experiment, const struct value *variant)
{
    const struct value *first = view_first(experiment->variants);
    return view_same(view_get(first, "name"), variant);
}

static void put_row(struct line *json, const struct experiment *experiment,
                    const struct value *listed, const struct quantity *metric)
{
    const struct value *variant = view_get(listed, "variant"), *load = view_get(listed, "load");
    const char *name = view_text(listed, "name");
    const struct row row = {
        .of = experiment,
        .metric = metric,
        .condition = condition_named(experiment, name),
        .variant = variant,
        .load = load,
        .entry = comparison_of(experiment->comparisons, variant, load, metric->name),
        .slowdown = slowdown_of(experiment, name, metric->name),
        .is_reference = is_reference(experiment, variant),
    };
    if (!row.condition || !variant)
        return;
    columns_put_row(json, TABLE_VARIANTS, &row, row.entry);
    effect_put(json, "slower", row.slowdown);
    visible_put(json, "who", name);
    row_warnings(json, experiment, name, NULL, false);
    line_close(json);
}

static void put_tables(struct line *json, const struct experiment *experiment,
                       const struct legend *legend)
{
    enum { WIDEST = 20 };
    const struct value *first = view_first(experiment->variants);
    const char *plain = shown(experiment->texts, view_text(first, "name"));
    const char *reference = plain && strlen(plain) <= WIDEST ? plain : "the first";
    LINE_ARRAY (json, "tables")
        for (size_t i = 0; i < experiment->metrics.count; i++) {
            const struct quantity *metric = &experiment->metrics.item[i];
            if (!metric->chosen)
                continue;
            line_object(json, NULL);
            line_text(json, "metric", metric->words);
            columns_put(json, experiment->texts, TABLE_VARIANTS, legend, reference, metric);
            LINE_ARRAY (json, "rows")
                EACH_VALUE (item, experiment->planned)
                    put_row(json, experiment, item, metric);
            line_close(json);
        }
}

static void put_change(struct line *json, const struct experiment *experiment,
                       const struct value *interaction)
{
    const struct quantity *metric =
        metric_chosen(&experiment->metrics, view_get(interaction, "metric"));
    if (!metric)
        return;
    const struct row row = {.of = experiment,
                            .metric = metric,
                            .variant = view_get(interaction, "variant"),
                            .load = view_get(interaction, "load"),
                            .entry = interaction};
    columns_put_row(json, TABLE_CHANGES, &row, interaction);
    line_close(json);
}

static void put_sentences(struct line *json, const struct experiment *experiment)
{
    LINE_ARRAY (json, "lines")
        EACH_VALUE (item, experiment->variants)
            for (size_t i = 0; i < experiment->metrics.count; i++) {
                const struct quantity *metric = &experiment->metrics.item[i];
                if (metric->chosen)
                    visible_add(json, sentence(experiment, view_get(item, "name"), metric));
            }
}

void variants_put(struct line *json, const struct experiment *experiment, bool page)
{
    if (!line_object_if(json, "variants", experiment->variants && !experiment->capacity))
        return;
    const struct legend legend = legend_of(experiment);
    visible_put(json, "title", experiment->name);
    put_tables(json, experiment, &legend);
    line_object(json, "changes");
    columns_put(json, experiment->texts, TABLE_CHANGES, &legend, NULL, NULL);
    LINE_ARRAY (json, "rows")
        EACH_VALUE (item, experiment->interactions)
            put_change(json, experiment, item);
    line_close(json);
    put_sentences(json, experiment);
    if (page) {
        LINE_ARRAY (json, "charts")
            for (size_t i = 0; i < experiment->metrics.count; i++)
                if (experiment->metrics.item[i].chosen)
                    put_chart(json, experiment, &experiment->metrics.item[i]);
    }
    line_close(json);
}

// A row of what is neither a slowdown nor a comparison.
static void put_entry(struct line *json, enum table table, struct row row)
{
    columns_put_row(json, table, &row, NULL);
    line_close(json);
}

void capacity_put(struct line *json, const struct experiment *experiment)
{
    const struct value *capacity = experiment->capacity, *list = view_get(capacity, "by_condition");
    struct legend legend = legend_of(experiment);
    if (!line_object_if(json, "capacity", experiment->capacity))
        return;
    visible_put(json, "title", experiment->name);
    legend.level = view_number(view_get(capacity, "confidence"), legend.level);
    columns_put(json, experiment->texts, TABLE_CAPACITY, &legend, NULL, NULL);
    LINE_ARRAY (json, "rows")
        EACH_VALUE (item, list)
            put_entry(json, TABLE_CAPACITY,
                      (struct row){.of = experiment,
                                   .name = view_text(item, "condition") ?: "-",
                                   .entry = item});
    LINE_ARRAY (json, "lines")
        visible_add(json, view_text(capacity, "text"));
    line_close(json);
}

// The rows of one load begin with what it does without settings.
static void put_protections(struct line *json, const struct experiment *experiment)
{
    const char *last = "";
    EACH_VALUE (item, view_get(experiment->protection, "rows")) {
        struct row row = {
            .of = experiment, .name = view_text(item, "unprotected") ?: "", .entry = item};
        row.is_reference = strcmp(last, row.name) != 0;
        if (row.is_reference)
            put_entry(json, TABLE_PROTECTION, row);
        row.is_reference = false;
        put_entry(json, TABLE_PROTECTION, row);
        last = row.name;
    }
}

void protection_put(struct line *json, const struct experiment *experiment)
{
    const struct legend legend = legend_of(experiment);
    if (!line_object_if(json, "protection", experiment->protection))
        return;
    visible_put(json, "title", experiment->name);
    columns_put(json, experiment->texts, TABLE_PROTECTION, &legend, NULL, NULL);
    LINE_ARRAY (json, "rows")
        put_protections(json, experiment);
    LINE_ARRAY (json, "lines")
        EACH_VALUE (item, view_get(experiment->record.top, "left_out"))
            row_say(json, "cannot be set here", view_text(item, "why"));
    line_close(json);
}

// ---- checks

// One ratio; NULL: of a measurement that compares nothing.
struct check {
    const struct experiment *of;
    const struct quantity *metric;
    const struct value *ratio, *reference, *condition; // conditions: of the result
    const char *gate, *what, *why; // why: the problems that leave it undecided; NULL: none
};

// What the record says, else by the interval: records of comparisons may have no answer for
// each. NULL: not judged.
static const char *gate_of(const struct experiment *of, const struct quantity *metric,
                           const struct value *ratio, const char *member)
{
    static const char *const words[] = {"below", "above", "undecided"};
    const double most = limit_of(of, LIMIT_AT_MOST);
    const struct value *verdict = view_get(ratio, member);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (view_equals(verdict, words[i]))
            return words[i];
    if (verdict) // null: such as of a CPU time that is too short
        return NULL;
    if (isnan(most) || !metric_decides(of->settings, metric->name) || !of->variants)
        return NULL;
    const double low = figure_bound(ratio, false), high = figure_bound(ratio, true);
    return high <= most ? "below" : low > most ? "above" : "undecided";
}

static const char *message_of(const struct check *check)
{
    const double most = limit_of(check->of, LIMIT_AT_MOST);
    const char *ratio = ratio_text(check->ratio, ROOM);
    if (!check->gate)
        return NULL;
    if (strcmp(check->gate, "undecided") != 0)
        return said(check->of->texts, "%s, %s: ratio %s is %s %.10g", check->what,
                    check->metric->words, ratio, check->gate, most);
    if (check->why)
        return said(check->of->texts, "undecided because of %s: %s, %s: ratio %s (see the problem)",
                    check->why, check->what, check->metric->words, ratio);
    return said(check->of->texts,
                "undecided: %s, %s: ratio %s does not say on which side of %.10g it is: %s",
                check->what, check->metric->words, ratio, most,
                view_text(check->of->gate, "text") ?: "more runs would");
}

static void put_check(struct line *json, struct check *check)
{
    struct arena *texts = check->of->texts;
    check->why = view_joined(texts, view_get(check->ratio, "why"), ", ");
    const bool compared = check->ratio != NULL;
    line_object(json, NULL);
    visible_put(json, "what", check->what);
    line_text(json, "metric", check->metric->words);
    line_text(json, "reference",
              compared ? row_figure(check->reference, check->metric, ROOM) : NULL);
    line_text(json, "figure", row_figure(check->condition, check->metric, ROOM));
    line_text(json, "ratio", compared ? ratio_remarked(check->ratio, ROOM) : NULL);
    if (!isnan(view_real(check->ratio, "ratio")))
        mark_put(json, check->of, check->ratio);
    line_text(json, "change", variants_change(texts, check->ratio, check->metric));
    line_text(json, "gate", check->gate);
    visible_put(json, "why", check->why);
    visible_put(json, "verdict", check->of->variants ? view_text(check->ratio, "verdict") : NULL);
    visible_put(json, "message", message_of(check));
    visible_put(json, "undecided",
                check->gate && strcmp(check->gate, "undecided") == 0
                    ? view_text(check->of->gate, "text")
                    : NULL);
    line_real(json, "time_s",
              view_number(view_path(check->condition, "wall_s", "mean"), 0) *
                  view_number(view_get(check->condition, "runs"), 0));
    line_close(json);
}

static void put_comparison(struct line *json, const struct experiment *of,
                           const struct value *entry)
{
    const struct quantity *metric = metric_chosen(&of->metrics, view_get(entry, "metric"));
    if (!metric)
        return;
    struct check check = {
        .of = of,
        .metric = metric,
        .ratio = entry,
        .reference = condition_named(of, view_text(entry, "reference")),
        .condition = condition_named(of, view_text(entry, "condition")),
        .gate = gate_of(of, metric, entry, "gate"),
        .what = said(of->texts, "%s against %s%s", view_text(entry, "variant") ?: "?",
                     view_text(entry, "reference_variant") ?: "?", where_text(of, entry)),
    };
    put_check(json, &check);
}

static void put_slowdown(struct line *json, const struct cell *cell, const struct value *entry)
{
    const struct experiment *of = cell->of;
    const struct quantity *metric = metric_chosen(&of->metrics, view_get(entry, "metric"));
    if (!metric)
        return;
    struct check check = {
        .of = of,
        .metric = metric,
        .ratio = entry,
        .reference = cell->baseline,
        .condition = cell->loaded,
        // Old records have only that of all metrics together.
        .gate = gate_of(of, metric, entry, view_get(entry, "gate") ? "gate" : "verdict"),
        .what = said(of->texts, "under %s", cell->condition),
    };
    put_check(json, &check);
}

// What a condition can bear, which is a result and no ratio.
static void put_capacity_check(struct line *json, const struct experiment *of,
                               const struct value *entry)
{
    const char *load = view_text(entry, "load");
    line_object(json, NULL);
    visible_put(json, "what",
                said(of->texts, "capacity%s%s", load ? " under " : " alone", load ?: ""));
    visible_put(json, "metric", view_text(of->capacity, "slo") ?: "-");
    line_text(json, "figure", capacity_value(of, entry));
    line_real(json, "time_s", 0);
    line_close(json);
}

void checks_put(struct line *json, const struct cell *cell, bool first)
{
    const struct experiment *of = cell->of;
    const bool variants = of->variants, searched = of->capacity;
    line_array(json, "checks");
    if (searched && first)
        EACH_VALUE (item, view_get(of->capacity, "by_condition"))
            put_capacity_check(json, of, item);
    EACH_VALUE (item, variants ? of->comparisons : of->slowdowns)
        if (variants && first)
            put_comparison(json, of, item);
        else if (!variants && cell->condition && view_matches(item, "condition", cell->condition))
            put_slowdown(json, cell, item);
    for (size_t i = 0; !variants && !searched && !cell->loaded && i < of->metrics.count; i++) {
        struct check check = {
            .of = of, .metric = &of->metrics.item[i], .condition = cell->baseline, .what = "alone"};
        if (check.metric->chosen)
            put_check(json, &check);
    }
    line_close(json);
}
