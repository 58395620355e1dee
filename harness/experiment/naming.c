#include "naming.h"

#include "name.h"

#include <string.h>

#define NAME_LONGEST 40

static bool is_taken(const struct variants *variants, const char *name)
{
    for (size_t i = 0; i < variants->count; i++)
        if (variants->variant[i].name != NULL && strcmp(variants->variant[i].name, name) == 0)
            return true;
    return false;
}

static const char *base_of(const struct variant *variant)
{
    const char *program = variant_program(variant), *slash = strrchr(program, '/');
    return slash == NULL ? program : slash + 1;
}

/* Whether no other variant that needs a name runs a program of that name. */
static bool is_alone(const struct variants *variants, const struct variant *variant)
{
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *other = &variants->variant[i];
        if (other != variant && other->name == NULL &&
            strcmp(base_of(other), base_of(variant)) == 0)
            return false;
    }
    return true;
}

/* Its words, with the program's folder or without. */
static const char *words_of(const struct variant *variant, bool folder)
{
    const char *program = variant_program(variant);
    const bool first = strncmp(variant->text, program, strlen(program)) == 0;
    return folder || !first ? variant->text : variant->text + (base_of(variant) - program);
}

/* Whether its words without the folder are those of no other variant without a name. */
static bool is_told_apart(const struct variants *variants, const struct variant *variant)
{
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *other = &variants->variant[i];
        if (other != variant && other->name == NULL &&
            strncmp(words_of(other, false), words_of(variant, false), NAME_LONGEST) == 0)
            return false;
    }
    return true;
}

/* What it is called where nothing else is called so. Behind "sh -c" is what tells. */
static const char *proposed(const struct variants *variants, struct arena *arena,
                            const struct variant *variant)
{
    const char *text = variant->shell != NULL ? variant->words[variant->word_count - 1]
                       : is_alone(variants, variant)
                           ? base_of(variant)
                           : words_of(variant, !is_told_apart(variants, variant));
    return name_clean(arena, arena_format(arena, "%.*s", NAME_LONGEST, text));
}

void naming_complete(struct variants *variants, struct arena *arena)
{
    const char **names = arena_take(arena, variants->count * sizeof *names);
    for (size_t i = 0; i < variants->count; i++)
        names[i] = proposed(variants, arena, &variants->variant[i]);
    for (size_t i = 0; i < variants->count; i++) {
        const char *name = names[i];
        if (variants->variant[i].name != NULL)
            continue;
        for (int number = 2; is_taken(variants, name); number++)
            name = arena_format(arena, "%s.%d", names[i], number);
        variants->variant[i].name = name;
    }
}

const char *naming_double(const struct variants *variants)
{
    for (size_t i = 0; i < variants->count; i++)
        for (size_t j = i + 1; j < variants->count; j++)
            if (strcmp(variants->variant[i].name, variants->variant[j].name) == 0)
                return variants->variant[i].name;
    return NULL;
}
