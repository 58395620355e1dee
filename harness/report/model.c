#include "model.h"

#include "experiment.h"
#include "family.h"
#include "legend.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Members that are objects of a record, without two of theirs. */
static void put_without(struct line *json, const char *name, const struct value *object,
                        const char *first, const char *second)
{
    if (object == NULL) {
        line_null(json, name);
        return;
    }
    line_object(json, name);
    for (const struct value *item = NULL; view_each(object, &item);) {
        OWNED char *key = must(strndup(item->key, item->key_length));
        if (strcmp(key, first) != 0 && strcmp(key, second) != 0)
            view_put(json, key, item);
    }
}

/* What the slowdown is among all of the report. */
static void put_family(struct line *json, const struct value *slowdown, const struct family *family)
{
    line_real(json, "q", family_q_of(family, slowdown));
    line_bool(json, "survives", family_survives(family, slowdown));
}

static void put_slowdowns(struct line *json, const struct cell *cell)
{
    put_without(json, "slowdown", cell->slowdown, "attribution", "condition");
    if (cell->slowdown != NULL) {
        if (isnan(cell->noise_floor))
            line_null(json, "noise_floor");
        else
            line_real(json, "noise_floor", cell->noise_floor);
        put_family(json, cell->slowdown, cell->of->family);
        line_close(json);
    }
    line_array(json, "all_slowdowns");
    const struct value *all = view_get(cell->of->result.top, "slowdowns");
    for (const struct value *item = NULL; cell->condition != NULL && view_each(all, &item);)
        if (view_equals(view_get(item, "condition"), cell->condition)) {
            put_without(json, NULL, item, "attribution", "condition");
            put_family(json, item, cell->of->family);
            line_close(json);
        }
    line_close(json);
}

/* The comparisons, or interactions, of the cell's variant: alone, and under its load. */
static void put_of_variant(struct line *json, const char *name, const struct cell *cell)
{
    const struct value *all = view_get(cell->of->result.top, name);
    const struct value *load = view_get(experiment_condition(cell->of, cell->condition), "load");
    const struct value *variant =
        view_get(experiment_condition(cell->of, cell->reference), "variant");
    line_array(json, name);
    for (const struct value *item = NULL; view_each(all, &item);) {
        if (!comparison_is_of(item, variant, NULL) && !comparison_is_of(item, variant, load))
            continue;
        put_without(json, NULL, item, "text", "variant");
        put_family(json, item, cell->of->family);
        line_close(json);
    }
    line_close(json);
}

static void put_variant(struct line *json, const struct cell *cell)
{
    if (cell->variant == NULL)
        return;
    put_of_variant(json, "comparisons", cell);
    put_of_variant(json, "interactions", cell);
    view_put(json, "gate", view_get(cell->of->result.top, "gate"));
}

static void put_achieved(struct line *json, const struct cell *cell)
{
    static const char *const members[] = {"unit", "offered", "achieved",
                                          "late", "dropped", "cpu_s"};
    if (cell->load_entry == NULL) {
        line_null(json, "achieved");
        return;
    }
    line_object(json, "achieved");
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        view_put(json, members[i], view_get(cell->load_entry, members[i]));
    line_bool(json, "short", cell->is_short);
    view_put(json, "loads", view_get(cell->loaded, "load"));
    line_close(json);
}

static void put_warnings(struct line *json, const struct cell *cell)
{
    line_array(json, "warnings");
    for (size_t i = 0; i < cell->warning_count; i++) {
        const struct warning *warning = &cell->warnings[i];
        line_object(json, NULL);
        line_text(json, "flag", warning->flag);
        line_text(json, "severity", warning->problem ? "problem" : "note");
        view_put(json, "condition", view_get(warning->record, "condition"));
        view_put(json, "metric", view_get(warning->record, "metric"));
        line_text(json, "message", warning->text);
        if (view_get(warning->record, "runs") != NULL)
            view_put(json, "runs", view_get(warning->record, "runs"));
        else
            line_raw(json, "runs", "[]");
        line_close(json);
    }
    line_close(json);
    line_array(json, "flags");
    for (size_t i = 0; i < cell->flag_count; i++)
        line_text(json, NULL, cell->flags[i]);
    line_close(json);
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
    if (cell->parameters != NULL)
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

char *model_cell(const struct cell *cell, const char *lists)
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
    if (cell->loaded != NULL)
        line_close(&json);
    put_slowdowns(&json, cell);
    put_variant(&json, cell);
    view_put(&json, "capacity", view_get(of->result.top, "capacity"));
    view_put(&json, "protection", view_get(of->result.top, "protection"));
    put_achieved(&json, cell);
    view_put(&json, "attribution",
             view_get(slowdown_of(of, cell->condition, metrics[METRIC_WALL].name), "attribution"));
    if (view_is(view_get(of->result.top, "machine"), VIEW_OBJECT))
        view_put(&json, "machine", view_get(of->result.top, "machine"));
    put_warnings(&json, cell);
    if (lists != NULL)
        line_raw(&json, "runs", lists);
    line_close(&json);
    must(json.failed ? NULL : json.text);
    return json.text;
}
