#include "combinations.h"

#include "common/machine_json.h"
#include "common/messages.h"

static bool is_alone(const struct condition *condition)
{
    return condition->load_count == 0;
}

static const char *name_of(struct arena *arena, const struct variant *variant,
                           const struct condition *condition)
{
    if (variant->name == NULL)
        return condition->name;
    if (is_alone(condition))
        return variant->name;
    return arena_format(arena, "%s@%s", variant->name, condition->name);
}

void combinations_make(struct combinations *combinations, struct arena *arena,
                       const struct variants *variants, const struct conditions *conditions)
{
    const size_t count = variants->count * conditions->count;
    if (count > COMBINATIONS_MOST)
        usage_error("%zu variants under %zu conditions are %zu: give at most %d", variants->count,
                    conditions->count, count, COMBINATIONS_MOST);
    combinations->combination = arena_take(arena, count * sizeof *combinations->combination);
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->condition[i];
        for (size_t j = 0; j < variants->count; j++)
            combinations->combination[combinations->count++] = (struct combination){
                .name = name_of(arena, &variants->variant[j], condition),
                .variant = j,
                .condition = condition,
            };
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
