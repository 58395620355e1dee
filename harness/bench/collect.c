// From the records of a bench to bench.json.

#include "bench.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

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
    averages_add(cells, collected->rows);
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
