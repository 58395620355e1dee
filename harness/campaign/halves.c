// The halves of cells: what targets and loads with one choice of their parameters have in common.

#include "halves.h"

#include "common/memory.h"
#include "common/text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REASON_SIZE = 256 };

json_t *half_settings(const struct half_context *context, const struct section *section,
                      const json_t *values, const json_t *builtin)
{
    json_t *settings = json_object();
    for (size_t i = 0; i < section->count; i++) {
        const struct entry *entry = section->entries[i];
        char reason[REASON_SIZE];
        if (!section_sets(section, entry))
            continue;
        OWNED char *text =
            entry_fill(context->config, entry, entry->value, values, builtin, FILL_QUOTED);
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

void half_set_key(struct half *half, json_t *definition)
{
    char digits[SHA256_DIGITS + 1];
    OWNED char *text = must(json_dumps(definition, JSON_COMPACT));
    const size_t length = strlen(text);
    text[length] = '\n'; // which is part of it
    sha256_hex(text, length + 1, digits);
    memcpy(half->key, digits, HALF_KEY_DIGITS);
    json_decref(definition);
}

char *half_name(const char *name, const json_t *parameters, bool pairs, const char *separator,
                const char *allowed)
{
    OWNED char *text = text_of("%s", name);
    const char *parameter;
    json_t *value;
    json_object_foreach((json_t *)parameters, parameter, value) text =
        text_added(text, "%s%s%s%s", separator, pairs ? parameter : "", pairs ? "=" : "",
                   json_string_value(value));
    return safe_text(text, allowed);
}

static const struct entry *needed_entry(const struct half_context *context,
                                        const struct section *section, const struct half_kind *kind)
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
static void add_section(const struct half_context *context, const struct section *section,
                        const struct half_kind *kind, struct halves *halves)
{
    const struct entry *text = needed_entry(context, section, kind);
    json_auto_t *choices = section_choices(context->config, section);
    section_check_placeholders(context->config, section, json_array_get(choices, 0),
                               context->builtin);
    const size_t before = halves->count;
    JSON_EACH (parameters, choices) {
        json_t *values = section_values(context->config, section, parameters);
        if (section_skips(context->config, section, values)) {
            json_decref(values);
            continue;
        }
        struct half half = {.name = section->name,
                            .section = section,
                            .parameters = json_incref(parameters),
                            .values = values,
                            .settings = half_settings(context, section, values, context->builtin)};
        kind->complete(context, &half, text);
        MORE(halves) = half;
    }
    if (halves->count == before)
        config_refuse(context->config, section_entry(section, "skip"), NULL,
                      "it leaves out every choice of the parameters: take the section out, or skip "
                      "less");
}

struct halves halves_of(const struct half_context *context, const struct sections *sections,
                        const struct half_kind *kind)
{
    struct halves halves = {0};
    for (size_t i = 0; i < sections->count; i++)
        add_section(context, &sections->list[i], kind, &halves);
    return halves;
}

void halves_free(struct halves *halves)
{
    for (size_t i = 0; i < halves->count; i++) {
        struct half *half = &halves->item[i];
        json_decref(half->parameters);
        json_decref(half->values);
        json_decref(half->settings);
        json_decref(half->members);
        free(half->part);
    }
    free(halves->item);
}
