// Tables of means and variances by parameter and load, for reports that consist of chosen tables.
#include "report.h"

// ---- moments

struct moments moments_of(const struct value *condition)
{
    struct moments moments = {.runs = view_number(view_get(condition, "runs"), 0)};
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct value *figure = view_get(condition, metrics[i].name);
        moments.mean[i] = view_real(figure, "mean");
        moments.variance[i] = view_real(figure, "variance");
    }
    return moments;
}

// The sum of squares about the mean of so many runs.
static double squares(double runs, double variance)
{
    return runs > 1 ? (runs - 1) * variance : 0;
}

// As if the runs of both had been one sample.
static void pool(struct moments *to, const struct moments *more)
{
    const double runs = to->runs + more->runs;
    if (more->runs < 1)
        return;
    if (to->runs < 1) {
        *to = *more;
        return;
    }
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const double apart = more->mean[i] - to->mean[i];
        to->variance[i] =
            (squares(to->runs, to->variance[i]) + squares(more->runs, more->variance[i]) +
             apart * apart * to->runs * more->runs / runs) /
            (runs - 1);
        to->mean[i] += apart * more->runs / runs;
    }
    to->runs = runs;
}

// ---- the tables

struct table_of_means {
    const struct report_line *line; // of one target
    size_t count;
    struct mean_units units;
    struct arena *texts;
    struct {
        const char **item;
        size_t count, allocated;
    } parameters;                // their names
    bool variants, hosts, rates; // has a column for them
};

// Whether two lines are of the same program with the same parameters on the same node: such
// baselines are runs of the same thing.
static bool same_program(const struct report_line *a, const struct report_line *b)
{
    return strcmp(a->same, b->same) == 0 && compare_texts(a->variant, b->variant) == 0 &&
           compare_texts(a->host, b->host) == 0;
}

static bool same_load(const struct report_line *a, const struct report_line *b)
{
    return strcmp(a->load, b->load) == 0 && strcmp(a->level, b->level) == 0;
}

// Lines of one experiment share their baseline.
static bool same_baseline(const struct report_line *a, const struct report_line *b)
{
    return a->experiment == b->experiment && strcmp(a->reference, b->reference) == 0;
}

static const char *parameter_of(const struct table_of_means *table, const struct report_line *line,
                                const char *name)
{
    struct view view = {0};
    const struct value *all =
        line->parameters ? view_parse(&view, line->parameters, strlen(line->parameters)) : NULL;
    const char *text = view_get(all, name) ? view_plain(table->texts, view_get(all, name)) : "-";
    text = kept(table->texts, text);
    view_free(&view);
    return text;
}

static void find_parameters(struct table_of_means *table, const struct report_line *line)
{
    struct view view = {0};
    if (!line->parameters)
        return;
    EACH_VALUE (item, view_parse(&view, line->parameters, strlen(line->parameters))) {
        bool known = false;
        for (size_t i = 0; i < table->parameters.count && !known; i++)
            known = strcmp(table->parameters.item[i], item->key) == 0;
        if (!known)
            MORE(&table->parameters) = kept(table->texts, item->key);
    }
    view_free(&view);
}

static void find_columns(struct table_of_means *table)
{
    for (size_t i = 0; i < table->count; i++) {
        const struct report_line *line = &table->line[i];
        find_parameters(table, line);
        // Of a program without parameters the label names it.
        table->variants = table->variants || (line->variant && table->parameters.count > 0);
        table->hosts = table->hosts || compare_texts(line->host, table->line[0].host) != 0;
        table->rates = table->rates || line->rate;
    }
}

static void put_column(struct line *json, const char *title, const char *group, const char *unit)
{
    line_object(json, NULL);
    visible_put(json, "title", title);
    line_text(json, "group", group);
    line_text(json, "unit", unit);
    line_bool(json, "left", !group && strcmp(title, "runs") != 0);
    line_close(json);
}

static void put_columns(struct line *json, const struct table_of_means *table)
{
    line_array(json, "columns");
    if (table->parameters.count == 0)
        put_column(json, "program", NULL, NULL);
    for (size_t i = 0; i < table->parameters.count; i++)
        put_column(json, table->parameters.item[i], NULL, NULL);
    if (table->variants)
        put_column(json, "variant", NULL, NULL);
    if (table->hosts)
        put_column(json, "node", NULL, NULL);
    put_column(json, "load", NULL, NULL);
    if (table->rates)
        put_column(json, "rate", NULL, NULL);
    put_column(json, "runs", NULL, NULL);
    for (unsigned squared = 0; squared < 2; squared++)
        for (unsigned i = 0; i < METRIC_COUNT; i++) {
            const char *unit = mean_unit_for(&table->units, i)->name;
            put_column(json, i == METRIC_MEMORY ? "mem" : metrics[i].title,
                       squared ? "Variance" : "Mean",
                       squared ? said(table->texts, "%s²", unit) : unit);
        }
    line_close(json);
}

// What is too wide for a column has an exponent.
static const char *figure_fixed(struct arena *texts, double value, int decimals)
{
    enum { WIDEST = 9 };
    const char *text = kept(texts, number_fixed(value, decimals, ROOM));
    return strlen(text) > WIDEST ? kept(texts, number_scientific(value, ROOM)) : text;
}

static void put_figures(struct line *json, const struct table_of_means *table,
                        const struct moments *moments)
{
    for (unsigned squared = 0; squared < 2; squared++)
        for (unsigned i = 0; i < METRIC_COUNT; i++) {
            const struct mean_unit *unit = mean_unit_for(&table->units, i);
            const double value = squared ? moments->variance[i] * unit->factor * unit->factor
                                         : moments->mean[i] * unit->factor;
            line_text(json, NULL, figure_fixed(table->texts, value, unit->decimals));
        }
}

static void put_row(struct line *json, const struct table_of_means *table,
                    const struct report_line *line, const char *load, const char *rate,
                    const struct moments *moments)
{
    if (moments->runs < 1)
        return;
    line_array(json, NULL);
    if (table->parameters.count == 0)
        visible_add(json, line->label);
    for (size_t i = 0; i < table->parameters.count; i++)
        visible_add(json, parameter_of(table, line, table->parameters.item[i]));
    if (table->variants)
        visible_add(json, line->variant ?: "-");
    if (table->hosts)
        visible_add(json, line->host ?: "-");
    visible_add(json, load);
    if (table->rates)
        visible_add(json, rate ?: "-");
    line_text(json, NULL, number_fixed(moments->runs, 0, ROOM));
    put_figures(json, table, moments);
    line_close(json);
}

// All runs without load of the line's program.
static struct moments pooled_alone(const struct table_of_means *table, const struct report_line *of)
{
    struct moments all = {0};
    for (const struct report_line *line = table->line; line < table->line + table->count; line++) {
        bool again = !same_program(line, of);
        for (const struct report_line *other = table->line; other < line && !again; other++)
            again = same_baseline(other, line);
        if (!again)
            pool(&all, &line->alone);
    }
    return all;
}

// All runs of the line's program under its load; *rate: of the load, where it always was the same.
static struct moments pooled_loaded(const struct table_of_means *table,
                                    const struct report_line *of, const char **rate)
{
    struct moments all = {0};
    *rate = of->rate;
    for (const struct report_line *line = table->line; line < table->line + table->count; line++) {
        if (!line->is_loaded || !same_program(line, of) || !same_load(line, of) ||
            line->loaded.runs < 1)
            continue;
        pool(&all, &line->loaded);
        if (compare_texts(line->rate, *rate) != 0)
            *rate = "varies";
    }
    return all;
}

static bool is_first(const struct table_of_means *table, const struct report_line *of, bool loaded)
{
    for (const struct report_line *line = table->line; line < of; line++)
        if (same_program(line, of) && (!loaded || (line->is_loaded && same_load(line, of))))
            return false;
    return true;
}

// A program's row without load, and one for each load and level.
static void put_program(struct line *json, const struct table_of_means *table,
                        const struct report_line *of)
{
    const struct moments alone = pooled_alone(table, of);
    put_row(json, table, of, "-", NULL, &alone);
    for (const struct report_line *line = of; line < table->line + table->count; line++) {
        const char *rate, *level = strcmp(line->level, "-") == 0 ? "" : line->level;
        if (!line->is_loaded || !same_program(line, of) || !is_first(table, line, true))
            continue;
        const struct moments loaded = pooled_loaded(table, line, &rate);
        const char *load = said(table->texts, "%s%s%s", line->load, *level ? " " : "", level);
        put_row(json, table, line, load, rate, &loaded);
    }
}

static void put_target(struct line *json, struct table_of_means *table)
{
    find_columns(table);
    line_object(json, NULL);
    visible_put(json, "target", table->line[0].target);
    put_columns(json, table);
    LINE_ARRAY (json, "rows")
        for (size_t i = 0; i < table->count; i++)
            if (is_first(table, &table->line[i], false))
                put_program(json, table, &table->line[i]);
    line_close(json);
}

void means_put(struct line *json, struct collected *collected, const char *unit_names)
{
    const size_t count = collected->lines.count;
    const struct report_line *line = collected->lines.item;
    LINE_ARRAY (json, "means")
        for (size_t start = 0, end; start < count; start = end) {
            for (end = start + 1; end < count && strcmp(line[end].target, line[start].target) == 0;)
                end++;
            struct table_of_means table = {.line = &line[start],
                                           .count = end - start,
                                           .units = mean_units_of(unit_names),
                                           .texts = &collected->texts};
            put_target(json, &table);
            free(table.parameters.item);
        }
}
