// The half of a cell that is a target: its command or its variants, whose programs are found here.

#include "halves.h"

#include "common/child.h"
#include "common/memory.h"
#include "common/text.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool find_program(const struct half_context *context, const char *word, char path[PATH_MAX])
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
static void program_find(const struct half_context *context, const struct entry *entry,
                         json_t *command)
{
    const char *word = json_string_value(json_array_get(command, 0));
    char path[PATH_MAX];
    if (!find_program(context, word, path))
        config_refuse(context->config, entry, NULL,
                      "%s: no such program in workloads, nor in PATH: fix the command, or build it",
                      word);
    json_array_set_new(command, 0, json_string(path));
}

static json_t *filled_words(const struct half_context *context, const struct entry *entry,
                            char **words, size_t count, const json_t *values, const json_t *builtin)
{
    json_t *filled = json_array();
    for (size_t i = 0; i < count; i++) {
        OWNED char *word =
            entry_fill(context->config, entry, words[i], values, builtin, FILL_PLAIN);
        json_array_append_new(filled, json_string(word));
    }
    return filled;
}

static json_t *target_definition(const struct half_context *context, const struct half *half,
                                 const struct entry *entry, char **words, size_t count)
{
    json_auto_t *settings = json_copy(context->settings_text);
    json_auto_t *own = half_settings(context, half->section, half->values, context->self);
    json_object_update(settings, own);
    json_object_update(settings, context->overrides);
    settings_drop_false(settings);
    return json_pack("[sOoo]", half->name, half->parameters,
                     filled_words(context, entry, words, count, half->values, context->self),
                     settings_fixed(settings));
}

// Whether a target's command line is a shell's: by --set, its own setting, or the campaign's.
static bool has_shell(const struct half_context *context, const struct half *half)
{
    const json_t *const settings[] = {context->overrides, half->settings, context->settings};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        const char *shell = json_string_value(json_object_get(settings[i], "shell"));
        if (shell)
            return strcmp(shell, "none") != 0;
    }
    return false;
}

static void refuse_operator(const struct half_context *context, const struct entry *entry)
{
    const char *operator= words_operator(entry->value);
    char name[2];
    if (operator!= NULL)
        config_refuse(context->config, entry, NULL,
                      "no shell reads this, so %s would be a word like any other: quote it, or "
                      "set shell = sh",
                      words_operator_name(operator, name));
}

static json_t *complete_command(const struct half_context *context, struct half *half,
                                const struct entry *command)
{
    size_t count;
    if (has_shell(context, half)) {
        // What a shell reads is one word, whose programs the shell finds.
        OWNED char *text = must(strdup(command->value));
        OWNED char *filled =
            entry_fill(context->config, command, text, half->values, context->builtin, FILL_QUOTED);
        half_set_key(half, target_definition(context, half, command, &text, 1));
        return json_pack("[s]", filled);
    }
    refuse_operator(context, command);
    OWNED char **words = entry_words(context->config, command, &count);
    json_t *list = filled_words(context, command, words, count, half->values, context->builtin);
    half_set_key(half, target_definition(context, half, command, words, count));
    program_find(context, command, list);
    return list;
}

// The words of a text of which parameters are filled in already.
static json_t *words_of(const struct half_context *context, const struct entry *entry,
                        const char *text)
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
static char *found_variant(const struct half_context *context, const struct half *half,
                           const struct entry *entry, json_t **words)
{
    OWNED char *text = entry_fill(context->config, entry, entry->value, half->values,
                                  context->builtin, FILL_QUOTED);
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
static json_t *complete_variants(const struct half_context *context, struct half *half,
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
    half_set_key(half, target_definition(context, half, first, NULL, 0));
    return command;
}

void find_service(const struct half_context *context, const struct section *section,
                  json_t *settings)
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

static void complete_target(const struct half_context *context, struct half *half,
                            const struct entry *entry)
{
    find_service(context, half->section, half->settings);
    half->part = half_name(half->name, half->parameters, true, ".", NAME_CHARACTERS);
    OWNED char *label = half_name(half->name, half->parameters, true, " ", NULL);
    json_t *command = strcmp(entry->key, "command") == 0 ? complete_command(context, half, entry)
                                                         : complete_variants(context, half, entry);
    half->members = json_pack("{ss ss sO so}", "target", half->name, "label", label, "parameters",
                              half->parameters, "command", command);
}

struct halves halves_of_targets(const struct half_context *context, const struct sections *targets)
{
    static const struct half_kind kind = {"command", "PROGRAM ARGUMENTS", "variant",
                                          complete_target};
    return halves_of(context, targets, &kind);
}
