// The conditions of a block: each variant alone and under each load.

#include "experiment.h"

#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"

static bool is_alone(const struct condition *condition)
{
    return condition->load_count == 0;
}

void combinations_make(struct combinations *combinations, struct arena *arena,
                       const struct variants *variants, const struct conditions *conditions)
{
    const size_t count = variants->count * conditions->count;
    if (count > COMBINATIONS_MOST)
        usage_error("%zu variants under %zu conditions are %zu: give at most %d", variants->count,
                    conditions->count, count, COMBINATIONS_MOST);
    combinations->combination = arena_take(arena, count * sizeof *combinations->combination);
    combinations->commands = variants->count;
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->condition[i];
        const bool own = condition->adjustment.target.count > 0;
        for (size_t j = 0; j < variants->count; j++) {
            const char *name = variants->variant[j].name;
            if (!name)
                name = condition->name;
            else if (!is_alone(condition))
                name = arena_format(arena, "%s@%s", name, condition->name);
            combinations->combination[combinations->count++] = (struct combination){
                .name = name,
                .variant = j,
                .condition = condition,
                .command = own ? combinations->commands++ : j,
            };
        }
    }
}

json_t *combinations_to_json(const struct combinations *combinations,
                             const struct variants *variants)
{
    json_t *list = json_array();
    for (size_t i = 0; i < combinations->count; i++) {
        const struct combination *one = &combinations->combination[i];
        const struct condition *condition = one->condition;
        json_array_append_new(
            list, json_pack("{s:s, s:o, s:o}", "name", one->name, "variant",
                            text_to_json(variants->variant[one->variant].name), "load",
                            text_to_json(is_alone(condition) ? NULL : condition->name)));
    }
    return list;
}
