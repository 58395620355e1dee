#include "cell_row.h"

#include "capacity.h"
#include "checks.h"
#include "columns.h"
#include "experiment.h"
#include "figure.h"
#include "ratio.h"
#include "reproduce.h"
#include "row.h"
#include "service.h"
#include "sessions.h"
#include "variants.h"
#include "visible.h"

#include "common/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static double number_of(const struct value *object, const char *key)
{
    return view_number(view_get(object, key), NAN);
}

static struct row row_of(const struct cell *cell)
{
    return (struct row){.of = cell->of,
                        .cell = cell,
                        .metric = cell->main,
                        .baseline = cell->baseline,
                        .condition = cell->loaded,
                        .slowdown = cell->slowdown};
}

/* What the page's table of answers needs of a metric: the ratio with as many decimals as its
 * interval deserves. */
static void put_ratio(struct line *json, const struct cell *cell, const struct metric *metric)
{
    const struct value *slowdown = slowdown_of(cell->of, cell->condition, metric->name);
    const double ratio = number_of(slowdown, "ratio"), low = figure_bound(slowdown, false),
                 high = figure_bound(slowdown, true);
    const int decimals = ratio_decimals(low, high);
    char text[NUMBER_SIZE];
    line_real(json, "ratio_value", ratio);
    line_text(json, "ratio", isnan(ratio) ? NULL : number_fixed(ratio, decimals, text));
    line_text(json, "interval",
              isnan(low) ? "no interval" : number_interval(low, high, decimals, text));
    line_bool(json, "survives", family_survives(cell->of->family, slowdown));
}

/* The metrics of --metric besides the main one, a row for each. */
static void put_metrics(struct line *json, const struct cell *cell, bool page)
{
    line_array(json, "metrics");
    for (size_t i = 0; i < cell->of->metrics.count; i++) {
        if (!row_has_metric(cell->of, i))
            continue;
        const struct metric *metric = &cell->of->metrics.item[i];
        struct row row = row_of(cell);
        row.metric = metric;
        row.slowdown = slowdown_of(cell->of, cell->condition, metric->name);
        line_object(json, NULL);
        columns_put_texts(json, TABLE_CELL_METRICS, &row);
        view_put(json, "distinguishable", view_get(row.slowdown, "distinguishable"));
        if (page)
            put_ratio(json, cell, metric);
        line_close(json);
    }
    line_close(json);
}

/* Where the extra time went, without the condition's name; to be freed. NULL: not known. */
static char *attribution_words(const struct cell *cell)
{
    const struct value *slowdown =
        slowdown_of(cell->of, cell->condition, metrics[METRIC_WALL].name);
    char *text = view_string(view_path(slowdown, "attribution", "text"));
    if (text == NULL)
        return NULL;
    const size_t length = strlen(cell->condition);
    const bool named =
        strncmp(text, cell->condition, length) == 0 && strncmp(text + length, ": ", 2) == 0;
    char *words = visible(text + (named ? length + 2 : 0));
    free(text);
    return words;
}

static void put_directions(struct line *json, const struct cell *cell, const char *who)
{
    for (size_t i = 0; i < cell->of->metrics.count; i++) {
        char *words = ratio_direction(
            cell->of, slowdown_of(cell->of, cell->condition, cell->of->metrics.item[i].name));
        char *line = words == NULL ? NULL : text_of("%s: %s", who, words);
        if (line != NULL)
            visible_put(json, NULL, line);
        free(line);
        free(words);
    }
}

/* What a condition's time was made of. */
static void put_time(struct line *json, const struct value *condition, const char *who)
{
    const struct value *time = view_get(condition, "time");
    char *words[] = {view_string(view_path(time, "others", "text")),
                     view_string(view_path(view_get(time, "others"), "steadier", "text")),
                     view_string(view_get(time, "text"))};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        char *line = words[i] == NULL ? NULL : text_of("%s: %s", who, words[i]);
        if (line != NULL)
            visible_put(json, NULL, line);
        free(line);
        free(words[i]);
    }
}

/* What is said on a cell below its table, each with who it is of. */
static void put_lines(struct line *json, const struct cell *cell, bool first)
{
    char *load = row_load(cell), *row = visible(cell->row), text[NUMBER_SIZE];
    char *who = text_of("%s, %s", row, load);
    if (!isnan(cell->noise_floor)) {
        char *floor = text_of("%s: the noise floor is %s: the baseline measured against itself "
                              "(A/A) still allows that much",
                              row, number_percent(cell->noise_floor, text));
        line_text(json, "floor", floor);
        free(floor);
    }
    line_array(json, "lines");
    for (unsigned loaded = 0; loaded < 2; loaded++) {
        char *what = text_of("%s, %s", who, loaded ? "under load" : "alone");
        char *star = row_star(loaded ? cell->loaded : cell->baseline, what);
        if (star != NULL)
            line_text(json, NULL, star);
        free(star);
        if (first || loaded)
            put_time(json, loaded ? cell->loaded : cell->baseline, what);
        free(what);
    }
    char *attribution = attribution_words(cell), *sessions = sessions_text(cell->slowdown);
    char *seldom = view_string(view_get(cell->slowdown, "seldom"));
    put_directions(json, cell, who);
    for (unsigned i = 0; i < 3; i++) {
        const char *words = i == 0 ? sessions : i == 1 ? seldom : attribution;
        char *line = words == NULL ? NULL : text_of("%s: %s", who, words);
        if (line != NULL)
            line_text(json, NULL, line);
        free(line);
    }
    if (first) {
        service_put_lines(json, cell->of, row);
    }
    line_close(json);
    free(sessions);
    free(seldom);
    free(attribution);
    free(load);
    free(row);
    free(who);
}

/* What a condition's wall time is besides: the outliers, and the interval that also holds
 * where runs depend on each other, in the unit of the table. */
static void put_caution(struct line *json, const struct value *condition)
{
    const struct value *wall = view_get(condition, metrics[METRIC_WALL].name);
    const struct value *robust = view_get(wall, "ci_robust"), *low = view_first(robust);
    const double outliers = number_of(wall, "outliers");
    char text[NUMBER_SIZE], high[NUMBER_SIZE];
    snprintf(text, sizeof text, "%.0f", outliers);
    line_text(json, NULL, isnan(outliers) ? "-" : text);
    if (low == NULL) {
        line_text(json, NULL, "-");
        return;
    }
    number_significant(view_number(view_next(robust, low), NAN), high);
    char *interval = text_of("[%s, %s]", number_significant(view_number(low, NAN), text), high);
    line_text(json, NULL, interval);
    free(interval);
}

/* Mean and variance of each metric, in the unit of the table; and put_caution. */
static void put_means(struct line *json, const char *name, const struct cell *cell,
                      const struct value *condition)
{
    const struct value *figures = capacity_searched(cell->of) ? NULL : condition;
    char text[NUMBER_SIZE];
    if (condition == NULL) {
        line_null(json, name);
        return;
    }
    line_array(json, name);
    snprintf(text, sizeof text, "%.0f", number_of(condition, "runs"));
    line_text(json, NULL, text);
    for (unsigned i = 0; i < METRIC_COUNT; i++) {
        const struct value *metric = view_get(figures, metrics[i].name);
        const double factor = metrics[i].table_factor;
        line_text(json, NULL, number_significant(number_of(metric, "mean") * factor, text));
        line_text(json, NULL,
                  number_significant(number_of(metric, "variance") * factor * factor, text));
    }
    put_caution(json, figures);
    line_close(json);
}

/* What share of the extra time each cause has, of those that have any: [{cause, share}]. */
static void put_shares(struct line *json, const struct value *points)
{
    static const char *const causes[] = {"execution", "cpu",   "memory",
                                         "io",        "steal", "unexplained"};
    enum { CAUSES = sizeof causes / sizeof *causes };
    double sum = 0;
    if (!view_is(points, VIEW_OBJECT)) {
        line_null(json, "shares");
        return;
    }
    for (size_t i = 0; i < CAUSES; i++)
        sum += fmax(number_of(points, causes[i]), 0); /* passes NAN over */
    line_array(json, "shares");
    for (size_t i = 0; i < CAUSES; i++) {
        const double one = number_of(points, causes[i]);
        if (!(one > 0))
            continue;
        line_object(json, NULL);
        line_text(json, "cause", causes[i]);
        line_real(json, "share", one / sum);
        line_close(json);
    }
    line_close(json);
}

/* What the page needs besides: numbers to sort by, and a ratio with as many
 * decimals as its interval deserves. */
static void put_page(struct line *json, const struct cell *cell)
{
    const struct value *loaded = cell->loaded == NULL ? cell->baseline : cell->loaded;
    const struct value *figures = capacity_searched(cell->of) ? NULL : loaded,
                       *alone = figures == NULL ? NULL : cell->baseline;
    const double ratio = number_of(cell->slowdown, "ratio"),
                 low = figure_bound(cell->slowdown, false),
                 high = figure_bound(cell->slowdown, true);
    char text[NUMBER_SIZE];
    line_object(json, "values");
    line_real(json, "runs", number_of(loaded, "runs"));
    line_real(json, "ratio", ratio);
    line_real(json, "alone", figure_center(metric_figure(alone, cell->main)));
    line_real(json, "loaded",
              cell->loaded == NULL ? NAN : figure_center(metric_figure(figures, cell->main)));
    for (unsigned i = METRIC_USER; i < METRIC_COUNT; i++)
        line_real(json, metrics[i].title, figure_center(view_get(figures, metrics[i].name)));
    line_real(json, "achieved", number_of(cell->load_entry, "achieved"));
    line_close(json);
    const int decimals = ratio_decimals(low, high);
    line_text(json, "ratio", isnan(ratio) ? NULL : number_fixed(ratio, decimals, text));
    line_text(json, "interval",
              isnan(low) ? "no interval" : number_interval(low, high, decimals, text));
    visible_put(json, "spec", cell->spec);
    put_shares(json, view_path(slowdown_of(cell->of, cell->condition, metrics[METRIC_WALL].name),
                               "attribution", "points"));
    char *attribution = attribution_words(cell);
    line_text(json, "attribution", attribution);
    free(attribution);
    char *again = reproduce_command(cell);
    line_text(json, "again", again);
    free(again);
}

char *cell_row(const struct cell *cell, const char *charts, bool first)
{
    struct line json = {0};
    const struct row row = row_of(cell);
    line_object(&json, NULL);
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
    columns_put_texts(&json, TABLE_CELLS, &row);
    view_put(&json, "distinguishable", view_get(cell->slowdown, "distinguishable"));
    line_bool(&json, "survives", family_survives(cell->of->family, cell->slowdown));
    line_bool(&json, "short", cell->is_short);
    row_warnings(&json, cell->warnings, cell->warning_count);
    put_metrics(&json, cell, charts != NULL);
    put_lines(&json, cell, first);
    put_means(&json, "alone", cell, cell->baseline);
    put_means(&json, "loaded", cell, cell->loaded);
    if (first) {
        variants_put(&json, cell->of, charts != NULL);
        capacity_put(&json, cell->of);
    }
    checks_put(&json, cell, first);
    if (charts != NULL) {
        put_page(&json, cell);
        line_raw(&json, "charts", charts);
    }
    line_close(&json);
    must(json.failed ? NULL : json.text);
    return json.text;
}
