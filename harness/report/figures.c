#include "figures.h"

#include "capacity.h"
#include "csv.h"
#include "experiment.h"
#include "legend.h"

#include "common/memory.h"
#include "common/text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char figures_columns[] =
    "\"cell\",\"experiment\",\"target\",\"label\",\"parameters\",\"command\",\"load\",\"level\","
    "\"spec\",\"host\",\"session\",\"sessions\",\"state\",\"condition\",\"role\",\"metric\","
    "\"unit\",\"runs\",\"mean\",\"variance\",\"stddev\",\"median\",\"min\",\"max\",\"statistic\","
    "\"center\",\"set_aside\",\"ci_low\",\"ci_high\",\"error\",\"ci_robust_low\","
    "\"ci_robust_high\",\"constant\",\"outliers\",\"confidence\",\"interval_level\","
    "\"converged\",\"stop_reason\",\"slowdown\",\"slowdown_ci_low\",\"slowdown_ci_high\","
    "\"slowdown_error\",\"pairs\",\"distinguishable\",\"p\",\"q\",\"survives\",\"noise_floor\","
    "\"offered\",\"achieved\",\"load_unit\",\"late\",\"dropped\",\"load_cpu_s\",\"flags\","
    "\"better\",\"variant\",\"of_alone\",\"reference_variant\",\"ratio_to_reference\","
    "\"ratio_to_reference_ci_low\",\"ratio_to_reference_ci_high\",\"ratio_to_reference_p\","
    "\"verdict\",\"gate\",\"interaction\",\"interaction_ci_low\",\"interaction_ci_high\","
    "\"interaction_p\",\"typical\",\"typical_ci_low\",\"typical_ci_high\",\"mean_ratio\","
    "\"mean_ratio_ci_low\",\"mean_ratio_ci_high\",\"stragglers\",\"stragglers_of_reference\","
    "\"stragglers_p\"";

/* What a line is of. */
struct figure {
    const struct cell *cell;
    const struct value *summary; /* of the condition */
    bool loaded;
    const char *metric;
    const struct value *of;       /* {mean, variance, ...}; NULL: a capacity has none of these */
    const struct value *capacity; /* of the condition; NULL: it is a figure of runs */
};

static void put_members(struct csv *csv, const struct value *object, const char *const *members,
                        size_t count)
{
    for (size_t i = 0; i < count; i++)
        csv_value(csv, view_get(object, members[i]));
}

#define PUT_MEMBERS(csv, object, ...)                                                              \
    put_members(csv, object, (const char *const[]){__VA_ARGS__},                                   \
                sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *))

/* Both bounds of an interval, a list. */
static void put_bounds(struct csv *csv, const struct value *interval)
{
    const struct value *low = view_first(interval);
    csv_value(csv, low);
    csv_value(csv, low == NULL ? NULL : view_next(interval, low));
}

/* The JSON of a value, as text. */
static void put_json(struct csv *csv, const struct value *value, const char *otherwise)
{
    char *text = value == NULL ? must(strdup(otherwise)) : must(view_copy(value));
    csv_text(csv, text);
    free(text);
}

static void put_names(struct csv *csv, const struct cell *cell)
{
    const struct experiment *of = cell->of;
    const struct origin origin = cell_origin(cell);
    csv_text(csv, cell->name);
    csv_text(csv, of->name);
    csv_text(csv, cell->target);
    csv_text(csv, cell->label);
    put_json(csv, cell->parameters, "{}");
    put_json(csv, cell->command, "null");
    csv_text(csv, cell->load);
    csv_text(csv, cell->level);
    csv_text(csv, cell->spec);
    csv_text(csv, origin.host);
    csv_number(csv, origin.session);
    csv_number(csv, origin.sessions);
    csv_text(csv, of->state);
}

static void put_unit(struct csv *csv, const struct figure *figure)
{
    const struct value *unit = figure->capacity == NULL
                                   ? view_get(figure->of, "unit")
                                   : view_path(figure->cell->of->result.top, "capacity", "unit");
    if (unit != NULL && unit->type != VIEW_NULL)
        csv_value(csv, unit);
    else
        csv_text(csv, text_ends(figure->metric, "_s")       ? "s"
                      : text_ends(figure->metric, "_bytes") ? "B"
                                                            : "");
}

static void put_summary(struct csv *csv, const struct figure *figure)
{
    const struct value *of = figure->of, *one = figure->capacity;
    const struct experiment *experiment = figure->cell->of;
    csv_value(csv, view_get(figure->summary, "runs"));
    PUT_MEMBERS(csv, of, "mean", "variance", "stddev", "median", "min", "max", "statistic");
    csv_value(csv, one == NULL ? view_get(of, "center") : view_get(one, "value"));
    csv_value(csv, view_get(of, "set_aside"));
    put_bounds(csv, view_get(one == NULL ? of : one, "ci"));
    csv_value(csv, view_get(one == NULL ? of : one, "error"));
    put_bounds(csv, view_get(of, "ci_robust"));
    PUT_MEMBERS(csv, of, "constant", "outliers");
    csv_value(csv, view_get(experiment->settings, "confidence"));
    csv_number(csv,
               one == NULL
                   ? legend_of(experiment).level
                   : view_number(view_path(experiment->result.top, "capacity", "confidence"), NAN));
    PUT_MEMBERS(csv, figure->summary, "converged", "stop_reason");
}

/* The slowdown of the figure's metric; NULL: it has none. */
static const struct value *slowdown_of_figure(const struct figure *figure)
{
    const struct cell *cell = figure->cell;
    return figure->loaded && figure->capacity == NULL && cell->condition != NULL
               ? slowdown_of(cell->of, cell->condition, figure->metric)
               : NULL;
}

static void put_slowdown(struct csv *csv, const struct figure *figure)
{
    const struct cell *cell = figure->cell;
    const struct value *slowdown = slowdown_of_figure(figure);
    csv_value(csv, view_get(slowdown, "ratio"));
    put_bounds(csv, view_get(slowdown, "ci"));
    PUT_MEMBERS(csv, slowdown, "error", "pairs", "distinguishable", "p");
    csv_number(csv, slowdown == NULL ? NAN : family_q_of(cell->of->family, slowdown));
    csv_plain(csv, slowdown == NULL                              ? ""
                   : family_survives(cell->of->family, slowdown) ? "true"
                                                                 : "false");
    csv_number(csv, slowdown != NULL && cell->slowdown != NULL &&
                            strcmp(figure->metric, metrics[METRIC_WALL].name) == 0
                        ? cell->noise_floor
                        : NAN);
}

/* The load that was delivered, and what is to be known of the cell. */
static void put_load(struct csv *csv, const struct figure *figure)
{
    const struct cell *cell = figure->cell;
    char *flags = must(strdup(""));
    PUT_MEMBERS(csv, figure->loaded ? cell->load_entry : NULL, "offered", "achieved", "unit",
                "late", "dropped", "cpu_s");
    for (size_t i = 0; i < cell->flag_count; i++) {
        char *longer = text_of("%s%s%s", flags, i == 0 ? "" : " ", cell->flags[i]);
        free(flags);
        flags = longer;
    }
    csv_text(csv, flags);
    free(flags);
}

/* The comparison, or interaction, of the cell's variant, alone or under its load. */
static const struct value *entry_of(const struct figure *figure, const char *list)
{
    const struct cell *cell = figure->cell;
    const struct value *condition =
        experiment_condition(cell->of, figure->loaded ? cell->condition : cell->reference);
    return figure->capacity != NULL ? NULL
                                    : comparison_of(cell->of, list, view_get(condition, "variant"),
                                                    view_get(condition, "load"), figure->metric);
}

/* How many times as large the figure is as alone: the slowdown, or 1 over it where higher is
 * better. */
static void put_of_alone(struct csv *csv, const struct figure *figure)
{
    const struct value *ratio = view_get(slowdown_of_figure(figure), "ratio");
    if (figure->capacity != NULL)
        csv_value(csv, view_get(figure->capacity, "of_reference"));
    else if (view_is(ratio, VIEW_NUMBER) && view_equals(view_get(figure->of, "better"), "higher"))
        csv_number(csv, 1 / view_number(ratio, NAN));
    else
        csv_value(csv, ratio);
}

static void put_comparison(struct csv *csv, const struct figure *figure)
{
    const struct value *comparison = entry_of(figure, "comparisons");
    const struct value *interaction = entry_of(figure, "interactions");
    const struct value *better = view_get(figure->of, "better");
    if (view_is(better, VIEW_STRING))
        csv_value(csv, better);
    else
        csv_text(csv, figure->capacity != NULL ? "higher" : "lower");
    csv_text(csv, figure->cell->variant);
    put_of_alone(csv, figure);
    PUT_MEMBERS(csv, comparison, "reference_variant", "ratio");
    put_bounds(csv, view_get(comparison, "ci"));
    PUT_MEMBERS(csv, comparison, "p", "verdict", "gate");
    csv_value(csv, view_get(interaction, "ratio"));
    put_bounds(csv, view_get(interaction, "ci"));
    csv_value(csv, view_get(interaction, "p"));
}

/* What typically happens, and what seldom does: of the slowdown, else of the comparison. */
static void put_answers(struct csv *csv, const struct figure *figure)
{
    const struct value *slowdown = slowdown_of_figure(figure);
    const struct value *of = slowdown == NULL ? entry_of(figure, "comparisons") : slowdown;
    csv_value(csv, view_path(of, "typical", "ratio"));
    put_bounds(csv, view_path(of, "typical", "ci"));
    csv_value(csv, view_path(of, "mean", "ratio"));
    put_bounds(csv, view_path(of, "mean", "ci"));
    csv_value(csv, view_get(view_path(of, "stragglers", "own"), "runs"));
    csv_value(csv, view_get(view_path(of, "stragglers", "reference"), "runs"));
    csv_value(csv, view_path(of, "stragglers", "p"));
}

static void put_figure(struct csv *csv, const struct figure *figure)
{
    const struct cell *cell = figure->cell;
    put_names(csv, cell);
    csv_text(csv, figure->loaded ? cell->condition : cell->reference);
    csv_text(csv, figure->loaded ? "loaded" : "baseline");
    csv_text(csv, figure->metric);
    put_unit(csv, figure);
    put_summary(csv, figure);
    put_slowdown(csv, figure);
    put_load(csv, figure);
    put_comparison(csv, figure);
    put_answers(csv, figure);
    csv_end(csv);
}

/* All figures that have a mean: the main ones, and those of --metric. */
static void put_figures(struct csv *csv, struct figure figure, const struct value *list)
{
    for (const struct value *item = view_first(list); item != NULL; item = view_next(list, item)) {
        if (!view_is(item, VIEW_OBJECT) || view_get(item, "mean") == NULL)
            continue;
        char *name = must(strndup(item->key, item->key_length));
        figure.metric = name;
        figure.of = item;
        put_figure(csv, &figure);
        free(name);
    }
}

/* A capacity takes the place of figures: its runs are at different rates. */
static void put_capacity(struct csv *csv, struct figure figure)
{
    const struct cell *cell = figure.cell;
    const char *name = figure.loaded ? cell->condition : cell->reference;
    figure.metric = "capacity";
    figure.capacity = name == NULL
                          ? NULL
                          : view_entry(view_path(cell->of->result.top, "capacity", "by_condition"),
                                       "condition", name);
    if (figure.capacity != NULL)
        put_figure(csv, &figure);
}

static void put_condition(struct csv *csv, const struct cell *cell, bool loaded)
{
    const struct figure figure = {
        .cell = cell, .summary = loaded ? cell->loaded : cell->baseline, .loaded = loaded};
    if (figure.summary == NULL)
        return;
    if (capacity_searched(cell->of)) {
        put_capacity(csv, figure);
        return;
    }
    put_figures(csv, figure, figure.summary);
    put_figures(csv, figure, view_get(figure.summary, "metrics"));
}

char *figures_of(const struct cell *cell)
{
    char *text = NULL;
    size_t size = 0;
    struct csv csv = {.file = must(open_memstream(&text, &size))};
    put_condition(&csv, cell, false);
    put_condition(&csv, cell, true);
    if (fclose(csv.file) != 0)
        must(NULL);
    if (size > 0)
        text[size - 1] = '\0'; /* who prints it ends the line */
    return text;
}
