// The conditions of an experiment: what their loads and settings are, and their record.

#include "conditions.h"

#include "common/machine_json.h"
#include "common/messages.h"
#include "common/text.h"

#include <string.h>

bool load_is_running(const struct load *load)
{
    return strcmp(load->words.item[0], NEIGHBOUR) == 0;
}

bool conditions_have(const struct conditions *conditions, const char *name)
{
    for (size_t i = 0; i < conditions->count; i++)
        if (strcmp(conditions->condition[i].name, name) == 0)
            return true;
    return false;
}

bool conditions_have_neighbour(const struct conditions *conditions)
{
    for (size_t i = 0; i < conditions->count; i++)
        for (size_t k = 0; k < conditions->condition[i].load_count; k++)
            if (load_is_running(&conditions->condition[i].load[k]))
                return true;
    return false;
}

struct condition *conditions_add(struct conditions *conditions, struct arena *arena,
                                 const char *name, const char *spec)
{
    conditions->condition =
        arena_more(arena, conditions->condition, conditions->count, sizeof *conditions->condition);
    struct condition *condition = &conditions->condition[conditions->count++];
    *condition = (struct condition){.name = name, .spec = spec, .bare = spec};
    return condition;
}

const char *load_unsettable(const struct load *load)
{
    return load->node              ? "settings are set on this node alone, and it is on another one"
           : load_is_running(load) ? "it runs already, as it was started"
                                   : NULL;
}

// A load of another node, or one that runs already, is not started by us.
void conditions_check_settings(const struct condition *condition)
{
    const struct adjustment *adjustment = &condition->adjustment;
    if (condition->load_count == 0 && adjustment->load.count > 0)
        usage_error("--load %s=%s: settings of which load? Give it behind them", condition->name,
                    condition->spec);
    for (size_t i = 0; i < condition->load_count && adjustment->load.count > 0; i++) {
        const struct load *load = &condition->load[i];
        if (load->node)
            usage_error("--load %s: settings are set on this node alone: leave them out, or @%s",
                        condition->name, load->node);
        if (load_is_running(load))
            usage_error("--load %s: it runs already, as it was started: leave its settings out",
                        condition->name);
    }
}

bool conditions_set_service(const struct conditions *conditions)
{
    for (size_t i = 0; i < conditions->count; i++)
        if (conditions->condition[i].adjustment.service.count > 0)
            return true;
    return false;
}

size_t conditions_service_number(const struct conditions *conditions,
                                 const struct condition *condition)
{
    size_t number = 0;
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *one = &conditions->condition[i];
        number += one->adjustment.service.count > 0;
        if (one == condition)
            return one->adjustment.service.count > 0 ? number : 0;
    }
    return 0;
}

// The condition with the same load and no settings; NULL: there is none, or it has none itself.
static const struct condition *conditions_unprotected(const struct conditions *conditions,
                                                      const struct condition *condition)
{
    if (adjustment_is_none(&condition->adjustment) || condition->load_count == 0)
        return NULL;
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *other = &conditions->condition[i];
        if (other->spec && adjustment_is_none(&other->adjustment) &&
            strcmp(other->bare, condition->bare) == 0)
            return other;
    }
    return NULL;
}

json_t *conditions_to_json(const struct conditions *conditions)
{
    json_t *loads = json_array();
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->condition[i];
        json_t *parts = json_array();
        for (size_t k = 0; k < condition->load_count; k++) {
            const struct load *part = &condition->load[k];
            json_array_append_new(parts,
                                  json_pack("{s:o, s:o, s:o}", "name", text_to_json(part->name),
                                            "node", text_to_json(part->node), "words",
                                            texts_to_json(part->words.item, part->words.count)));
        }
        json_t *load = json_pack("{s:s, s:o, s:o}", "name", condition->name, "spec",
                                 text_to_json(condition->spec), "parts", parts);
        json_array_append_new(loads, load);
        if (condition->meant)
            json_object_set_new(load, "stands_for", text_to_json(condition->meant));
        if (condition->title)
            json_object_update_new(load, json_pack("{s:s, s:b}", "title", condition->title,
                                                   "by_cpu_time", condition->by_cpu_time));
        if (adjustment_is_none(&condition->adjustment))
            continue;
        const struct condition *bare = conditions_unprotected(conditions, condition);
        json_object_set_new(load, "settings", adjustment_to_json(&condition->adjustment));
        json_object_set_new(load, "unprotected", text_to_json(!bare ? NULL : bare->name));
    }
    return loads;
}
