// A cell as a format reads it: as in jostle.report/1, or as texts.
#include "report.h"

// ---- the model

// Members that are objects of a record, without two of theirs.
static void put_without(struct line *json, const char *name, const struct value *object,
                        const char *first, const char *second)
{
    if (!line_object_if(json, name, object != NULL))
        return;
    EACH_VALUE (item, object) {
        if (strcmp(item->key, first) != 0 && strcmp(item->key, second) != 0)
            view_put(json, item->key, item);
    }
}

static void put_slowdowns(struct line *json, const struct cell *cell)
{
    put_without(json, "slowdown", cell->slowdown, "attribution", "condition");
    if (cell->slowdown) {
        line_real(json, "noise_floor", cell->noise_floor);
        family_put_ratio(json, cell->of, cell->slowdown);
        line_close(json);
    }
    line_array(json, "all_slowdowns");
    const struct value *all = cell->of->slowdowns;
    for (const struct value *item = NULL; cell->condition && view_each(all, &item);)
        if (view_matches(item, "condition", cell->condition)) {
            put_without(json, NULL, item, "attribution", "condition");
            family_put_ratio(json, cell->of, item);
            line_close(json);
        }
    line_close(json);
}

// The comparisons, or interactions, of the cell's variant: alone, and under its load.
static void put_of_variant(struct line *json, const char *name, const struct value *list,
                           const struct cell *cell)
{
    const struct value *load = view_get(experiment_condition(cell->of, cell->condition), "load");
    const struct value *variant =
        view_get(experiment_condition(cell->of, cell->reference), "variant");
    LINE_ARRAY (json, name)
        EACH_VALUE (item, list) {
            if (!comparison_is_of(item, variant, NULL) && !comparison_is_of(item, variant, load))
                continue;
            put_without(json, NULL, item, "text", "variant");
            family_put_ratio(json, cell->of, item);
            line_close(json);
        }
}

static void put_achieved(struct line *json, const struct cell *cell)
{
    static const char *const members[] = {"unit",    "offered", "achieved", "late",
                                          "dropped", "cpu_s",   NULL};
    if (!line_object_if(json, "achieved", cell->load_entry != NULL))
        return;
    view_put_members(json, cell->load_entry, members);
    line_bool(json, "short", cell->is_short);
    view_put(json, "loads", view_get(cell->loaded, "load"));
    line_close(json);
}

static void put_warnings(struct line *json, const struct cell *cell)
{
    LINE_ARRAY (json, "warnings")
        EACH_VALUE (item, cell->of->warnings) {
            if (!warning_is_of(item, cell->reference, cell->condition, true))
                continue;
            line_object(json, NULL);
            line_text(json, "flag", view_text(item, "flag"));
            line_text(json, "severity", warning_is_problem(item) ? "problem" : "note");
            view_put(json, "condition", view_get(item, "condition"));
            view_put(json, "metric", view_get(item, "metric"));
            line_text(json, "message", warning_text(cell->of->texts, item));
            if (view_get(item, "runs"))
                view_put(json, "runs", view_get(item, "runs"));
            else
                line_raw(json, "runs", "[]");
            line_close(json);
        }
    LINE_ARRAY (json, "flags")
        for (size_t i = 0; i < cell->flag_count; i++)
            line_text(json, NULL, cell->flags[i]);
}

static void put_names(struct line *json, const struct cell *cell)
{
    const struct experiment *of = cell->of;
    const struct origin origin = cell_origin(cell);
    line_text(json, "name", cell->name);
    line_text(json, "experiment", of->name);
    line_text(json, "target", cell->target);
    line_text(json, "label", cell->label);
    line_text(json, "main", cell->main->name);
    line_text(json, "row", cell->row);
    if (cell->parameters)
        view_put(json, "parameters", cell->parameters);
    else
        line_raw(json, "parameters", "{}");
    view_put(json, "command", cell->command);
    line_text(json, "variant", cell->variant);
    line_text(json, "load", cell->load);
    line_text(json, "level", cell->level);
    line_text(json, "condition", cell->condition);
    line_text(json, "spec", cell->spec);
    line_text(json, "reference", cell->reference);
    if (of->is_session || of->sessions > 0) {
        line_real(json, "session", origin.session);
        line_count(json, "sessions", origin.sessions);
    }
    line_text(json, "host", origin.host);
    line_text(json, "kind", cell->kind);
    line_text(json, "state", of->state);
    line_text(json, "reason", of->reason);
    line_text(json, "started", of->runs.started);
}

// The used runs of a condition: {"times": [..], "memory_usage_byte": [..], "exit_codes": [..]}
static void put_runs(struct line *json, const struct experiment *of, const char *name)
{
    static const char *const lists[] = {"times", "memory_usage_byte", "exit_codes"};
    const struct runs *runs = &of->runs;
    const size_t condition = runs_condition(runs, name);
    LINE_OBJECT (json, name)
        for (size_t list = 0; list < 3; list++)
            LINE_ARRAY (json, lists[list])
                for (size_t i = 0; i < runs->count; i++)
                    if (runs->item[i].used && runs->item[i].condition == condition)
                        line_real(json, NULL,
                                  list == 0   ? runs_value(of, i, METRIC_WALL)
                                  : list == 1 ? runs_value(of, i, METRIC_MEMORY)
                                              : runs->item[i].exit_code);
}

static char *model_of(const struct cell *cell, bool lists)
{
    const struct experiment *of = cell->of;
    struct line json = {0};
    line_object(&json, NULL);
    put_names(&json, cell);
    view_put(&json, "settings", of->settings);
    line_real(&json, "interval_level", legend_of(of).level);
    put_without(&json, "baseline", cell->baseline, "name", "load");
    line_close(&json);
    put_without(&json, "loaded", cell->loaded, "name", "load");
    if (cell->loaded)
        line_close(&json);
    put_slowdowns(&json, cell);
    if (cell->variant) {
        put_of_variant(&json, "comparisons", of->comparisons, cell);
        put_of_variant(&json, "interactions", of->interactions, cell);
        view_put(&json, "gate", of->gate);
    }
    view_put(&json, "capacity", of->capacity);
    view_put(&json, "protection", of->protection);
    put_achieved(&json, cell);
    view_put(&json, "attribution",
             view_get(slowdown_of(of, cell->condition, metrics[METRIC_WALL].name), "attribution"));
    if (view_is(of->machine, VIEW_OBJECT))
        view_put(&json, "machine", of->machine);
    put_warnings(&json, cell);
    if (!lists)
        return json_text_end(&json);
    line_object(&json, "runs");
    put_runs(&json, of, cell->reference);
    if (cell->condition)
        put_runs(&json, of, cell->condition);
    return json_text_end(&json);
}

// ---- texts

static struct row row_of(const struct cell *cell)
{
    return (struct row){.of = cell->of,
                        .cell = cell,
                        .metric = cell->main,
                        .baseline = cell->baseline,
                        .condition = cell->loaded,
                        .slowdown = cell->slowdown};
}

// The metrics of --metric besides the main one, a row for each.
static void put_other_metrics(struct line *json, const struct cell *cell, bool page)
{
    LINE_ARRAY (json, "metrics")
        for (size_t i = 0; i < cell->of->metrics.count; i++) {
            if (!row_has_metric(cell->of, i))
                continue;
            const struct quantity *metric = &cell->of->metrics.item[i];
            struct row row = row_of(cell);
            row.metric = metric;
            row.slowdown = slowdown_of(cell->of, cell->condition, metric->name);
            columns_put_row(json, TABLE_CELL_METRICS, &row, row.slowdown);
            if (page) { // for its table of answers
                line_real(json, "ratio_value", view_real(row.slowdown, "ratio"));
                page_put_ratio(json, row.slowdown);
                survives_put(json, cell->of, row.slowdown);
            }
            line_close(json);
        }
}

// What is said on a cell below its table, each with who it is of.
static void put_lines(struct line *json, const struct cell *cell, bool first)
{
    struct arena *texts = cell->of->texts;
    const char *row = shown(texts, cell->row), *who = said(texts, "%s, %s", row, row_load(cell));
    if (!isnan(cell->noise_floor))
        visible_put(json, "floor",
                    said(texts,
                         "%s: the noise floor is %s: the baseline measured against itself "
                         "(A/A) still allows that much",
                         row, number_percent(cell->noise_floor, ROOM)));
    line_array(json, "lines");
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        const struct value *condition = loaded ? cell->loaded : cell->baseline,
                           *time = view_get(condition, "time");
        const char *what = said(texts, "%s, %s", who, loaded ? "under load" : "alone");
        visible_add(json, row_star(texts, condition, what));
        if (!first && !loaded)
            continue;
        // What its time was made of.
        others_say(json, what, view_get(time, "others"));
        row_say(json, what, view_text(time, "text"));
    }
    for (size_t i = 0; i < cell->of->metrics.count; i++)
        row_say(json, who,
                ratio_direction(cell->of, slowdown_of(cell->of, cell->condition,
                                                      cell->of->metrics.item[i].name)));
    row_say(json, who, sessions_text(texts, cell->slowdown));
    row_say(json, who, view_text(cell->slowdown, "seldom"));
    row_say(json, who, row_attribution_words(cell));
    if (first)
        service_put_lines(json, cell->of, row);
    line_close(json);
}

// Runs, mean and variance of each metric, in the unit of the table; and what a condition's wall
// time is besides: the outliers, and the interval that also holds where runs depend on each other.
static void put_means(struct line *json, const char *name, const struct cell *cell,
                      const struct value *condition)
{
    const struct value *figures = cell->of->capacity ? NULL : condition,
                       *wall = view_get(figures, metrics[METRIC_WALL].name),
                       *robust = view_get(wall, "ci_robust"), *low = view_first(robust);
    if (!line_object_if(json, name, condition != NULL))
        return;
    line_text(json, "runs", number_fixed(view_real(condition, "runs"), 0, ROOM));
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct value *metric = view_get(figures, metrics[i].name);
        const double factor = metrics[i].table_factor;
        line_object(json, metrics[i].title);
        line_text(json, "mean", number_significant(view_real(metric, "mean") * factor, ROOM));
        line_text(json, "variance",
                  number_significant(view_real(metric, "variance") * factor * factor, ROOM));
        line_close(json);
    }
    line_text(json, "outliers", number_fixed(view_real(wall, "outliers"), 0, ROOM));
    visible_put(json, "robust",
                !low ? "-"
                     : said(cell->of->texts, "[%s, %s]",
                            number_significant(view_number(low, NAN), ROOM),
                            number_significant(view_number(view_next(robust, low), NAN), ROOM)));
    line_close(json);
}

static char *row_texts(const struct cell *cell, bool page, bool first)
{
    struct line json = {0};
    const struct row row = row_of(cell);
    columns_put_row(&json, TABLE_CELLS, &row, cell->slowdown);
    visible_put(&json, "target", cell->target);
    line_text(&json, "experiment", cell->of->name);
    visible_put(&json, "variant", cell->variant);
    visible_put(&json, "load", cell->load);
    visible_put(&json, "level", cell->level);
    visible_put(&json, "condition", cell->condition);
    line_text(&json, "state", cell->of->state);
    line_text(&json, "started", cell->of->runs.started);
    visible_put(&json, "host", cell->host);
    visible_put(&json, "main", cell->main->words);
    survives_put(&json, cell->of, cell->slowdown);
    line_bool(&json, "short", cell->is_short);
    row_warnings(&json, cell->of, cell->reference, cell->condition, true);
    put_other_metrics(&json, cell, page);
    put_lines(&json, cell, first);
    put_means(&json, "alone", cell, cell->baseline);
    put_means(&json, "loaded", cell, cell->loaded);
    if (first) {
        variants_put(&json, cell->of, page);
        capacity_put(&json, cell->of);
        protection_put(&json, cell->of);
    }
    checks_put(&json, cell, first);
    if (page)
        page_put(&json, cell, first);
    return json_text_end(&json);
}

char *cell_text(const struct cell *cell, const struct wanted *wanted, bool first)
{
    if (wanted->rows)
        return row_texts(cell, wanted->page, first);
    return wanted->figures ? figures_of(cell) : model_of(cell, wanted->lists);
}
