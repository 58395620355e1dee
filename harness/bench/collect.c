#include "collect.h"

#include "charts.h"
#include "json.h"
#include "measured.h"
#include "row.h"
#include "versions.h"

#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "harness/report/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What is added up over all cells. */
struct totals {
    double spent_s;
    char *last; /* when a cell was last written; NULL: never */
};

static void add_status(struct totals *totals, const struct measured *measured)
{
    const double spent_s = json_number_at(measured->status, "spent_s");
    const char *updated = json_text_at(measured->status, "updated");
    if (!isnan(spent_s))
        totals->spent_s += spent_s;
    if (updated == NULL || (totals->last != NULL && strcmp(totals->last, updated) >= 0))
        return;
    free(totals->last);
    totals->last = must(strdup(updated));
}

/* The labels of all cells, in the order in which they come. */
static json_t *columns_of(const json_t *cells)
{
    json_t *seen = must(json_object()), *list = must(json_array());
    const json_t *cell, *pair, *value;
    const char *name;
    size_t i, k;
    json_array_foreach(cells, i, cell)
    {
        json_array_foreach(json_object_get(cell, "labels"), k, pair)
        {
            name = json_string_value(json_array_get(pair, 0));
            json_put(seen, name, json_true());
        }
    }
    json_object_foreach(seen, name, value) json_add(list, json_text(name));
    json_decref(seen);
    return list;
}

struct collected_part {
    json_t *rows, *charts, *loads;
};

static void collect_cell(struct collected_part *collected, const char *dir, const char *part,
                         const json_t *cell, struct totals *totals)
{
    struct measured measured;
    const char *name = json_text_at(cell, "cell");
    if (!measured_read(&measured, dir, cell))
        complain("%s: its records cannot be used: the other rows are not touched", name);
    if (!json_has(cell, "of"))
        add_status(totals, &measured);
    json_add(collected->rows, row_build(&measured, part, cell));
    if (measured.has_runs)
        json_put(collected->loads, name,
                 json_number(measured_load(&measured, measured_condition(&measured, cell, NULL))));
    json_t *chart = json_has(cell, "series") ? chart_of_series(&measured, cell) : NULL;
    if (chart != NULL)
        json_add(collected->charts, chart);
    measured_free(&measured);
}

static json_t *part_json(const char *dir, const json_t *part, struct totals *totals)
{
    const char *name = json_text_at(part, "part");
    const json_t *cells = json_object_get(part, "cells"), *one;
    struct collected_part collected = {
        .rows = must(json_array()), .charts = must(json_array()), .loads = must(json_object())};
    size_t index;
    json_array_foreach(cells, index, one) collect_cell(&collected, dir, name, one, totals);
    rows_check_peaks(cells, collected.rows);
    json_array_foreach(json_object_get(part, "charts"), index, one)
    {
        json_t *chart = chart_build(one, collected.rows, collected.loads);
        if (json_array_size(json_object_get(chart, "series")) > 0)
            json_add(collected.charts, chart);
        else
            json_decref(chart);
    }
    json_decref(collected.loads);
    return must(json_pack("{s:s, s:O, s:o, s:o, s:o}", "part", name, "title",
                          json_object_get(part, "title"), "columns", columns_of(cells), "rows",
                          collected.rows, "charts", collected.charts));
}

static json_t *bench_json(const char *dir, const json_t *plan)
{
    struct totals totals = {0};
    json_t *parts = must(json_array());
    const json_t *part;
    size_t index;
    json_array_foreach(json_object_get(plan, "parts"), index, part)
    {
        json_add(parts, part_json(dir, part, &totals));
    }
    json_t *bench = must(
        json_pack("{s:s, s:o, s:O, s:O, s:O, s:o, s:o, s:[]}", "schema", SCHEMA_BENCH, "made",
                  totals.last ? json_text(totals.last) : json_incref(json_object_get(plan, "made")),
                  "jostle", json_object_get(plan, "jostle"), "machine",
                  json_object_get(plan, "machine"), "settings", json_object_get(plan, "settings"),
                  "duration_s", json_number(totals.spent_s), "parts", parts, "problems"));
    free(totals.last);
    return bench;
}

json_t *collect_load(const char *dir, const char *name)
{
    char *path = text_of("%s/%s", dir, name);
    char why[RECORD_WHY];
    const bool is_plan = strcmp(name, "bench-plan.json") == 0;
    json_t *object = record_read(path, is_plan ? SCHEMA_BENCH_PLAN : SCHEMA_BENCH, why);
    if (object == NULL && access(path, F_OK) == 0)
        complain("%s cannot be read (%s): give a folder that jostle bench has made", path, why);
    else if (object == NULL)
        complain("%s holds no bench (no %s): give a folder that jostle bench has made", dir, name);
    free(path);
    return object;
}

static bool exists(const char *dir, const char *name)
{
    char *path = text_of("%s/%s", dir, name);
    const bool found = access(path, F_OK) == 0;
    free(path);
    return found;
}

json_t *collect(const char *dir)
{
    if (!exists(dir, "cells") && exists(dir, "bench.json"))
        return collect_load(dir, "bench.json");
    json_t *plan = collect_load(dir, "bench-plan.json");
    if (plan != NULL)
        versions_put(plan, dir);
    json_t *bench = plan == NULL ? NULL : bench_json(dir, plan);
    json_decref(plan);
    return bench;
}
