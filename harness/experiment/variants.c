// The programs that are measured, and their record.

#include "experiment.h"

#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"

#include <string.h>
#include <unistd.h>

const char *variant_program(const struct variant *variant)
{
    size_t first = 0;
    while (first + 1 < variant->words.count && words_assignment(variant->words.item[first]))
        first++;
    return variant->words.item[first];
}

// The program, as a path from here.
static const char *program_path(const struct variant *variant, struct arena *arena)
{
    const char *program = variant_program(variant);
    if (!variant->folder || program[0] == '/' || !strchr(program, '/'))
        return program;
    return arena_format(arena, "%s/%s", variant->folder, program);
}

void variants_check_built(const struct variants *variants, struct arena *arena)
{
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        const char *path = program_path(variant, arena);
        if (variant->folder && !variant->shell && strchr(path, '/') && access(path, X_OK) != 0)
            usage_error("revision %s: there is no program %s: check TARGET, or --build",
                        variant->name, variant_program(variant));
    }
}

json_t *variant_program_to_json(const struct variant *variant, struct arena *arena)
{
    json_t *program = program_to_json(program_path(variant, arena));
    // The folder is gone when somebody reads this.
    if (variant->folder && strchr(variant_program(variant), '/'))
        json_object_set_new(program, "path", text_to_json(variant_program(variant)));
    return program;
}

json_t *variants_to_json(const struct variants *variants, struct arena *arena)
{
    if (!variants->named)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:s?, s:o, s:o, s:o, s:o, s:o, s:o}", "name",
                            text_to_json(variant->name), "title", text_to_json(variant->title),
                            "named", variant->named, "line", text_to_json(variant->line), "command",
                            texts_to_json(variant->words.item, variant->words.count), "shell",
                            text_to_json(variant->shell), "program",
                            variant_program_to_json(variant, arena), "revision",
                            revision_to_json(variant->revision), "parameters",
                            parameters_to_json(&variants->parameters, variant->combination)));
    }
    return list;
}
