#include "campaign.h"
#include "harness/experiment/settings.h"

#include "common/child.h"
#include "common/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NS_PER_US = 1000, US_PER_S = 1000000 };

// Refuses to measure, but measures nothing else.
static const char strictness[] = "strict";

static char *flag_value(const char *text, char *error, size_t size)
{
    static const char *const yes[] = {"true", "yes", "on", "1", NULL};
    static const char *const no[] = {"false", "no", "off", "0", NULL};
    for (size_t i = 0; yes[i] != NULL; i++) {
        if (strcmp(text, yes[i]) == 0)
            return strdup("1");
        if (strcmp(text, no[i]) == 0)
            return strdup("");
    }
    snprintf(error, size, "give true or false");
    return NULL;
}

// The text without line breaks, which separate the values of a list.
static char *plain_text(const char *text)
{
    char *copy = must(strdup(text));
    for (char *c = copy; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    return copy;
}

char *setting_value(const char *name, const char *text, char *error, size_t size)
{
    const struct option_row *row = setting_find(name);
    struct settings settings;
    if (row->type == OPTION_FLAG)
        return flag_value(text, error, size);
    // What the option means without a value, or "" for false; a number would be an exit code.
    char *flag = row->bare && !isdigit((unsigned char)*text) ? flag_value(text, error, size) : NULL;
    if (flag && *flag == '\0')
        return flag;
    if (flag) {
        free(flag);
        return must(strdup(row->bare));
    }
    experiment_settings_begin(&settings);
    if (row->type == OPTION_LIST)
        return option_allows(row, text, error, size) ? plain_text(text) : NULL;
    if (!option_set(row, &settings, text, error, size))
        return NULL;
    const void *field = (const char *)&settings + row->offset;
    if (row->type == OPTION_TIME) {
        const int64_t us = *(const int64_t *)field / NS_PER_US;
        return text_of("%" PRIi64 ".%06" PRIi64, us / US_PER_S, us % US_PER_S);
    }
    if (row->type != OPTION_FRACTION)
        return plain_text(text);
    char *value = text_of("%.8f", *(const double *)field);
    for (size_t length = strlen(value); length > 0 && value[length - 1] == '0'; length--)
        value[length - 1] = '\0';
    return value;
}

bool setting_add(json_t *settings, const char *name, const char *value)
{
    const char *before = json_string_value(json_object_get(settings, name));
    json_t *whole = before && setting_find(name)->type == OPTION_LIST
                        ? json_sprintf("%s\n%s", before, value)
                        : json_string(value);
    return json_object_set_new(settings, name, whole) == 0;
}

void settings_drop_false(json_t *settings)
{
    const char *name;
    json_t *value;
    void *next;
    json_object_foreach_safe(settings, next, name, value) if (json_string_length(value) == 0)
        json_object_del(settings, name);
}

// Of settings {name: text}: those that make another experiment, for its key. To be released.
static json_t *settings_fixed(const json_t *settings)
{
    // As it was called and written when campaigns were measured whose records are still there:
    // --conclude as --cleanup, and that all failures are ignored as a flag.
    static const char *const then[][2] = {{"cleanup", "cleanup-all"}, {"conclude", "cleanup"}};
    json_t *found = json_object(), *value;
    const char *name;
    json_object_foreach((json_t *)settings, name, value)
    {
        const char *key = name;
        if (setting_is_limit(name, json_string_value(value)) || strcmp(name, strictness) == 0)
            continue;
        for (size_t i = 0; i < sizeof then / sizeof *then; i++)
            if (strcmp(name, then[i][0]) == 0)
                key = then[i][1];
        const bool all = strcmp(name, "ignore-failure") == 0 &&
                         strcmp(json_string_value(value), "all-non-zero") == 0;
        json_object_set_new(found, key, all ? json_string("1") : json_incref(value));
    }
    return found;
}

enum { REASON_SIZE = 256 };

#define NAME_CHARACTERS      LETTERS "._%+=-"
#define CONDITION_CHARACTERS LETTERS "._%-"

json_t *half_settings(const struct context *context, const struct section *section,
                      const json_t *parameters, const json_t *builtin)
{
    json_t *settings = json_object();
    for (size_t i = 0; i < section->count; i++) {
        const struct entry *entry = section->entries[i];
        char reason[REASON_SIZE];
        if (!section_sets(section, entry))
            continue;
        OWNED char *text = template_fill(entry->value, parameters, builtin, FILL_QUOTED);
        OWNED char *value = setting_value(entry->key, text, reason, sizeof reason);
        if (!value)
            config_refuse(context->config, entry, NULL, "%s%s%s", text, *text == '\0' ? "" : ": ",
                          reason);
        if (!setting_add(settings, entry->key, value))
            config_refuse(context->config, entry, NULL,
                          "this is not valid UTF-8: save the file as UTF-8");
    }
    return settings;
}

// 32 digits of what makes a half another one; the line break is part of it.
static void set_key(struct half *half, json_t *definition)
{
    char digits[SHA256_DIGITS + 1];
    OWNED char *text = must(json_dumps(definition, JSON_COMPACT));
    const size_t length = strlen(text);
    text[length] = '\n';
    sha256_hex(text, length + 1, digits);
    memcpy(half->key, digits, HALF_KEY_DIGITS);
    json_decref(definition);
}

// "name.n=1.m=2", or the values alone: "name.1.2".
static char *joined_name(const char *name, const json_t *parameters, bool pairs,
                         const char *separator, const char *allowed)
{
    OWNED char *text = text_of("%s", name);
    const char *parameter;
    json_t *value;
    json_object_foreach((json_t *)parameters, parameter, value) text =
        text_added(text, "%s%s%s%s", separator, pairs ? parameter : "", pairs ? "=" : "",
                   json_string_value(value));
    return safe_text(text, allowed);
}

// What every section of a kind needs.
struct kind {
    const char *key, *example; // command or spec
    const char *instead;       // a setting that takes its place; NULL: none does
    // Fills in what is the kind's own; text is the entry of the key, or the first of the
    // setting in its place.
    void (*complete)(const struct context *context, struct half *half, const struct entry *text);
};

static const struct entry *needed_entry(const struct context *context,
                                        const struct section *section, const struct kind *kind)
{
    const struct entry *entry = section_entry(section, kind->key);
    const struct entry *other = NULL; // the first of what takes its place
    for (size_t i = 0; kind->instead && !other && i < section->count; i++)
        if (strcmp(section->entries[i]->key, kind->instead) == 0)
            other = section->entries[i];
    if (entry && other)
        config_refuse(context->config, other, NULL, "there is a %s, too: keep one of them",
                      kind->key);
    if (other)
        return other;
    if (!entry)
        config_refuse(context->config, section->entries[0], "", "there is no %s: add %s = %s",
                      kind->key, kind->key, kind->example);
    if (entry->value[strspn(entry->value, " \t\n")] == '\0')
        config_refuse(context->config, entry, NULL, "it is empty: write %s = %s", kind->key,
                      kind->example);
    return entry;
}

// A half for each choice of a section's parameters.
static void add_section(const struct context *context, const struct section *section,
                        const struct kind *kind, struct halves *halves)
{
    const struct entry *text = needed_entry(context, section, kind);
    json_auto_t *choices = section_choices(context->config, section);
    section_check_placeholders(context->config, section, json_array_get(choices, 0),
                               context->builtin);
    JSON_EACH (parameters, choices) {
        struct half half = {.name = section->name,
                            .section = section,
                            .parameters = json_incref(parameters),
                            .settings =
                                half_settings(context, section, parameters, context->builtin)};
        kind->complete(context, &half, text);
        MORE(halves) = half;
    }
}

static struct halves halves_of(const struct context *context, const struct sections *sections,
                               const struct kind *kind)
{
    struct halves halves = {0};
    for (size_t i = 0; i < sections->count; i++)
        add_section(context, &sections->list[i], kind, &halves);
    return halves;
}

// --- targets

static bool find_program(const struct context *context, const char *word, char path[PATH_MAX])
{
    const char *file = context->config->file, *slash = strrchr(file, '/');
    if (word[0] == '/') {
        snprintf(path, PATH_MAX, "%s", word);
        return true;
    }
    if (strchr(word, '/')) {
        snprintf(path, PATH_MAX, "%.*s/%s", slash ? (int)(slash - file) : 1, slash ? file : ".",
                 strncmp(word, "./", 2) == 0 ? word + 2 : word);
        return child_is_program(path);
    }
    snprintf(path, PATH_MAX, "%s/%s", context->workloads, word);
    if (child_is_program(path))
        return true;
    // A load, copies or the doctor as a target are jostle's own, whatever else has that name.
    const bool own =
        strcmp(word, "loadgen") == 0 || strcmp(word, "copies") == 0 || strcmp(word, "doctor") == 0;
    if (own && child_is_program(child_path(word, path)))
        return true;
    char found[PATH_MAX], here[PATH_MAX] = "";
    if (!child_find(word, found) || (found[0] != '/' && !getcwd(here, sizeof here)))
        return false;
    return snprintf(path, PATH_MAX, "%s%s%s", here, *here ? "/" : "", found) < PATH_MAX;
}

// Replaces the first word of a command by the path of the program that it names: one of jostle's
// workloads, its loadgen, else one in PATH; relative paths count from the campaign file's folder.
// Refuses one that does not exist.
static void program_find(const struct context *context, const struct entry *entry, json_t *command)
{
    const char *word = json_string_value(json_array_get(command, 0));
    char path[PATH_MAX];
    if (!find_program(context, word, path))
        config_refuse(context->config, entry, NULL,
                      "%s: no such program in workloads, nor in PATH: fix the command, or build it",
                      word);
    json_array_set_new(command, 0, json_string(path));
}

static json_t *filled_words(char **words, size_t count, const json_t *parameters,
                            const json_t *builtin)
{
    json_t *filled = json_array();
    for (size_t i = 0; i < count; i++) {
        OWNED char *word = template_fill(words[i], parameters, builtin, FILL_PLAIN);
        json_array_append_new(filled, json_string(word));
    }
    return filled;
}

static json_t *target_definition(const struct context *context, const struct half *half,
                                 char **words, size_t count)
{
    json_auto_t *settings = json_copy(context->settings_text);
    json_auto_t *own = half_settings(context, half->section, half->parameters, context->self);
    json_object_update(settings, own);
    json_object_update(settings, context->overrides);
    settings_drop_false(settings);
    return json_pack("[sOoo]", half->name, half->parameters,
                     filled_words(words, count, half->parameters, context->self),
                     settings_fixed(settings));
}

// Whether a target's command line is a shell's: by --set, its own setting, or the campaign's.
static bool has_shell(const struct context *context, const struct half *half)
{
    const json_t *const settings[] = {context->overrides, half->settings, context->settings};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *shell = json_string_value(json_object_get(settings[i], "shell"));
        if (shell)
            return strcmp(shell, "none") != 0;
    }
    return false;
}

static void refuse_operator(const struct context *context, const struct entry *entry)
{
    const char *operator= words_operator(entry->value);
    char name[2];
    if (operator!= NULL)
        config_refuse(context->config, entry, NULL,
                      "no shell reads this, so %s would be a word like any other: quote it, or "
                      "set shell = sh",
                      words_operator_name(operator, name));
}

static json_t *complete_command(const struct context *context, struct half *half,
                                const struct entry *command)
{
    size_t count;
    if (has_shell(context, half)) {
        // What a shell reads is one word, whose programs the shell finds.
        OWNED char *text = must(strdup(command->value));
        OWNED char *filled = template_fill(text, half->parameters, context->builtin, FILL_QUOTED);
        set_key(half, target_definition(context, half, &text, 1));
        return json_pack("[s]", filled);
    }
    refuse_operator(context, command);
    OWNED char **words = entry_words(context->config, command, &count);
    json_t *list = filled_words(words, count, half->parameters, context->builtin);
    set_key(half, target_definition(context, half, words, count));
    program_find(context, command, list);
    return list;
}

// The words of a text of which parameters are filled in already.
static json_t *words_of(const struct context *context, const struct entry *entry, const char *text)
{
    const char *error = NULL;
    size_t count;
    OWNED char **words = words_split(text, &count, &error);
    if (!words)
        config_refuse(context->config, entry, NULL, "%s: close it", error);
    if (count == 0)
        config_refuse(context->config, entry, NULL, "no command: write NAME=PROGRAM ARGUMENTS");
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, json_string(words[i]));
    return list;
}

// One of the variants of a target, "NAME=COMMAND" or "COMMAND", with its program's path in
// front, as a cell starts in a folder of its own. *words are those of its command. To be freed.
static char *found_variant(const struct context *context, const struct half *half,
                           const struct entry *entry, json_t **words)
{
    OWNED char *text = template_fill(entry->value, half->parameters, context->builtin, FILL_QUOTED);
    const size_t name = strspn(text, LETTERS "._%-");
    const char *command = name > 0 && text[name] == '=' ? text + name + 1 : text;
    if (has_shell(context, half)) {
        *words = json_pack("[s]", command);
        return must(strdup(text));
    }
    refuse_operator(context, entry);
    *words = words_of(context, entry, command);
    program_find(context, entry, *words);
    OWNED char *found = json_words_quoted(*words);
    return text_of("%.*s%s", (int)(command - text), text, found);
}

// The cell's command, which plans show, is that of the first.
static json_t *complete_variants(const struct context *context, struct half *half,
                                 const struct entry *first)
{
    json_t *command = NULL;
    json_object_del(half->settings, first->key);
    for (size_t i = 0; i < half->section->count; i++) {
        const struct entry *entry = half->section->entries[i];
        json_auto_t *words = NULL;
        if (strcmp(entry->key, first->key) != 0)
            continue;
        OWNED char *variant = found_variant(context, half, entry, &words);
        setting_add(half->settings, first->key, variant);
        command = command ? command : json_incref(words);
    }
    set_key(half, target_definition(context, half, NULL, 0));
    return command;
}

void find_service(const struct context *context, const struct section *section, json_t *settings)
{
    static const char key[] = "service";
    const struct entry *entry = section_entry(section, key);
    const char *text = json_string_value(json_object_get(settings, key));
    // What needs a shell gets one.
    if (!entry || !text || text[0] == '\0' || words_need_shell(text))
        return;
    json_auto_t *words = words_of(context, entry, text);
    program_find(context, entry, words);
    OWNED char *found = json_words_quoted(words);
    json_object_set_new(settings, key, json_string(found));
}

static void complete_target(const struct context *context, struct half *half,
                            const struct entry *entry)
{
    find_service(context, half->section, half->settings);
    half->part = joined_name(half->name, half->parameters, true, ".", NAME_CHARACTERS);
    OWNED char *label = joined_name(half->name, half->parameters, true, " ", NULL);
    json_t *command = strcmp(entry->key, "command") == 0 ? complete_command(context, half, entry)
                                                         : complete_variants(context, half, entry);
    half->members = json_pack("{ss ss sO so}", "target", half->name, "label", label, "parameters",
                              half->parameters, "command", command);
}

struct halves halves_of_targets(const struct context *context, const struct sections *targets)
{
    static const struct kind kind = {"command", "PROGRAM ARGUMENTS", "variant", complete_target};
    return halves_of(context, targets, &kind);
}

// --- loads

// "", or "@" and where the load runs.
static char *load_node(const struct context *context, const struct section *section)
{
    const struct entry *entry = section_entry(section, "node");
    if (!entry)
        return must(strdup(""));
    const size_t digits = strspn(entry->value, "0123456789");
    if (strcmp(entry->value, "all-others") != 0 &&
        (entry->value[0] == '0' || digits == 0 || entry->value[digits] != '\0'))
        config_refuse(context->config, entry, NULL,
                      "%s is not a node: give a number of a node from 1 on, or all-others",
                      entry->value);
    return text_of("@%s", entry->value);
}

// What cells have of their load, or of none: node and spec are "" and NULL then.
static json_t *load_members(const struct half *half, const char *condition, const char *node,
                            const char *spec)
{
    return json_pack("{ss? so sO ss ss ss?}", "load", half->name, "level",
                     json_member(half->parameters, "level"), "load_parameters", half->parameters,
                     "condition", condition, "node", node, "spec", spec);
}

static void complete_load(const struct context *context, struct half *half,
                          const struct entry *spec)
{
    json_t *parameters = half->parameters;
    OWNED char *text = template_fill(spec->value, parameters, NULL, FILL_QUOTED);
    OWNED char *filled = template_fill(spec->value, parameters, context->builtin, FILL_QUOTED);
    OWNED char *node = load_node(context, half->section);
    OWNED char *condition = joined_name(half->name, parameters, false, "-", CONDITION_CHARACTERS);
    json_auto_t *own = half_settings(context, half->section, parameters, context->self);
    half->part = joined_name(half->name, parameters, false, ".", NAME_CHARACTERS);
    // Names that the records have already.
    if (strcmp(condition, "baseline") == 0 || strcmp(condition, "aa") == 0)
        condition = text_joined(condition, "-", "load");
    half->members = load_members(half, condition, node, filled);
    set_key(half, json_pack("[ssOso]", half->name, node, parameters, text, settings_fixed(own)));
}

struct halves halves_of_loads(const struct context *context, const struct sections *loads)
{
    static const struct kind kind = {"spec", "a loadgen command line, such as cpu --percent 50",
                                     NULL, complete_load};
    struct halves halves = halves_of(context, loads, &kind);
    struct half none = {.parameters = json_object(), .settings = json_object()};
    none.members = load_members(&none, "baseline", "", NULL);
    set_key(&none, json_pack("[nsOn{}]", "", none.parameters));
    MORE(&halves) = none;
    return halves;
}

void halves_free(struct halves *halves)
{
    for (size_t i = 0; i < halves->count; i++) {
        struct half *half = &halves->item[i];
        json_decref(half->parameters);
        json_decref(half->settings);
        json_decref(half->members);
        free(half->part);
    }
    free(halves->item);
}
