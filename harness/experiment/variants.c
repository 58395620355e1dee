#include "variants.h"

#include <string.h>
#include <unistd.h>

#include "common/machine_json.h"
#include "common/messages.h"
#include "common/words.h"
#include "program.h"

const char *variant_program(const struct variant *variant)
{
    size_t first = 0;
    while (first + 1 < variant->word_count && words_assignment(variant->words[first]))
        first++;
    return variant->words[first];
}

/* The program, as a path from here. */
static const char *program_path(const struct variant *variant, struct arena *arena)
{
    const char *program = variant_program(variant);
    if (variant->folder == NULL || program[0] == '/' || strchr(program, '/') == NULL)
        return program;
    return arena_format(arena, "%s/%s", variant->folder, program);
}

void variants_check_built(const struct variants *variants, struct arena *arena)
{
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        const char *path = program_path(variant, arena);
        if (variant->folder != NULL && variant->shell == NULL && strchr(path, '/') != NULL &&
            access(path, X_OK) != 0)
            usage_error("revision %s: there is no program %s: check TARGET, or --build",
                        variant->name, variant_program(variant));
    }
}

json_t *variant_program_to_json(const struct variant *variant, struct arena *arena)
{
    json_t *program = program_to_json(program_path(variant, arena));
    /* The folder is gone when somebody reads this. */
    if (variant->folder != NULL && strchr(variant_program(variant), '/') != NULL)
        json_object_set_new(program, "path", text_to_json(variant_program(variant)));
    return program;
}

static json_t *words_to_json(const struct variant *variant)
{
    json_t *words = json_array();
    for (size_t i = 0; i < variant->word_count; i++)
        json_array_append_new(words, text_to_json(variant->words[i]));
    return words;
}

json_t *variants_to_json(const struct variants *variants, struct arena *arena)
{
    if (!variants->named)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        json_array_append_new(
            list,
            json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", text_to_json(variant->name),
                      "command", words_to_json(variant), "shell", text_to_json(variant->shell),
                      "program", variant_program_to_json(variant, arena), "revision",
                      revision_to_json(variant->revision), "parameters",
                      parameters_to_json(&variants->parameters, variant->combination)));
    }
    return list;
}

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
    combinations->commands = variants->count;
    for (size_t i = 0; i < conditions->count; i++) {
        const struct condition *condition = &conditions->condition[i];
        const bool own = condition->adjustment.target.count > 0;
        for (size_t j = 0; j < variants->count; j++)
            combinations->combination[combinations->count++] = (struct combination){
                .name = name_of(arena, &variants->variant[j], condition),
                .variant = j,
                .condition = condition,
                .command = own ? combinations->commands++ : j,
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
