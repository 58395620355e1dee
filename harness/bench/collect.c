#include "bench.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

// The curves of a part.

// What a point shows of its row, or of a peer of it: an object with value and ci.
static const json_t *figure_of(const json_t *point, const json_t *row, const char *peer)
{
    const char *figure = json_text_at(point, "figure");
    const json_t *of = !peer ? row : json_named(json_object_get(row, "peers"), "name", peer);
    return !figure ? of : json_named(json_object_get(of, "more"), "name", figure);
}

static json_t *point_json(double x, double y, const json_t *figure)
{
    return must(json_pack("{s:o, s:o, s:o, s:o}", "x", json_number(x), "y", json_number(y), "lo",
                          json_number(json_bound_at(figure, 0)), "hi",
                          json_number(json_bound_at(figure, 1))));
}

// Whose rows and loads the points are of; loads: by cell, what its load achieved.
struct collected {
    const char *dir;
    double spent_s; // for all cells
    char *last;     // when a cell was last written; NULL: never
    json_t *rows, *charts, *loads;
};

static const json_t *row_of(const struct collected *source, const json_t *point)
{
    return json_named(source->rows, "cell", json_text_at(point, "cell"));
}

// Where on the x axis a point is; NAN: nowhere.
static double x_of(const struct collected *source, const json_t *point)
{
    return json_has(point, "x") ? json_number_at(point, "x")
                                : json_number_at(source->loads, json_text_at(point, "cell"));
}

// A curve of our command, with the theoretical peaks of the rows whose main figure its points are,
// or of a peer; without a point there is none.
static void add_series(json_t *built, const struct collected *source, const json_t *series,
                       const char *peer)
{
    json_t *points = must(json_array()), *peaks = must(json_array());
    JSON_EACH (point, json_object_get(series, "points")) {
        const json_t *row = row_of(source, point), *figure = figure_of(point, row, peer);
        const double x = x_of(source, point), y = json_number_at(figure, "value"),
                     peak = json_number_at(json_object_get(row, "peak"), "value");
        if (!isnan(x) && !isnan(y))
            json_add(points, point_json(x, y, figure));
        if (!peer && !json_has(point, "figure") && !isnan(x) && !isnan(peak))
            json_add(peaks,
                     must(json_pack("{s:o, s:o}", "x", json_number(x), "y", json_number(peak))));
    }
    OWNED char *name =
        text_of("%s%s%s", json_text_at(series, "name"), peer ? ", " : "", peer ? peer : "");
    if (json_array_size(points) > 0)
        json_add(json_object_get(built, "series"),
                 must(json_pack("{s:s, s:s?, s:O, s:O}", "name", name, "peer", peer, "points",
                                points, "peak", peaks)));
    json_decref(points);
    json_decref(peaks);
}

// The chart of the plan with the figures of its cells, by their rows, of jostle and of each peer;
// points without a figure are left out. A new reference.
static json_t *chart_build(const struct collected *source, const json_t *chart)
{
    json_t *built =
        must(json_pack("{s:O, s:O, s:O, s:O, s:[]}", "kind", json_object_get(chart, "kind"),
                       "title", json_object_get(chart, "title"), "x", json_object_get(chart, "x"),
                       "y", json_object_get(chart, "y"), "series"));
    JSON_EACH (series, json_object_get(chart, "series")) {
        json_auto_t *seen = must(json_object());
        add_series(built, source, series, NULL);
        JSON_EACH (point, json_object_get(series, "points"))
            JSON_EACH (peer, json_object_get(row_of(source, point), "peers")) {
                const char *name = json_text_at(peer, "name");
                if (!json_has(seen, name))
                    add_series(built, source, series, name);
                json_put(seen, name, json_true());
            }
    }
    return built;
}

// The chart over time of a cell that is a series; NULL: it has no figures. A new reference.
static json_t *chart_of_series(const struct measured *measured, const json_t *cell)
{
    const json_t *figure = json_object_get(cell, "figure");
    const struct sequence sequence = sequence_read(measured, cell);
    json_t *points = must(json_array());
    for (size_t i = 0; i < sequence.count; i++)
        json_add(points, point_json(sequence.item[i].time_s, sequence.item[i].value, NULL));
    free(sequence.item);
    if (json_array_size(points) == 0) {
        json_decref(points);
        return NULL;
    }
    OWNED char *title = text_of("%s over time", json_text_at(cell, "cell"));
    return must(json_pack(
        "{s:s, s:s, s:{s:s, s:s, s:b}, s:{s:s, s:s, s:b}, s:[{s:s, s:n, s:o, s:[]}]}", "kind",
        "series", "title", title, "x", "label", "time", "unit", "s", "log", 0, "y", "label",
        json_text_at(figure, "name"), "unit", json_text_at(figure, "unit"), "log", 0, "series",
        "name", json_text_at(cell, "cell"), "peer", "points", points, "peak"));
}

static void add_status(struct collected *collected, const struct measured *measured)
{
    const double spent_s = json_number_at(measured->status, "spent_s");
    const char *updated = json_text_at(measured->status, "updated");
    if (!isnan(spent_s))
        collected->spent_s += spent_s;
    if (!updated || (collected->last && strcmp(collected->last, updated) >= 0))
        return;
    free(collected->last);
    collected->last = must(strdup(updated));
}

// The labels of all cells, in the order in which they come.
static json_t *columns_of(const json_t *cells)
{
    json_t *seen = must(json_object()), *list = must(json_array());
    const json_t *value;
    const char *name;
    JSON_EACH (cell, cells) {
        JSON_EACH (pair, json_object_get(cell, "labels")) {
            name = json_string_value(json_array_get(pair, 0));
            json_put(seen, name, json_true());
        }
    }
    json_object_foreach(seen, name, value) json_add(list, json_text(name));
    json_decref(seen);
    return list;
}

static void collect_cell(struct collected *collected, const char *part, const json_t *cell)
{
    struct measured measured;
    enum state state;
    const char *name = json_text_at(cell, "cell");
    if (!cell_measured(&measured, &state, collected->dir, cell))
        complain("%s: its records cannot be used: the other rows are not touched", name);
    if (!json_has(cell, "of"))
        add_status(collected, &measured);
    json_add(collected->rows, row_build(&measured, state, part, cell));
    if (measured.has_runs)
        json_put(collected->loads, name,
                 json_number(measured_load(&measured, measured_condition(&measured, cell, NULL))));
    json_t *chart = json_has(cell, "series") ? chart_of_series(&measured, cell) : NULL;
    if (chart)
        json_add(collected->charts, chart);
    measured_free(&measured);
}

// ---- averages over rows

// Bounds that hold whatever the rows have in common: the averages of theirs.
struct average {
    double value, low, high;
    size_t count;
};

static void average_take(struct average *average, const json_t *figure)
{
    const double value = json_number_at(figure, "value"), low = json_bound_at(figure, 0),
                 high = json_bound_at(figure, 1);
    if (isnan(value))
        return;
    average->value += value;
    average->low += low; // not a number where a row has no interval, and then the average has none
    average->high += high;
    average->count++;
}

static void average_put(json_t *object, const struct average *average)
{
    const double count = (double)average->count;
    const bool bounded = !isnan(average->low) && !isnan(average->high);
    json_put(object, "value", json_number(average->value / count));
    json_put(object, "ci",
             bounded ? must(json_pack("[f, f]", average->low / count, average->high / count))
                     : json_null());
}

// Whose figures are averaged: rows of one group that have one.
struct group {
    const json_t *cells, *rows;
    const char *key;
};

static const json_t *row_in(const struct group *group, size_t i)
{
    const json_t *row = json_array_get(group->rows, i);
    return json_text_is(json_array_get(group->cells, i), "average", group->key) &&
                   json_has(row, "value")
               ? row
               : NULL;
}

// Of the figure that counts, of a peer (PEER), and of a further figure (MORE); either may be NULL.
static struct average average_of(const struct group *group, const char *peer, const char *more)
{
    struct average average = {0};
    for (size_t i = 0; i < json_array_size(group->rows); i++) {
        const json_t *row = row_in(group, i);
        const json_t *of = !peer ? row : json_named(json_object_get(row, "peers"), "name", peer);
        average_take(&average, !more ? of : json_named(json_object_get(of, "more"), "name", more));
    }
    return average;
}

// Of the labels those that all rows have alike; of the others it is an average over all.
static json_t *labels_shared(const struct group *group, const json_t *first)
{
    json_t *labels = must(json_deep_copy(json_object_get(first, "labels")));
    for (size_t i = 0; i < json_array_size(group->rows); i++) {
        const char *name;
        json_t *text;
        const json_t *row = row_in(group, i);
        json_object_foreach(json_object_get(first, "labels"), name, text)
        {
            if (row && !json_equal(json_object_get(json_object_get(row, "labels"), name), text))
                json_put(labels, name, json_text("all"));
        }
    }
    return labels;
}

static void average_further(const struct group *group, json_t *of, const char *peer)
{
    JSON_EACH (figure, json_object_get(of, "more")) {
        const struct average average = average_of(group, peer, json_text_at(figure, "name"));
        average_put(figure, &average);
        json_object_del(figure, "peak");
        json_object_del(figure, "of_peak");
    }
}

// The row of a group, made of its first row: {cell: "average.KEY", ...}. A new reference.
static json_t *average_row(const struct group *group, const json_t *first, size_t all)
{
    const struct average average = average_of(group, NULL, NULL);
    json_t *row = must(json_deep_copy(first));
    json_put(row, "cell", json_owned_text(text_of("average.%s", group->key)));
    json_put(row, "labels", labels_shared(group, first));
    average_put(row, &average);
    json_put(row, "n", must(json_integer(0)));
    json_put(row, "state", json_text("done"));
    json_put(row, "reason", json_null());
    json_put(row, "peak", json_null());
    json_put(row, "peak_reason", json_null());
    json_put(row, "of_peak", json_null());
    json_put(row, "problems", must(json_array()));
    OWNED char *mark =
        average.count == all
            ? text_of("the average of %zu rows, each of the same weight", all)
            : text_of("the average of %zu of %zu rows, each of the same weight: the others have no "
                      "figure",
                      average.count, all);
    json_put(row, "marks", must(json_pack("[s]", mark)));
    average_further(group, row, NULL);
    JSON_EACH (peer, json_object_get(row, "peers")) {
        const char *name = json_text_at(peer, "name");
        const struct average its = average_of(group, name, NULL);
        average_put(peer, &its);
        json_put(peer, "n", must(json_integer(0)));
        json_put(peer, "of_peak", json_null());
        json_put(peer, "ours_of_peer", json_null());
        average_further(group, peer, name);
    }
    return row;
}

// A row for each group of two cells or more that are averaged, behind all others.
static void add_averages(const json_t *cells, json_t *rows)
{
    json_auto_t *groups = must(json_object()), *made = must(json_array());
    const char *key;
    json_t *count;
    JSON_EACH (cell, cells) {
        const char *name = json_text_at(cell, "average");
        if (name)
            json_put(groups, name,
                     must(json_integer(json_integer_value(json_object_get(groups, name)) + 1)));
    }
    json_object_foreach(groups, key, count)
    {
        const struct group group = {cells, rows, key};
        const json_t *first = NULL;
        for (size_t i = 0; !first && i < json_array_size(rows); i++)
            first = row_in(&group, i);
        if (first && json_integer_value(count) > 1)
            json_add(made, average_row(&group, first, (size_t)json_integer_value(count)));
    }
    json_array_extend(rows, made);
}

static json_t *part_json(struct collected *collected, const json_t *part)
{
    const char *name = json_text_at(part, "part");
    const json_t *cells = json_object_get(part, "cells");
    collected->rows = must(json_array());
    collected->charts = must(json_array());
    collected->loads = must(json_object());
    JSON_EACH (one, cells)
        collect_cell(collected, name, one);
    rows_check_peaks(cells, collected->rows);
    add_averages(cells, collected->rows);
    JSON_EACH (one, json_object_get(part, "charts")) {
        json_t *chart = chart_build(collected, one);
        if (json_array_size(json_object_get(chart, "series")) > 0)
            json_add(collected->charts, chart);
        else
            json_decref(chart);
    }
    json_decref(collected->loads);
    return must(json_pack("{s:s, s:O, s:o, s:o, s:o}", "part", name, "title",
                          json_object_get(part, "title"), "columns", columns_of(cells), "rows",
                          collected->rows, "charts", collected->charts));
}

static json_t *bench_json(const char *dir, const json_t *plan)
{
    struct collected all = {.dir = dir};
    json_t *parts = must(json_array());
    JSON_EACH (part, json_object_get(plan, "parts"))
        json_add(parts, part_json(&all, part));
    json_t *bench = must(
        json_pack("{s:s, s:o, s:O, s:O, s:O, s:o, s:o, s:[]}", "schema", SCHEMA_BENCH, "made",
                  all.last ? json_text(all.last) : json_incref(json_object_get(plan, "made")),
                  "jostle", json_object_get(plan, "jostle"), "machine",
                  json_object_get(plan, "machine"), "settings", json_object_get(plan, "settings"),
                  "duration_s", json_number(all.spent_s), "parts", parts, "problems"));
    free(all.last);
    return bench;
}

json_t *collect_load(const char *dir, const char *name)
{
    OWNED char *path = text_of("%s/%s", dir, name);
    char why[RECORD_WHY];
    const bool is_plan = strcmp(name, "bench-plan.json") == 0;
    json_t *object = record_read(path, is_plan ? SCHEMA_BENCH_PLAN : SCHEMA_BENCH, why);
    if (!object && access(path, F_OK) == 0)
        complain("%s cannot be read (%s): give a folder that jostle bench has made", path, why);
    else if (!object)
        complain("%s holds no bench (no %s): give a folder that jostle bench has made", dir, name);
    return object;
}

json_t *bench_collect(const char *dir)
{
    if (!file_is_in(dir, "cells", F_OK) && file_is_in(dir, "bench.json", F_OK))
        return collect_load(dir, "bench.json");
    json_t *plan = collect_load(dir, "bench-plan.json");
    if (plan)
        versions_put(plan, dir);
    json_t *bench = !plan ? NULL : bench_json(dir, plan);
    json_decref(plan);
    return bench;
}
