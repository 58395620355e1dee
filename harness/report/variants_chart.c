#include "variants_chart.h"

#include "figure.h"
#include "memory.h"
#include "numbers.h"
#include "plot.h"
#include "visible.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MOST = 40 };

struct point {
    char *name; /* visible */
    double ratio, low, high;
    bool sure;
};

struct points {
    struct point item[ROWS_MOST];
    size_t count;
};

/* "new, mem-50" */
static char *name_of(const struct value *comparison)
{
    char *variant = view_string(view_get(comparison, "variant")),
         *load = view_string(view_get(comparison, "load"));
    char *text = text_of("%s%s%s", variant == NULL ? "?" : variant, load == NULL ? "" : ", ",
                         load == NULL ? "" : load);
    char *name = visible(text);
    free(variant);
    free(load);
    free(text);
    return name;
}

static struct points points_of(const struct experiment *experiment, const struct metric *metric)
{
    const struct value *all = view_get(experiment->result.top, "comparisons");
    struct points points = {.count = 0};
    for (const struct value *item = view_first(all); item != NULL && points.count < ROWS_MOST;
         item = view_next(all, item)) {
        const double ratio = view_number(view_get(item, "ratio"), NAN),
                     low = figure_bound(item, false), high = figure_bound(item, true);
        if (!view_equals(view_get(item, "metric"), metric->name) || isnan(ratio))
            continue;
        points.item[points.count++] =
            (struct point){.name = name_of(item),
                           .ratio = ratio,
                           .low = isnan(low) ? ratio : low,
                           .high = isnan(high) ? ratio : high,
                           .sure = view_true(view_get(item, "distinguishable"))};
    }
    return points;
}

/* The range has 1, and the limit of the gate where it is near. */
static void find_range(const struct points *points, double limit, double range[2])
{
    double low = 1, high = 1;
    for (size_t i = 0; i < points->count; i++) {
        low = fmin(low, points->item[i].low);
        high = fmax(high, points->item[i].high);
    }
    if (!isnan(limit) && limit < high + 2 * (high - low))
        high = fmax(high, limit);
    plot_range(low, high, range);
}

static void draw_points(struct plot *plot, const struct points *points)
{
    for (unsigned sure = 0; sure < 2; sure++) {
        plot_path(plot, sure ? "s2" : "s3");
        for (size_t i = 0; i < points->count; i++)
            if (points->item[i].sure == sure)
                plot_error_bar(plot, (double)(points->count - i), points->item[i].low,
                               points->item[i].high, true);
        plot_path(plot, sure ? "p s2" : "r s3");
        for (size_t i = 0; i < points->count; i++)
            if (points->item[i].sure == sure)
                plot_mark(plot, sure ? MARK_DOT : MARK_RING, points->item[i].ratio,
                          (double)(points->count - i));
    }
}

static char *draw(const struct points *points, double limit, double *height)
{
    struct plot plot;
    double range[2];
    char **names = must(calloc(points->count, sizeof *names));
    for (size_t i = 0; i < points->count; i++)
        names[i] = points->item[i].name;
    find_range(points, limit, range);
    plot_open_rows(&plot, range, "ratio, above 1 is worse [×]", names, points->count);
    plot_path(&plot, "s9");
    plot_line(&plot, 1, 0.4, 1, (double)points->count + 0.6);
    if (!isnan(limit) && limit <= range[1])
        plot_line(&plot, limit, 0.4, limit, (double)points->count + 0.6);
    draw_points(&plot, points);
    free(names);
    return plot_close(&plot, height);
}

/* What the chart shows, for those who cannot see it. */
static char *words_of(const struct points *points)
{
    char *text = must(strdup(""));
    for (size_t i = 0; i < points->count; i++) {
        const struct point *point = &points->item[i];
        const int decimals = ratio_decimals(point->low, point->high);
        char ratio[NUMBER_SIZE], interval[NUMBER_SIZE];
        char *more = text_of("%s%s%s: %s times, %s%s", text, i == 0 ? "" : "; ", point->name,
                             number_fixed(point->ratio, decimals, ratio),
                             number_interval(point->low, point->high, decimals, interval),
                             point->sure ? "" : ", not distinguishable from noise");
        free(text);
        text = more;
    }
    return text;
}

static void put_chart(struct line *json, const struct experiment *experiment,
                      const struct metric *metric)
{
    struct points points = points_of(experiment, metric);
    if (points.count == 0)
        return;
    double height = 0;
    char *svg = draw(&points, view_number(view_get(experiment->settings, "at_most"), NAN), &height),
         *text = words_of(&points);
    char *title = text_of("Ratio of %s of each variant to the reference", metric->words);
    line_object(json, NULL);
    line_text(json, "metric", metric->words);
    line_text(json, "title", title);
    line_text(json, "text", text);
    line_text(json, "svg", svg);
    line_real(json, "height", height);
    line_close(json);
    free(svg);
    free(text);
    free(title);
    for (size_t i = 0; i < points.count; i++)
        free(points.item[i].name);
}

void variants_put_charts(struct line *json, const struct experiment *experiment)
{
    line_array(json, "charts");
    for (size_t i = 0; i < experiment->metrics.count; i++)
        if (experiment->metrics.item[i].chosen)
            put_chart(json, experiment, &experiment->metrics.item[i]);
    line_close(json);
}
