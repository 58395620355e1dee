#include "charts.h"

#include "drawn.h"
#include "plot.h"

#include "common/json.h"
#include "common/memory.h"
#include "common/numbers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 30, SPREAD_MOST = 40, NAMED_MOST = 12 };

/* Some cells of the report, in its order. */
struct cells {
    const struct drawn **item;
    size_t count;
};

struct chart {
    const char *section, *group; /* group NULL: of all targets */
    char *title, *text, *bold, *caption, *filter;
    char *svg;
    double height;
};

/* All cells that have one metric, in the order of the report. */
struct charts {
    const struct drawn **item;
    size_t count;
    size_t printed;
};

static char *joined(char *text, const char *separator, char *more)
{
    char *all = text_of("%s%s%s", text == NULL ? "" : text, text == NULL ? "" : separator, more);
    free(text);
    free(more);
    return all;
}

static void print_chart(struct charts *charts, struct chart *chart)
{
    struct line json = {0};
    char id[32];
    snprintf(id, sizeof id, "f%zu", ++charts->printed);
    line_object(&json, NULL);
    line_object(&json, "chart");
    line_text(&json, "section", chart->section);
    line_text(&json, "group", chart->group);
    line_text(&json, "id", id);
    line_text(&json, "title", chart->title);
    line_text(&json, "text", chart->text);
    line_text(&json, "bold", chart->bold);
    line_text(&json, "caption", chart->caption);
    line_text(&json, "filter", chart->filter);
    line_real(&json, "height", chart->height);
    line_text(&json, "svg", chart->svg);
    line_close(&json);
    line_close(&json);
    puts(must(json.failed ? NULL : json.text));
    line_free(&json);
    char *texts[] = {chart->title,   chart->text,   chart->bold,
                     chart->caption, chart->filter, chart->svg};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
}

/* "disk50: 1.095 times, [1.057, 1.135]" */
static char *slowdown_words(const struct drawn *cell, const char *name)
{
    char ratio[NUMBER_SIZE], interval[NUMBER_SIZE];
    const int decimals = ratio_decimals(cell->low, cell->high);
    return text_of("%s: %s times, %s%s", name, number_fixed(cell->ratio, decimals, ratio),
                   number_interval(cell->low, cell->high, decimals, interval),
                   cell->sure ? "" : ", not distinguishable from noise");
}

static void slowdown_range(const struct cells *cells, double range[2])
{
    double low = 1, high = 1;
    for (size_t i = 0; i < cells->count; i++) {
        low = fmin(low, cells->item[i]->low);
        high = fmax(high, cells->item[i]->high);
    }
    plot_range(low, high, range);
}

/* What is on the x axis of a load's curve: its level, else its rate. NULL: there
 * is no scale. */
static const char *axis_of(const struct cells *cells, double *x, char *label, size_t size)
{
    bool levels = true, rates = true;
    double most = 0;
    for (size_t i = 0; i < cells->count; i++) {
        const struct drawn *cell = cells->item[i], *first = cells->item[0];
        levels = levels && !isnan(cell->level) && strcmp(cell->level_unit, first->level_unit) == 0;
        rates = rates && !isnan(cell->offered) && strcmp(cell->unit, first->unit) == 0;
        most = fmax(most, cell->offered);
    }
    const struct scale scale = scale_of(most, cells->item[0]->unit);
    for (size_t i = 0; i < cells->count; i++)
        x[i] = levels ? cells->item[i]->level : cells->item[i]->offered * scale.factor;
    if (levels && *cells->item[0]->level_unit == '\0')
        snprintf(label, size, "level");
    else if (levels)
        snprintf(label, size, "level [%s]", cells->item[0]->level_unit);
    else
        snprintf(label, size, "offered [%s]", scale.unit);
    return levels || rates ? label : NULL;
}

/* "Slowdown", "Ratio of p99_ms" */
static char *ratio_words(const struct drawn *cell)
{
    return cell->timed ? must(strdup("Slowdown")) : text_of("Ratio of %s", cell->metric);
}

static char *ratio_label(const struct drawn *cell)
{
    return cell->timed ? must(strdup("slowdown [×]")) : text_of("%s, ratio [×]", cell->metric);
}

static void draw_curve(struct chart *chart, const struct cells *cells, const double *x,
                       const char *label)
{
    struct plot plot;
    double range_x[2], range_y[2], high = 0;
    for (size_t i = 0; i < cells->count; i++)
        high = fmax(high, x[i]);
    plot_range(0, high, range_x);
    slowdown_range(cells, range_y);
    char *ratio = ratio_label(cells->item[0]);
    plot_open(&plot, range_x, range_y, label, ratio);
    free(ratio);
    plot_path(&plot, "s9");
    plot_line(&plot, range_x[0], 1, range_x[1], 1);
    plot_path(&plot, "s8");
    for (size_t i = 0; i < cells->count; i++)
        plot_to(&plot, x[i], cells->item[i]->ratio, i == 0);
    for (unsigned sure = 0; sure < 2; sure++) {
        plot_path(&plot, sure ? "s2" : "s3");
        for (size_t i = 0; i < cells->count; i++)
            if (cells->item[i]->sure == sure)
                plot_error_bar(&plot, x[i], cells->item[i]->low, cells->item[i]->high, false);
        plot_path(&plot, sure ? "p s2" : "r s3");
        for (size_t i = 0; i < cells->count; i++)
            if (cells->item[i]->sure == sure)
                plot_mark(&plot, sure ? MARK_DOT : MARK_RING, x[i], cells->item[i]->ratio);
    }
    chart->svg = plot_close(&plot, &chart->height);
}

static char *offers_text(const struct cells *cells)
{
    char rate[NUMBER_SIZE], *text = NULL;
    for (size_t i = 0; i < cells->count; i++)
        if (!isnan(cells->item[i]->offered))
            text =
                joined(text, "; ",
                       text_of("%s%s: %s", text == NULL ? "offered: " : "",
                               cells->item[i]->level_text[0] == '\0' ? cells->item[i]->condition
                                                                     : cells->item[i]->level_text,
                               number_scaled(cells->item[i]->offered, cells->item[i]->unit, rate)));
    return text == NULL ? must(strdup("")) : text;
}

/* Sorts cells and their x by x; few. */
static void sort_by_x(struct cells *cells, double *x)
{
    for (size_t i = 1; i < cells->count; i++)
        for (size_t j = i; j > 0 && x[j - 1] > x[j]; j--) {
            const double other = x[j];
            const struct drawn *cell = cells->item[j];
            x[j] = x[j - 1];
            cells->item[j] = cells->item[j - 1];
            x[j - 1] = other;
            cells->item[j - 1] = cell;
        }
}

/* The curve of one load over its levels. False: it has no scale, or one level. */
static bool print_curve(struct charts *charts, struct cells *cells)
{
    char label[128];
    double *x = must(calloc(cells->count, sizeof *x));
    const bool scaled = axis_of(cells, x, label, sizeof label) != NULL;
    bool several = false;
    for (size_t i = 1; i < cells->count; i++)
        several = several || x[i] != x[0];
    if (!scaled || !several) {
        free(x);
        return false;
    }
    sort_by_x(cells, x);
    const struct drawn *first = cells->item[0];
    const char *load = *first->load == '\0' ? first->condition : first->load;
    struct chart chart = {.section = "sensitivity", .group = first->row};
    char *what = ratio_words(first);
    chart.title = text_of("%s of %s over the levels of %s", what, first->row, load);
    free(what);
    for (size_t i = 0; i < cells->count; i++)
        chart.text =
            joined(chart.text, "; ", slowdown_words(cells->item[i], cells->item[i]->condition));
    chart.bold = first->main ? must(strdup(load)) : text_of("%s, %s", first->metric, load);
    chart.caption = offers_text(cells);
    chart.filter = text_of("%s %s", first->row, load);
    draw_curve(&chart, cells, x, label);
    print_chart(charts, &chart);
    free(x);
    return true;
}

static void draw_points(struct chart *chart, const struct cells *cells, char **names)
{
    struct plot plot;
    double range[2];
    slowdown_range(cells, range);
    char *label = ratio_label(cells->item[0]);
    plot_open_rows(&plot, range, label, names, cells->count);
    free(label);
    plot_path(&plot, "s9");
    plot_line(&plot, 1, 0.4, 1, (double)cells->count + 0.6);
    for (unsigned sure = 0; sure < 2; sure++) {
        plot_path(&plot, sure ? "s2" : "s3");
        for (size_t i = 0; i < cells->count; i++)
            if (cells->item[i]->sure == sure)
                plot_error_bar(&plot, (double)(cells->count - i), cells->item[i]->low,
                               cells->item[i]->high, true);
        plot_path(&plot, sure ? "p s2" : "r s3");
        for (size_t i = 0; i < cells->count; i++)
            if (cells->item[i]->sure == sure)
                plot_mark(&plot, sure ? MARK_DOT : MARK_RING, cells->item[i]->ratio,
                          (double)(cells->count - i));
    }
    chart->svg = plot_close(&plot, &chart->height);
}

/* Slowdowns without a scale of levels, a row each: the loads of one target, or
 * the targets under one load. */
static void print_points(struct charts *charts, const struct cells *all, bool by_target)
{
    for (size_t start = 0; start < all->count; start += ROWS_MOST) {
        struct cells cells = {all->item + start,
                              all->count - start < ROWS_MOST ? all->count - start : ROWS_MOST};
        const struct drawn *first = cells.item[0];
        struct chart chart = {.section = "sensitivity", .group = by_target ? NULL : first->row};
        char **names = must(calloc(cells.count, sizeof *names));
        chart.filter = must(strdup(by_target ? first->condition : first->row));
        for (size_t i = 0; i < cells.count; i++) {
            names[i] = by_target ? cells.item[i]->row : cells.item[i]->condition;
            chart.text = joined(chart.text, "; ", slowdown_words(cells.item[i], names[i]));
            chart.filter = joined(chart.filter, " ", must(strdup(names[i])));
        }
        char *what = ratio_words(first);
        chart.title = by_target ? text_of("%s under %s by target", what, first->condition)
                                : text_of("%s of %s by load", what, first->row);
        free(what);
        chart.bold = must(strdup(by_target ? first->condition : "one level each"));
        chart.caption = must(strdup(first->main ? "" : first->metric));
        draw_points(&chart, &cells, names);
        print_chart(charts, &chart);
        free(names);
    }
}

static const struct drawn *drawn_at(const struct charts *charts, size_t i)
{
    return charts->item[i];
}

/* The end of the cells that have the row of the one at start. */
static size_t end_of_target(const struct charts *charts, size_t start)
{
    size_t end = start + 1;
    while (end < charts->count &&
           strcmp(drawn_at(charts, end)->row, drawn_at(charts, start)->row) == 0)
        end++;
    return end;
}

static const char *load_of(const struct drawn *cell)
{
    return *cell->load == '\0' ? cell->condition : cell->load;
}

/* The loads of one target: a curve for each that has levels; the others are
 * left in single. Prints nothing where there is one single cell only. */
static void print_target(struct charts *charts, size_t start, size_t end, struct cells *lone)
{
    struct cells single = {must(calloc(end - start, sizeof *single.item)), 0};
    struct cells cells = {must(calloc(end - start, sizeof *cells.item)), 0};
    bool curves = false;
    for (size_t i = start; i < end; i++) {
        const struct drawn *cell = drawn_at(charts, i);
        if (!isnan(cell->ratio))
            cells.item[cells.count++] = cell;
    }
    for (size_t i = 0, next; i < cells.count; i = next) {
        for (next = i + 1;
             next < cells.count && strcmp(load_of(cells.item[next]), load_of(cells.item[i])) == 0;)
            next++;
        struct cells load = {cells.item + i, next - i};
        if (print_curve(charts, &load)) {
            curves = true;
            continue;
        }
        for (size_t k = i; k < next; k++)
            single.item[single.count++] = cells.item[k];
    }
    if (!curves && single.count == 1)
        lone->item[lone->count++] = single.item[0];
    else if (single.count > 0)
        print_points(charts, &single, false);
    free(single.item);
    free(cells.item);
}

/* Targets that have one load with one level: a row for each target. */
static void print_lone(struct charts *charts, struct cells *lone)
{
    struct cells same = {must(calloc(lone->count + 1, sizeof *same.item)), 0};
    for (size_t i = 0; i < lone->count; i++) {
        if (lone->item[i] == NULL)
            continue;
        const char *condition = lone->item[i]->condition;
        same.count = 0;
        for (size_t k = i; k < lone->count; k++)
            if (lone->item[k] != NULL && strcmp(lone->item[k]->condition, condition) == 0) {
                same.item[same.count++] = lone->item[k];
                lone->item[k] = NULL;
            }
        print_points(charts, &same, true);
    }
    free(same.item);
}

static void print_sensitivity(struct charts *charts)
{
    const size_t count = charts->count;
    struct cells lone = {must(calloc(count + 1, sizeof *lone.item)), 0};
    for (size_t start = 0; start < count; start = end_of_target(charts, start))
        print_target(charts, start, end_of_target(charts, start), &lone);
    print_lone(charts, &lone);
    free(lone.item);
}

/* Rates on an axis have few digits, whatever their unit. */
static struct scale axis_scale(double most, const char *unit)
{
    struct scale scale = scale_of(most, unit);
    char plain[sizeof scale.unit];
    const double scaled = most * scale.factor;
    const double factor = scaled >= 1e7 ? 1e-6 : scaled >= 1e4 ? 1e-3 : 1;
    snprintf(plain, sizeof plain, "%.30s", scale.unit);
    scale.factor *= factor;
    if (factor < 1)
        snprintf(scale.unit, sizeof scale.unit, "%s %.30s", factor < 1e-4 ? "million" : "thousand",
                 plain);
    return scale;
}

static void draw_achieved(struct chart *chart, const struct cells *cells)
{
    struct plot plot;
    double most = 0, range[2];
    for (size_t i = 0; i < cells->count; i++)
        most = fmax(most, fmax(cells->item[i]->offered, cells->item[i]->achieved));
    const struct scale scale = axis_scale(most, cells->item[0]->unit);
    char *x_label = text_of("offered [%s]", scale.unit),
         *y_label = text_of("achieved [%s]", scale.unit);
    plot_range(0, most * scale.factor, range);
    range[0] = 0;
    plot_open(&plot, range, range, x_label, y_label);
    plot_path(&plot, "s9");
    plot_line(&plot, range[0], range[0], range[1], range[1]);
    plot_path(&plot, "p s2");
    for (size_t i = 0; i < cells->count; i++)
        plot_mark(&plot, MARK_DOT, cells->item[i]->offered * scale.factor,
                  cells->item[i]->achieved * scale.factor);
    chart->svg = plot_close(&plot, &chart->height);
    free(x_label);
    free(y_label);
}

static void print_achieved(struct charts *charts, const struct cells *cells)
{
    const char *load = load_of(cells->item[0]);
    struct chart chart = {.section = "offered",
                          .title = text_of("Offered and achieved rate of %s", load)};
    char one[NUMBER_SIZE], two[NUMBER_SIZE];
    size_t fell_short = 0;
    chart.filter = must(strdup(load));
    for (size_t i = 0; i < cells->count; i++) {
        const struct drawn *cell = cells->item[i];
        fell_short += cell->is_short;
        if (i == 0 || strcmp(cell->row, cells->item[i - 1]->row) != 0)
            chart.filter = joined(chart.filter, " ", must(strdup(cell->row)));
        if (cells->count <= NAMED_MOST)
            chart.text = joined(chart.text, "; ",
                                text_of("%s, %s: %s of %s", cell->row, cell->condition,
                                        number_scaled(cell->achieved, cell->unit, one),
                                        number_scaled(cell->offered, cell->unit, two)));
    }
    if (chart.text == NULL)
        chart.text =
            text_of("%zu points, one for each cell; the figures are in the table of every cell",
                    cells->count);
    chart.bold = must(strdup(load));
    chart.caption = fell_short == 0
                        ? must(strdup("achieved what was offered"))
                        : text_of("%zu of %zu cells fell short", fell_short, cells->count);
    draw_achieved(&chart, cells);
    print_chart(charts, &chart);
}

/* A plot for each load and unit, in the order in which they come first. */
static void print_offered(struct charts *charts)
{
    const size_t count = charts->count;
    bool *taken = must(calloc(count + 1, sizeof *taken));
    struct cells cells = {must(calloc(count + 1, sizeof *cells.item)), 0};
    for (size_t i = 0; i < count; i++) {
        const struct drawn *first = drawn_at(charts, i);
        cells.count = 0;
        for (size_t k = i; k < count; k++) {
            const struct drawn *cell = drawn_at(charts, k);
            if (taken[k] || isnan(cell->offered) || isnan(cell->achieved) ||
                strcmp(load_of(cell), load_of(first)) != 0 || strcmp(cell->unit, first->unit) != 0)
                continue;
            taken[k] = true;
            cells.item[cells.count++] = cell;
        }
        if (cells.count > 0)
            print_achieved(charts, &cells);
    }
    free(taken);
    free(cells.item);
}

static void put_strip(struct plot *plot, const struct spread *spread, double row)
{
    for (size_t i = 0; i < spread->count; i++)
        plot_mark(plot, MARK_DOT, spread->strip[i], row + ((double)((i * 7) % 11) - 5) / 40);
}

static void put_box(struct plot *plot, const struct spread *s, double row)
{
    if (s->count == 0)
        return;
    plot_line(plot, s->low, row, s->quarter, row);
    plot_line(plot, s->three_quarters, row, s->high, row);
    plot_to(plot, s->quarter, row - 0.25, true);
    plot_to(plot, s->three_quarters, row - 0.25, false);
    plot_to(plot, s->three_quarters, row + 0.25, false);
    plot_to(plot, s->quarter, row + 0.25, false);
    plot_to(plot, s->quarter, row - 0.25, false);
    plot_line(plot, s->median, row - 0.32, s->median, row + 0.32);
}

/* The runs alone of all experiments of a target share a row. */
static void spread_alone(struct spread *spread, const struct charts *charts, size_t start,
                         size_t end)
{
    size_t count = 0;
    for (size_t i = start; i < end; i++)
        count += drawn_at(charts, i)->alone_count;
    double *values = must(calloc(count + 1, sizeof *values));
    count = 0;
    for (size_t i = start; i < end; i++) {
        const struct drawn *cell = drawn_at(charts, i);
        if (i > start && cell->experiment == drawn_at(charts, i - 1)->experiment)
            continue;
        for (size_t k = 0; k < cell->alone_count; k++)
            values[count++] = cell->alone[k];
    }
    spread_of(spread, values, count);
    free(values);
}

struct spread_row {
    struct spread spread;
    char *name;
};

static void draw_spread(struct chart *chart, const char *metric, const struct spread_row *rows,
                        size_t count)
{
    char *label = text_of("%s / median alone", metric);
    struct plot plot;
    double low = 1, high = 1, range[2];
    char **names = must(calloc(count, sizeof *names));
    for (size_t i = 0; i < count; i++) {
        names[i] = rows[i].name;
        if (rows[i].spread.count > 0) {
            low = fmin(low, rows[i].spread.low);
            high = fmax(high, rows[i].spread.high);
        }
    }
    plot_range(low, high, range);
    plot_open_rows(&plot, range, label, names, count);
    free(label);
    plot_path(&plot, "s9");
    plot_line(&plot, 1, 0.4, 1, (double)count + 0.6);
    for (size_t i = 0; i < count; i++) {
        if (i < 2)
            plot_path(&plot, i == 0 ? "p s4" : "p s5");
        put_strip(&plot, &rows[i].spread, (double)(count - i));
    }
    plot_path(&plot, "s7");
    for (size_t i = 0; i < count; i++)
        put_box(&plot, &rows[i].spread, (double)(count - i));
    chart->svg = plot_close(&plot, &chart->height);
    free(names);
}

static char *alone_text(const struct charts *charts, size_t start, size_t end, size_t left)
{
    const char *unit = drawn_at(charts, start)->metric_unit;
    double low = INFINITY, high = -INFINITY;
    char one[NUMBER_SIZE], two[NUMBER_SIZE];
    for (size_t i = start; i < end; i++) {
        low = fmin(low, drawn_at(charts, i)->alone_median);
        high = fmax(high, drawn_at(charts, i)->alone_median);
    }
    char *text = isinf(low) ? must(strdup("median alone: -"))
                 : high - low < high / 1000
                     ? text_of("median alone: %s", number_scaled(high, unit, one))
                     : text_of("median alone: %s to %s", number_scaled(low, unit, one),
                               number_scaled(high, unit, two));
    return left == 0
               ? text
               : joined(text, "; ", text_of("%zu more loads are in the table of every cell", left));
}

static void print_spread(struct charts *charts, size_t start, size_t all)
{
    const size_t end = all - start > SPREAD_MOST ? start + SPREAD_MOST : all;
    const char *target = drawn_at(charts, start)->row, *metric = drawn_at(charts, start)->metric;
    const bool main = drawn_at(charts, start)->main;
    struct spread_row *rows = must(calloc(end - start + 1, sizeof *rows));
    struct chart chart = {.section = "spread",
                          .group = target,
                          .title = main ? text_of("Spread of the runs of %s", target)
                                        : text_of("Spread of %s of %s", metric, target),
                          .filter = must(strdup(target))};
    size_t count = 0;
    rows[count++].name = (char *)(uintptr_t) "alone";
    spread_alone(&rows[0].spread, charts, start, end);
    chart.text = text_of("%c%s of each run as a multiple of the baseline's median",
                         drawn_at(charts, start)->timed ? 'W' : *metric, metric + 1);
    for (size_t i = start; i < end; i++) {
        const struct drawn *cell = drawn_at(charts, i);
        const struct spread *spread = &cell->loaded;
        if (*cell->condition == '\0')
            continue;
        rows[count++] = (struct spread_row){*spread, cell->condition};
        chart.filter = joined(chart.filter, " ", must(strdup(cell->condition)));
        if (spread->count > 0)
            chart.text =
                joined(chart.text, "; ",
                       text_of("%s: median %.2f times, from %.2f to %.2f times", cell->condition,
                               spread->median, spread->low, spread->high));
    }
    chart.bold = must(strdup(main ? "" : metric));
    chart.caption = alone_text(charts, start, end, all - end);
    draw_spread(&chart, metric, rows, count);
    print_chart(charts, &chart);
    free(rows);
}

/* What has this metric; main: of what is its experiment's main one. */
static void take_metric(struct charts *charts, const struct collected *collected,
                        const char *metric)
{
    charts->count = 0;
    for (size_t i = 0; i < collected->line_count; i++)
        for (size_t k = 0; k < collected->lines[i].drawings->count; k++)
            if (strcmp(collected->lines[i].drawings->item[k].metric, metric) == 0)
                charts->item[charts->count++] = &collected->lines[i].drawings->item[k];
}

/* The metrics in the order in which they come first; count: how many. */
static const char **metrics_of(const struct collected *collected, size_t *count)
{
    const char **name = NULL;
    size_t allocated = 0;
    *count = 0;
    for (size_t i = 0; i < collected->line_count; i++)
        for (size_t k = 0; k < collected->lines[i].drawings->count; k++) {
            const char *metric = collected->lines[i].drawings->item[k].metric;
            size_t at = 0;
            while (at < *count && strcmp(name[at], metric) != 0)
                at++;
            if (at < *count)
                continue;
            name = grown(name, *count, &allocated, sizeof *name);
            name[(*count)++] = metric;
        }
    return name;
}

static void print_all_spreads(struct charts *charts)
{
    for (size_t start = 0; start < charts->count; start = end_of_target(charts, start))
        print_spread(charts, start, end_of_target(charts, start));
}

void charts_print(const struct collected *collected)
{
    struct charts charts = {.item = must(calloc(collected->line_count + 1, sizeof *charts.item))};
    size_t count = 0;
    const char **metric = metrics_of(collected, &count);
    for (size_t i = 0; i < count; i++) {
        take_metric(&charts, collected, metric[i]);
        print_sensitivity(&charts);
    }
    for (size_t i = 0; i < count; i++) {
        take_metric(&charts, collected, metric[i]);
        if (i == 0) /* loads have no metric: all cells have the first */
            print_offered(&charts);
        print_all_spreads(&charts);
    }
    free(metric);
    free(charts.item);
}
