#include "halves.h"

#include "program.h"
#include "settings.h"
#include "template.h"

#include "common/messages.h"

#include <stdlib.h>
#include <string.h>

enum { REASON_SIZE = 256 };

#define LETTERS              "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
#define NAME_CHARACTERS      LETTERS "._%+=-"
#define CONDITION_CHARACTERS LETTERS "._%-"

/* An allocated text, or the end. */
static char *kept(char *text)
{
    if (text == NULL) {
        complain("out of memory: give fewer cells");
        exit(1);
    }
    return text;
}

static bool setting_of(const struct section *section, const struct entry *entry)
{
    return setting_known(entry->key) && !section_reserves(section->kind, entry->key);
}

static void set_setting(const struct context *context, const struct entry *entry, const char *text,
                        json_t *settings)
{
    char reason[REASON_SIZE], *value = setting_value(entry->key, text, reason, sizeof reason);
    if (value == NULL)
        config_refuse(context->config, entry, NULL, "%s: %s", text, reason);
    const char *before = json_string_value(json_object_get(settings, entry->key));
    json_t *whole = before != NULL && setting_is_list(entry->key)
                        ? json_sprintf("%s\n%s", before, value)
                        : json_string(value);
    if (json_object_set_new(settings, entry->key, whole) != 0)
        config_refuse(context->config, entry, NULL, "this is not valid UTF-8: write it so");
    free(value);
}

json_t *half_settings(const struct context *context, const struct section *section,
                      const json_t *parameters, const json_t *builtin)
{
    json_t *settings = json_object();
    for (size_t i = 0; i < section->count; i++) {
        if (!setting_of(section, section->entries[i]))
            continue;
        char *text =
            kept(template_fill(section->entries[i]->value, parameters, builtin, FILL_QUOTED));
        set_setting(context, section->entries[i], text, settings);
        free(text);
    }
    return settings;
}

/* 32 digits of what makes a half another one; the line break is part of it. */
static void set_key(struct half *half, json_t *definition)
{
    char digits[SHA256_DIGITS + 1], *text = kept(json_dumps(definition, JSON_COMPACT));
    const size_t length = strlen(text);
    text[length] = '\n';
    sha256_hex(text, length + 1, digits);
    memcpy(half->key, digits, HALF_KEY_DIGITS);
    free(text);
    json_decref(definition);
}

/* Adds text to a stream with one _ for each character that is none of allowed. */
static void put_safe(FILE *stream, const char *text, const char *allowed)
{
    for (; *text != '\0'; text++)
        if (strchr(allowed, *text) != NULL)
            fputc(*text, stream);
        else if (((unsigned char)*text & 0xC0) != 0x80) /* not inside a UTF-8 character */
            fputc('_', stream);
}

enum joined { JOINED_VALUES, JOINED_PAIRS };

/* "name.n=1.m=2", or the values alone: "name.1.2". */
static char *joined_name(const char *name, const json_t *parameters, enum joined joined,
                         const char *separator, const char *allowed)
{
    char *text = NULL;
    size_t size;
    FILE *stream = open_memstream(&text, &size);
    if (stream == NULL)
        return kept(NULL);
    const char *parameter;
    json_t *value;
    put_safe(stream, name, allowed);
    json_object_foreach((json_t *)parameters, parameter, value)
    {
        fputs(separator, stream);
        if (joined == JOINED_PAIRS) {
            put_safe(stream, parameter, allowed);
            fputc('=', stream);
        }
        put_safe(stream, json_string_value(value), allowed);
    }
    return fclose(stream) == 0 ? text : kept(NULL);
}

/* The target with its parameters for people: "name n=1 m=2". */
static char *label_of(const char *name, const json_t *parameters)
{
    char *text = kept(strdup(name));
    const char *parameter;
    json_t *value;
    json_object_foreach((json_t *)parameters, parameter, value)
    {
        char *longer = NULL;
        if (asprintf(&longer, "%s %s=%s", text, parameter, json_string_value(value)) < 0)
            longer = NULL;
        free(text);
        text = kept(longer);
    }
    return text;
}

static struct half *new_half(struct halves *halves)
{
    struct half *list = realloc(halves->list, (halves->count + 1) * sizeof *list);
    kept((char *)list);
    halves->list = list;
    list[halves->count] = (struct half){0};
    return &list[halves->count++];
}

/* --- targets */

static json_t *filled_words(char **words, size_t count, const json_t *parameters,
                            const json_t *builtin)
{
    json_t *filled = json_array();
    for (size_t i = 0; i < count; i++) {
        char *word = kept(template_fill(words[i], parameters, builtin, FILL_PLAIN));
        json_array_append_new(filled, json_string(word));
        free(word);
    }
    return filled;
}

static json_t *target_definition(const struct context *context, const struct section *section,
                                 const struct half *half, char **words, size_t count)
{
    json_t *settings = json_copy(context->settings_text);
    json_t *own = half_settings(context, section, half->parameters, context->self);
    json_object_update(settings, own);
    json_object_update(settings, context->overrides);
    settings_drop_false(settings);
    json_decref(own);
    json_t *fixed = settings_fixed(settings);
    json_decref(settings);
    return json_pack("[sOoo]", half->name, half->parameters,
                     filled_words(words, count, half->parameters, context->self), fixed);
}

static void add_target(const struct context *context, const struct section *section,
                       struct halves *halves)
{
    const struct entry *command = section_entry(section, "command");
    size_t count, i;
    if (command == NULL)
        config_refuse(context->config, section->entries[0], "",
                      "there is no command: add command = PROGRAM ARGUMENTS");
    char **words = entry_words(context->config, command, &count);
    if (count == 0)
        config_refuse(context->config, command, NULL,
                      "it is empty: write command = PROGRAM ARGUMENTS");
    json_t *choices = section_choices(context->config, section), *parameters;
    section_check_placeholders(context->config, section, json_array_get(choices, 0),
                               context->builtin);
    json_array_foreach(choices, i, parameters)
    {
        struct half *half = new_half(halves);
        half->name = section->name;
        half->parameters = json_incref(parameters);
        half->part = joined_name(half->name, parameters, JOINED_PAIRS, ".", NAME_CHARACTERS);
        half->label = label_of(half->name, parameters);
        half->section = section;
        half->settings = half_settings(context, section, parameters, context->builtin);
        half->command = filled_words(words, count, parameters, context->builtin);
        set_key(half, target_definition(context, section, half, words, count));
        program_find(context, command, half->command);
    }
    json_decref(choices);
    free(words);
}

struct halves halves_of_targets(const struct context *context, const struct sections *targets)
{
    struct halves halves = {0};
    for (size_t i = 0; i < targets->count; i++)
        add_target(context, &targets->list[i], &halves);
    return halves;
}

/* --- loads */

/* "", or "@" and where the load runs. */
static char *load_node(const struct context *context, const struct section *section)
{
    const struct entry *entry = section_entry(section, "node");
    char *node = NULL;
    if (entry == NULL)
        return kept(strdup(""));
    const size_t digits = strspn(entry->value, "0123456789");
    if (strcmp(entry->value, "all-others") != 0 &&
        (entry->value[0] == '0' || digits == 0 || entry->value[digits] != '\0'))
        config_refuse(context->config, entry, NULL,
                      "%s is no place: give a number of a node from 1 on, or all-others",
                      entry->value);
    return kept(asprintf(&node, "@%s", entry->value) < 0 ? NULL : node);
}

/* What the load's runs are called in the records. */
static char *condition_of(const char *name, const json_t *parameters)
{
    char *text = joined_name(name, parameters, JOINED_VALUES, "-", CONDITION_CHARACTERS);
    if (strcmp(text, "baseline") != 0 && strcmp(text, "aa") != 0)
        return text;
    char *other = NULL;
    kept(asprintf(&other, "%s-load", text) < 0 ? NULL : other);
    free(text);
    return other;
}

static void set_load_key(const struct context *context, const struct section *section,
                         const char *spec, struct half *half)
{
    char *text = kept(template_fill(spec, half->parameters, NULL, FILL_QUOTED));
    json_t *own = half_settings(context, section, half->parameters, context->self);
    set_key(half, json_pack("[ssOso]", half->name, half->node, half->parameters, text,
                            settings_fixed(own)));
    json_decref(own);
    free(text);
}

static void add_load(const struct context *context, const struct section *section,
                     struct halves *halves)
{
    const struct entry *spec = section_entry(section, "spec");
    static const char example[] = "a loadgen command line, such as cpu --percent 50";
    size_t i;
    if (spec == NULL)
        config_refuse(context->config, section->entries[0], "", "there is no spec: add spec = %s",
                      example);
    if (spec->value[strspn(spec->value, " \t")] == '\0')
        config_refuse(context->config, spec, NULL, "it is empty: write spec = %s", example);
    json_t *choices = section_choices(context->config, section), *parameters;
    section_check_placeholders(context->config, section, json_array_get(choices, 0),
                               context->builtin);
    json_array_foreach(choices, i, parameters)
    {
        struct half *half = new_half(halves);
        half->name = section->name;
        half->parameters = json_incref(parameters);
        half->part = joined_name(half->name, parameters, JOINED_VALUES, ".", NAME_CHARACTERS);
        half->condition = condition_of(half->name, parameters);
        half->node = load_node(context, section);
        half->settings = half_settings(context, section, parameters, context->builtin);
        half->spec = kept(template_fill(spec->value, parameters, context->builtin, FILL_QUOTED));
        set_load_key(context, section, spec->value, half);
    }
    json_decref(choices);
}

static void add_no_load(struct halves *halves)
{
    struct half *half = new_half(halves);
    half->parameters = json_object();
    half->settings = json_object();
    half->condition = kept(strdup("baseline"));
    half->node = kept(strdup(""));
    set_key(half, json_pack("[nsOn{}]", "", half->parameters));
}

struct halves halves_of_loads(const struct context *context, const struct sections *loads)
{
    struct halves halves = {0};
    for (size_t i = 0; i < loads->count; i++)
        add_load(context, &loads->list[i], &halves);
    add_no_load(&halves);
    return halves;
}

void halves_free(struct halves *halves)
{
    for (size_t i = 0; i < halves->count; i++) {
        struct half *half = &halves->list[i];
        json_decref(half->parameters);
        json_decref(half->settings);
        json_decref(half->command);
        free(half->part);
        free(half->label);
        free(half->condition);
        free(half->spec);
        free(half->node);
    }
    free(halves->list);
}
