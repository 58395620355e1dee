// The record of one run, put together from what meter, the loads, the probe and the service said.

#include "conduct.h"

#include "harness/stats/json.h"
#include "harness/stats/messages.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <stdio.h>
#include <string.h>

// The loads of the run, with their last marks.
static json_t *loads_json(const struct conduct *conduct, double mark_delay_s)
{
    const char *load =
        experiment_member(&conduct->experiment, (size_t)conduct->course.next.condition, "load");
    json_t *loads = json_array();
    for (size_t i = 0; i < conduct->sources.count; i++) {
        const struct source *source = &conduct->sources.source[i];
        if (!load || !source->condition || !source->last || strcmp(source->condition, load) != 0)
            continue;
        json_t *object = json_pack("{s:s}", "name", source->name);
        if (source->node)
            json_extend(object, json_pack("{s:s, s:f}", "node", source->node, "mark_delay_s",
                                          mark_delay_s));
        json_object_update(object, source->last);
        json_object_del(object, "event");
        json_object_del(object, "mark");
        json_array_append_new(loads, object);
    }
    return loads;
}

static json_t *without_event(const json_t *event)
{
    json_t *object = event ? json_copy((json_t *)event) : json_null();
    json_object_del(object, "event");
    return object;
}

static json_t *flags_json(const struct conduct *conduct, const json_t *record)
{
    json_t *flags =
        judge_flags(record, conduct->experiment.cpus, conduct->experiment.shared_at_once);
    if (conduct->course.next.block == 0)
        json_array_append_new(flags,
                              json_string(conduct->course.is_washout ? "washout" : "warmup"));
    return flags;
}

json_t *assemble_run(struct conduct *conduct, const json_t *meter, double mark_delay_s)
{
    const struct settings *settings = &conduct->experiment.settings;
    const struct decision *next = &conduct->course.next;
    const struct source *service = sources_find(&conduct->sources, "service");
    json_t *record =
        json_pack("{s:s, s:s, s:I, s:I, s:s, s:s?}", "schema", SCHEMA_RUN, "condition",
                  settings->conditions[next->condition], "block", (json_int_t)next->block, "order",
                  (json_int_t)next->order, "host", conduct->host, "variant",
                  experiment_member(&conduct->experiment, (size_t)next->condition, "variant"));
    const char *key;
    json_t *value;
    if (conduct->course.is_washout)
        json_object_set_new(record, "washout", json_true());
    if (conduct->course.is_start)
        json_object_set_new(record, "service_start", json_true());
    if (next->washed > 0)
        json_object_set_new(record, "washout_runs", json_integer((json_int_t)next->washed));
    if (settings_has_capacity(settings))
        json_object_set_new(record, "vary",
                            json_pack("{s:o}", settings->vary.name, json_figure(next->value)));
    json_object_foreach((json_t *)meter, key, value)
    {
        if (strcmp(key, "schema") != 0)
            json_object_set(record, key, value);
    }
    if (conduct->probe)
        json_object_set_new(record, "probe", without_event(conduct->probe));
    json_object_set_new(record, "service", without_event(service ? service->last : NULL));
    json_object_set_new(record, "load", loads_json(conduct, mark_delay_s));
    if (json_array_size(conduct->undone) > 0)
        json_object_set_new(record, "undone", json_copy(conduct->undone));
    json_object_set_new(record, "flags", flags_json(conduct, record));
    record_note_failure(settings, record);
    return must(record);
}

// ---- hyperfine ----

static json_t *first(const json_t *object, const char *name)
{
    json_t *value = json_array_get(json_object_get(object, name), 0);
    return value ? json_incref(value) : json_null();
}

bool assemble_hyperfine(struct conduct *conduct, json_t *meter)
{
    const char *engine = json_string_value(experiment_setting(&conduct->experiment, "engine"));
    if (!engine || strcmp(engine, "hyperfine") != 0)
        return true;
    OWNED char *path = folder_file(&conduct->folder, "hyperfine.json");
    json_auto_t *exported = json_read_record(path, 0, NULL);
    remove(path);
    const json_t *result = json_array_get(json_object_get(exported, "results"), 0);
    if (!json_is_number(json_array_get(json_object_get(result, "times"), 0)))
        return false;
    json_t *exit_code = first(result, "exit_codes");
    json_extend(meter,
                json_pack("{s:o, s:o, s:o, s:o}", "wall_s", first(result, "times"), "user_s",
                          json_member(result, "user"), "system_s", json_member(result, "system"),
                          "max_rss_bytes", first(result, "memory_usage_byte")));
    if (!json_is_null(exit_code)) // else meter knows the signal
        json_object_set_new(meter, "signal", json_null());
    json_extend(meter, json_pack("{s:o, s:n, s:n, s:s}", "exit_code", exit_code, "tree_peak_bytes",
                                 "stalls", "accounting", "hyperfine"));
    return true;
}
