#include "variants.h"

#include "program.h"

#include "common/machine_json.h"
#include "common/messages.h"
#include "common/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"
/* Of a name that is given, and of one that is made; @ comes before a load's. */
#define GIVEN_CHARACTERS LETTERS DIGITS "._%-"
#define MADE_CHARACTERS  GIVEN_CHARACTERS "=,+"
#define NAME_LONGEST     40

static struct variant *add(struct variants *variants, struct arena *arena)
{
    struct variant *larger = arena_take(arena, (variants->count + 1) * sizeof *larger);
    if (variants->count > 0)
        memcpy(larger, variants->variant, variants->count * sizeof *larger);
    variants->variant = larger;
    return &larger[variants->count++];
}

static void set_words(struct variant *variant, struct arena *arena, const char **words,
                      size_t count)
{
    variant->words = words;
    variant->word_count = count;
    variant->text = arena_keep(arena, words_quote(words, count));
}

void variants_set_target(struct variants *variants, struct arena *arena, const char **words,
                         size_t count)
{
    set_words(add(variants, arena), arena, words, count);
}

/* Takes "NAME=" off the text; *name is NULL where there is none. Returns the command. */
static const char *read_name(struct arena *arena, const char *text, const char **name)
{
    const size_t length = strspn(text, GIVEN_CHARACTERS);
    const bool named = length > 0 && text[length] == '=';
    *name = named ? arena_format(arena, "%.*s", (int)length, text) : NULL;
    return named ? text + length + 1 : text;
}

static void read_command(struct variant *variant, struct arena *arena, const char *option,
                         const char *command)
{
    const char *error = NULL;
    size_t count = 0;
    char **words = words_split(command, &count, &error);
    if (words == NULL)
        usage_error("--variant %s: %s: check its quotes", option, error);
    arena_keep(arena, words);
    if (count == 0)
        usage_error("--variant %s: no command: give NAME='COMMAND ARGUMENT...'", option);
    set_words(variant, arena, (const char **)words, count);
}

static bool is_taken(const struct variants *variants, const char *name)
{
    for (size_t i = 0; i < variants->count; i++)
        if (variants->variant[i].name != NULL && strcmp(variants->variant[i].name, name) == 0)
            return true;
    return false;
}

/* The text with a _ for each run of characters that no name has. */
static char *cleaned(struct arena *arena, const char *text)
{
    char *name = arena_format(arena, "%.*s", NAME_LONGEST, text), *to = name;
    for (const char *from = name; *from != '\0';) {
        const size_t good = strspn(from, MADE_CHARACTERS);
        memmove(to, from, good);
        to += good;
        from += good;
        if (*from == '\0')
            break;
        from += strcspn(from, MADE_CHARACTERS);
        *to++ = '_';
    }
    *to = '\0';
    return name;
}

static const char *base_of(const struct variant *variant)
{
    const char *slash = strrchr(variant->words[0], '/');
    return slash == NULL ? variant->words[0] : slash + 1;
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

/* Names those that have none: by their program where that tells them apart, else by all of
 * their words ("sort_-n"); a .2 where the name is taken. */
static void name_others(struct variants *variants, struct arena *arena)
{
    const char **names = arena_take(arena, variants->count * sizeof *names);
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        names[i] = cleaned(arena, is_alone(variants, variant) ? base_of(variant) : variant->text);
    }
    for (size_t i = 0; i < variants->count; i++) {
        const char *name = names[i];
        if (variants->variant[i].name != NULL)
            continue;
        for (int number = 2; is_taken(variants, name); number++)
            name = arena_format(arena, "%s.%d", names[i], number);
        variants->variant[i].name = name;
    }
}

void variants_add(struct variants *variants, struct arena *arena, const struct option_list *texts)
{
    if (texts->count < 2)
        usage_error("--variant: one is nothing to compare: give two or more, the first of which "
                    "is the reference");
    for (size_t i = 0; i < texts->count; i++) {
        const char *name;
        const char *command = read_name(arena, texts->item[i], &name);
        if (name != NULL && is_taken(variants, name))
            usage_error("--variant %s: the name %s is taken: give each variant its own",
                        texts->item[i], name);
        struct variant *variant = add(variants, arena);
        variant->name = name;
        read_command(variant, arena, texts->item[i], command);
    }
    name_others(variants, arena);
    variants->named = true;
}

static json_t *words_to_json(const struct variant *variant)
{
    json_t *words = json_array();
    for (size_t i = 0; i < variant->word_count; i++)
        json_array_append_new(words, text_to_json(variant->words[i]));
    return words;
}

json_t *variants_to_json(const struct variants *variants)
{
    if (!variants->named)
        return json_null();
    json_t *list = json_array();
    for (size_t i = 0; i < variants->count; i++) {
        const struct variant *variant = &variants->variant[i];
        json_array_append_new(
            list, json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "name", text_to_json(variant->name),
                            "command", words_to_json(variant), "shell", json_null(), "program",
                            program_to_json(variant->words[0]), "revision", json_null(),
                            "parameters", json_object()));
    }
    return list;
}
