// What the table of one experiment consists of: its title, its rows, and the lines below them.
#include "report.h"

enum { NUMBERS_NAMED = 6 };

static void put_title(struct line *json, const struct experiment *experiment)
{
    const struct value *environment = experiment->environment,
                       *placement = view_get(experiment->record.top, "placement");
    struct arena *texts = experiment->texts;
    const char *place = view_text(placement, "place"),
               *service = view_text(placement, "service_cpus");
    visible_put(json, "where",
                said(texts, "on %s: %s, CPUs %s, %s", view_text(environment, "host") ?: "?",
                     view_text(environment, "cpu") ?: "?",
                     view_text(environment, "cpus_allowed") ?: "?",
                     view_text(environment, "kernel") ?: "?"));
    visible_put(json, "placed",
                !place ? NULL
                       : said(texts, "placed %s: %s%s%starget on CPU %s, loads on CPU %s", place,
                              service ? "service on CPU " : "", service ?: "", service ? ", " : "",
                              view_text(placement, "target_cpus") ?: "-",
                              view_text(placement, "load_cpus") ?: "-"));
}

static void put_condition(struct line *json, const struct experiment *experiment,
                          const struct value *condition)
{
    const char *name = view_text(condition, "name");
    const struct quantity *main = main_metric(experiment);
    const struct row row = {.of = experiment,
                            .metric = main,
                            .name = name,
                            .condition = condition,
                            .slowdown = slowdown_of(experiment, name, main->name)};
    columns_put_row(json, TABLE_CONDITIONS, &row, row.slowdown);
    visible_put(json, "who", name);
    row_warnings(json, experiment, name, NULL, false);
    line_close(json);
}

static void put_conditions(struct line *json, const struct experiment *experiment)
{
    line_array(json, "rows");
    EACH_VALUE (item, experiment->conditions)
        if (view_has_text(item, "name"))
            put_condition(json, experiment, item);
    // What is of no single condition.
    line_object(json, NULL);
    line_null(json, "texts");
    line_null(json, "who");
    row_warnings(json, experiment, NULL, NULL, true);
    line_close(json);
    line_close(json);
}

static void put_metric(struct line *json, const struct experiment *experiment,
                       const struct quantity *metric, const struct value *condition)
{
    const char *name = view_text(condition, "name");
    const struct row row = {.of = experiment,
                            .metric = metric,
                            .name = name,
                            .baseline = experiment->baseline,
                            .condition = condition == experiment->baseline ? NULL : condition,
                            .slowdown = slowdown_of(experiment, name, metric->name)};
    columns_put_row(json, TABLE_CONDITION_METRICS, &row, row.slowdown);
    line_close(json);
}

// The metrics of --metric besides the main one: a row for each, of each condition that
// is compared with the baseline, or of the baseline alone.
static void put_metrics(struct line *json, const struct experiment *experiment)
{
    const struct value *conditions = experiment->conditions;
    const bool single = !view_first(experiment->slowdowns);
    LINE_ARRAY (json, "metrics")
        EACH_VALUE (item, conditions)
            for (size_t i = 0; i < experiment->metrics.count; i++)
                if ((item == experiment->baseline) == single && row_has_metric(experiment, i))
                    put_metric(json, experiment, &experiment->metrics.item[i], item);
}

// "new = ./new in.dat"
static void put_variants(struct line *json, const struct experiment *experiment)
{
    struct arena *texts = experiment->texts;
    EACH_VALUE (item, experiment->variants) {
        const struct value *from = view_get(item, "revision");
        const char *name = view_text(item, "name"), *revision = view_text(from, "name"),
                   *commit = view_text(from, "commit"), *tree = view_text(from, "tree");
        // The working tree as it is has no commit.
        const char *built = revision ? said(texts, ", built from %s (%s%.12s)", revision,
                                            commit ? "" : "tree ", commit ?: tree ?: "?")
                                     : "";
        if (name)
            visible_add(json, said(texts, "%s = %s%s", name,
                                   command_text(texts, view_get(item, "command")), built));
    }
}

// Of loads that run already, what the target gains without them: the slowdown turned round.
static void put_gains(struct line *json, const struct experiment *experiment)
{
    EACH_VALUE (load, experiment->loads) {
        const struct value *words = view_get(view_first(view_get(load, "parts")), "words");
        const char *name = view_text(load, "name");
        const struct value *slowdown = slowdown_of(experiment, name, metrics[METRIC_WALL].name);
        const struct estimate its = estimate_of(slowdown, "ratio");
        if (view_equals(view_first(words), "neighbour") && its.center > 0) {
            const double low = 1 / its.high, high = 1 / its.low;
            const int decimals = ratio_decimals(low, high);
            visible_add(json, said(experiment->texts,
                                   "%s: without it the target takes %s %s times as long", name,
                                   number_fixed(1 / its.center, decimals, ROOM),
                                   isnan(high) ? "" : number_interval(low, high, decimals, ROOM)));
        }
    }
}

// "7, 19 and 3 more"
static const char *numbers_text(struct arena *texts, const struct value *list)
{
    const char *all = "";
    size_t count = 0;
    EACH_VALUE (item, list)
        if (++count <= NUMBERS_NAMED)
            all = joined(texts, all, ", ", said(texts, "%.0f", view_number(item, 0)));
    return count <= NUMBERS_NAMED ? all
                                  : said(texts, "%s and %zu more", all, count - NUMBERS_NAMED);
}

// Which runs are far from the others: the mean includes them, and a note says more.
static const char *outliers_text(const struct experiment *experiment, const struct value *warning,
                                 const struct value *figure)
{
    const struct value *list = view_get(warning, "runs"), *first = view_first(list);
    const bool one = first && !view_next(list, first);
    return said(experiment->texts,
                "%s: outlier%s in run%s %s: the mean includes %s, the median is %s",
                view_text(warning, "condition"), one ? "" : "s", one ? "" : "s",
                numbers_text(experiment->texts, list), one ? "it" : "them",
                number_scaled(view_real(figure, "median"), main_metric(experiment)->unit, ROOM));
}

static void put_outliers(struct line *json, const struct experiment *experiment)
{
    const struct quantity *main = main_metric(experiment);
    LINE_ARRAY (json, "outliers")
        EACH_VALUE (item, experiment->warnings) {
            const char *name = view_text(item, "condition");
            const struct value *figure = metric_figure(condition_named(experiment, name), main),
                               *slowdown = slowdown_of(experiment, name, main->name);
            // They move the figure that is shown, and have no line yet: put_seldom().
            if (name && view_matches(item, "flag", "outliers") &&
                view_matches(item, "metric", main->name) && view_first(view_get(item, "runs")) &&
                view_matches(figure, "statistic", "mean") && !view_has_text(slowdown, "seldom"))
                visible_add(json, outliers_text(experiment, item, figure));
        }
}

// What is said to those who ask: the loads, where the extra time went, and what the ratio of a
// metric says that is better when it is higher.
static void put_details(struct line *json, const struct experiment *experiment)
{
    const struct value *slowdowns = experiment->slowdowns;
    line_array(json, "details");
    EACH_VALUE (load, experiment->loads) {
        const char *name = view_text(load, "name"), *spec = view_text(load, "spec");
        if (name && spec)
            visible_add(json, said(experiment->texts, "%s = %s", name, spec));
    }
    EACH_VALUE (item, slowdowns)
        visible_add(json, view_string(view_path(item, "attribution", "text")));
    EACH_VALUE (item, slowdowns)
        row_say(json, view_text(item, "condition"), ratio_direction(experiment, item));
    line_close(json);
}

// Whether an entry before this one of the list says the same: what seldom happens to the baseline
// is part of each slowdown's answer.
static bool is_repeated(const struct value *all, const struct value *item)
{
    for (const struct value *before = NULL; view_each(all, &before) && before != item;)
        if (view_same(view_get(before, "seldom"), view_get(item, "seldom")))
            return true;
    return false;
}

// What seldom happens to the metrics that are shown, each once.
static void put_seldom(struct line *json, const struct experiment *experiment,
                       const struct value *all)
{
    EACH_VALUE (item, all) {
        // Of the main metric, or one of --metric.
        const size_t place = metric_named(&experiment->metrics, view_get(item, "metric"));
        if (place < experiment->metrics.count && !is_repeated(all, item) &&
            (place == experiment->metrics.main || experiment->metrics.item[place].chosen))
            row_say(json, view_text(item, "condition"), view_text(item, "seldom"));
    }
}

// "time: baseline 98 % computing, 2 % ...; half 61 % computing, 39 % waiting for a CPU". Of a
// target alone the answer has it (answer.c), where that is a time.
static void put_times(struct line *json, const struct experiment *experiment)
{
    const struct value *first = view_first(experiment->conditions);
    if (first && !view_next(experiment->conditions, first) &&
        experiment->metrics.main == METRIC_WALL)
        return;
    const char *all = NULL;
    EACH_VALUE (item, experiment->conditions) {
        const char *text = view_string(view_path(item, "time", "text")),
                   *name = view_text(item, "name");
        if (text && name)
            all = said(experiment->texts, "%s %s %s",
                       all ? said(experiment->texts, "%s;", all) : "time:", name, text);
    }
    visible_add(json, all);
}

// Whether --at-most was judged by that metric: what is too small for it has no verdict.
static bool is_judged(const struct experiment *experiment, const char *metric)
{
    EACH_VALUE (item, experiment->slowdowns)
        if (view_matches(item, "metric", metric) && view_has_text(item, "verdict"))
            return true;
    return experiment->variants;
}

// What the gate is about, where that is not the wall time alone: " for user time, memory",
// and which metrics it had to leave out.
static const char *gate_metrics(const struct experiment *experiment)
{
    struct arena *texts = experiment->texts;
    const char *judged = NULL, *small = NULL;
    bool others = false;
    for (size_t i = 0; i < experiment->metrics.count; i++) {
        const struct quantity *metric = &experiment->metrics.item[i];
        if (!metric->chosen || !metric_decides(experiment->settings, metric->name))
            continue;
        others = others || i != METRIC_WALL;
        const char **text = is_judged(experiment, metric->name) ? &judged : &small;
        *text = joined(texts, *text, ", ", metric->words);
    }
    return !others ? ""
                   : said(texts, "%s%s%s%s%s", judged ? " for " : "", judged ?: "",
                          small ? " (too small to be judged: " : "", small ?: "", small ? ")" : "");
}

static void put_floors(struct line *json, const struct experiment *experiment)
{
    EACH_VALUE (floor, experiment->noise_floor) {
        const size_t place = metric_named(&experiment->metrics, view_get(floor, "metric"));
        visible_add(
            json,
            said(experiment->texts,
                 "noise floor, %s: %s (what the baseline measured against itself still allows)",
                 place == experiment->metrics.count ? "?" : experiment->metrics.item[place].words,
                 number_percent(view_real(floor, "floor"), ROOM)));
    }
}

// How many comparisons that decide say what: "2 slower, 1 same"; of a single one its word.
static const char *relations_text(const struct experiment *experiment)
{
    static const char *const words[] = {"slower", "worse", "faster", "better", "same", "undecided"};
    const char *last = "", *text = "";
    size_t sum = 0;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t count = 0;
        EACH_VALUE (item, experiment->comparisons)
            count += view_holds(item, "decides") && view_matches(item, "verdict", words[i]);
        if (count == 0)
            continue;
        text = joined(experiment->texts, text, ", ",
                      said(experiment->texts, "%zu %s", count, words[i]));
        last = words[i];
        sum += count;
    }
    return sum == 1 ? last : text;
}

// The answer to what the ratios are held to, and for which metrics.
static void put_gate(struct line *json, const struct experiment *experiment)
{
    const char *limits = limits_text(experiment),
               *why = view_joined(experiment->texts, view_get(experiment->gate, "why"), ", ");
    const char *word = view_string(experiment->verdict) ?: view_text(experiment->gate, "verdict");
    const char *relations =
        isnan(limit_of(experiment, LIMIT_SAME)) ? "" : relations_text(experiment);
    if (!word || !limits)
        return;
    // That it is decided is said by what is known.
    const char *answer = strcmp(word, "decided") == 0 && *relations != '\0' ? relations : word;
    const char *more = strcmp(answer, relations) == 0 ? "" : relations;
    // What would decide it.
    const char *advice = view_text(experiment->gate, "text");
    visible_add(json,
                said(experiment->texts, "%s%s: %s%s%s%s%s%s%s%s", limits, gate_metrics(experiment),
                     answer, why ? " because of " : "", why ?: "", *more == '\0' ? "" : " (", more,
                     *more == '\0' ? "" : ")", advice ? ": " : "", advice ?: ""));
}

// The command; of variants their names.
static const char *headline(const struct experiment *experiment)
{
    const struct value *variants = experiment->variants;
    const char *text = NULL;
    EACH_VALUE (item, variants)
        text = joined(experiment->texts, text,
                      item == view_next(variants, view_first(variants)) ? " against " : ", ",
                      view_text(item, "name") ?: "?");
    return text ?: command_text(experiment->texts, experiment->command);
}

char *table_of(const struct experiment *experiment)
{
    struct line made = {0}, *json = &made;
    line_object(json, NULL);
    visible_put(json, "command", headline(experiment));
    put_title(json, experiment);
    answer_put(json, "answers", experiment);
    answer_put_next(json, experiment);
    LINE_ARRAY (json, "first") // what others cost: said before the table
        EACH_VALUE (item, experiment->conditions)
            others_say(json, view_text(item, "name"), view_path(item, "time", "others"));
    put_conditions(json, experiment);
    put_metrics(json, experiment);
    variants_put(json, experiment, false);
    capacity_put(json, experiment);
    protection_put(json, experiment);
    line_array(json, "lines");
    put_variants(json, experiment);
    put_gains(json, experiment);
    put_times(json, experiment);
    service_put_lines(json, experiment, NULL);
    EACH_VALUE (item, experiment->conditions)
        visible_add(json, row_star(experiment->texts, item, view_text(item, "name") ?: "?"));
    put_seldom(json, experiment, experiment->slowdowns);
    put_seldom(json, experiment, experiment->comparisons);
    put_floors(json, experiment);
    put_gate(json, experiment);
    line_close(json);
    put_details(json, experiment);
    put_outliers(json, experiment);
    line_bool(json, "loaded", view_first(experiment->slowdowns) != NULL);
    return json_text_end(&made);
}
