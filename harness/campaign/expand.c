// A campaign file becomes a plan: jostle.campaign/1, the list of its cells.

#include "halves.h"

#include "common/json.h"
#include "common/memory.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/experiment/settings.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 256, REASON_SIZE = 256, LONGEST_FOLDER = 120, CUT_FOLDER = 110, TAIL = 8 };
// How long to calibrate where the file only says that it is to be done.
static const int64_t default_calibrate_ns = 10000000000;

// --- what can be refused before anything is worked out

// A plan is JSON: a word that is none would be left out of a command line.
static void check_utf8(const struct config *config, const struct entry *entry)
{
    const char *const texts[] = {entry->file, entry->section, entry->sub, entry->key, entry->value};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (!utf8_is_valid(texts[i]))
            config_refuse(config, entry, NULL, "it is not valid UTF-8: save the file as UTF-8");
}

static void check_section(const struct config *config, const struct entry *entry)
{
    static const char *const kinds[] = {"campaign", "target", "load", "include", NULL};
    size_t i = 0;
    while (kinds[i] && strcmp(kinds[i], entry->section) != 0)
        i++;
    if (!kinds[i])
        config_refuse(config, entry, NULL,
                      "unknown section%s: use campaign, target \"NAME\", load \"NAME\" or include",
                      nearest_hint(entry->section, kinds).text);
    if ((i == 1 || i == 2) && entry->sub[0] == '\0')
        config_refuse(config, entry, "", "it has no name: write [%s \"NAME\"]", entry->section);
}

static void check_campaign_key(const struct config *config, const struct entry *entry)
{
    if (entry->sub[0] != '\0')
        config_refuse(config, entry, NULL, "[campaign] takes no name: write [campaign]");
    if (!section_reserves("campaign", entry->key) && !setting_find(entry->key))
        config_refuse(config, entry, NULL, "unknown setting%s: see docs/campaigns.md",
                      section_hint("campaign", entry->key).text);
}

// --- [campaign]

static const char repeat_key[] = "repeat", prefix[] = "campaign.";

// NAME=VALUE of --set campaign.NAME=VALUE.
static const char *without_prefix(const char *text)
{
    const char *rest = text_after(text, prefix);
    return rest ? rest : text;
}

// --set, but for repeat, which is no setting of cells.
static json_t *parse_overrides(const struct option_list *overrides)
{
    json_t *settings = json_object();
    char reason[REASON_SIZE];
    for (size_t i = 0; i < overrides->count; i++) {
        const char *text = without_prefix(overrides->item[i]), *equals = strchr(text, '=');
        if (!equals)
            usage_error("--set %s: give NAME=VALUE, such as max-runs=8", overrides->item[i]);
        OWNED char *name = must(strndup(text, (size_t)(equals - text)));
        if (strcmp(name, repeat_key) == 0)
            continue;
        if (!setting_find(name) && section_reserves("campaign", name))
            usage_error("--set %s: %s is of the whole campaign, not of its cells: write it below "
                        "[campaign] in the file",
                        overrides->item[i], name);
        if (!setting_find(name))
            usage_error("--set %s: unknown setting%s: give an option of jostle slowdown",
                        overrides->item[i], section_hint("campaign", name).text);
        OWNED char *value = setting_value(name, equals + 1, reason, sizeof reason);
        if (!value)
            usage_error("--set %s: %s", overrides->item[i], reason);
        if (!setting_add(settings, name, value))
            usage_error("--set %s: it is not valid UTF-8: give it in UTF-8", overrides->item[i]);
    }
    return settings;
}

static json_t *optional_text(const struct section *campaign, const char *key)
{
    const struct entry *entry = section_entry(campaign, key);
    return entry ? json_string(entry->value) : json_null();
}

// calibrate = 10s, or true for the default length, or false.
static json_t *calibrate_seconds(const struct config *config, const struct section *campaign)
{
    const struct entry *entry = section_entry(campaign, "calibrate");
    int64_t time_ns = default_calibrate_ns;
    if (!entry || strcmp(entry->value, "false") == 0)
        return json_null();
    if (strcmp(entry->value, "true") != 0 &&
        (units_time(entry->value, &time_ns) != 0 || time_ns <= 0))
        config_refuse(config, entry, NULL, "%s: give a time such as 10s, or true", entry->value);
    return number_to_json((double)time_ns / 1e9);
}

// repeat = 3: as --set says, else the file, else 1.
static unsigned repeat_of(const struct config *config, const struct section *campaign,
                          const struct option_list *overrides)
{
    const struct entry *entry = section_entry(campaign, repeat_key);
    const char *set = NULL;
    uint64_t repeat;
    for (size_t i = 0; i < overrides->count; i++) {
        const char *rest = text_after(without_prefix(overrides->item[i]), repeat_key);
        set = rest && *rest == '=' ? rest + 1 : set;
    }
    const char *text = set ? set : entry ? entry->value : "1";
    if (units_count(text, &repeat) == 0 && repeat >= 1 && repeat <= SESSIONS_MOST)
        return (unsigned)repeat;
    if (set)
        usage_error("--set repeat=%s: give the number of sessions, 1 to %d", text, SESSIONS_MOST);
    config_refuse(config, entry, NULL, "%s: give the number of sessions, 1 to %d", text,
                  SESSIONS_MOST);
}

// session-prepare = make clean all, with its placeholders filled in; nothing where the
// file has none.
static void add_session_prepare(const struct half_context *context, const struct section *campaign,
                                json_t *plan)
{
    const struct entry *entry = section_entry(campaign, "session-prepare");
    OWNED char *command =
        !entry || entry->value[0] == '\0'
            ? NULL
            : entry_fill(context->config, entry, entry->value, NULL, context->builtin, FILL_QUOTED);
    // It is said to the shell in one line.
    for (char *c = command; c && *c != '\0'; c++)
        if (*c == '\n' || *c == '\t')
            *c = ' ';
    if (command)
        json_object_set_new(plan, "session_prepare", json_string(command));
}

// --- cells

// A folder's name: not too long, and not one that hides.
static json_t *folder_name(const struct half *target, const struct half *load, const char *key)
{
    OWNED char *text =
        text_of("%s%s%s", target->part, load->part ? "@" : "", load->part ? load->part : "");
    if (text[0] == '.' || text[0] == '-')
        text[0] = '_';
    return strlen(text) > LONGEST_FOLDER ? json_sprintf("%.*s_%.*s", CUT_FOLDER, text, TAIL, key)
                                         : json_string(text);
}

// Each is right by itself, and no cell could be measured, or says nothing without another one.
static void check_settings(const struct half_context *context, const struct half *target,
                           const json_t *settings)
{
    const char *least = json_text_at(settings, "min-runs");
    const char *most = json_text_at(settings, "max-runs");
    if (least && most && strtoull(most, NULL, 10) < strtoull(least, NULL, 10))
        config_refuse(context->config, NULL, NULL,
                      "target %s: max-runs %s is below min-runs %s: change one of them, in the "
                      "file or with --set min-runs=%s",
                      target->name, most, least, most);
    for (const char *const *name = service_settings; *name; name++)
        if (json_object_get(settings, *name) && !json_object_get(settings, "service"))
            config_refuse(context->config, NULL, NULL,
                          "target %s: %s is about a service: add service, or leave it out",
                          target->name, *name);
    if (json_object_get(settings, "cold-path") && !json_object_get(settings, "cold"))
        config_refuse(
            context->config, NULL, NULL,
            "target %s: cold-path names what cold drops: add cold = true, or leave it out",
            target->name);
}

static json_t *cell_settings(const struct half_context *context, const struct half *target,
                             const struct half *load)
{
    json_t *settings = json_copy(context->settings);
    json_object_update(settings, target->settings);
    json_object_update(settings, load->settings);
    json_object_update(settings, context->overrides);
    settings_drop_false(settings);
    check_settings(context, target, settings);
    return settings;
}

static void add_cell(const struct half_context *context, const struct half *target,
                     const struct half *load, json_t *cells)
{
    char key[SHA256_DIGITS + 1];
    snprintf(key, sizeof key, "%s%s", target->key, load->key);
    json_t *cell = json_pack("{so si ss}", "name", folder_name(target, load, key), "number",
                             (int)json_array_size(cells) + 1, "key", key);
    if (json_object_update(cell, target->members) != 0 ||
        json_object_update(cell, load->members) != 0 ||
        json_object_set_new(cell, "settings", cell_settings(context, target, load)) != 0)
        config_refuse(context->config, NULL, NULL,
                      "a name or a value is not valid UTF-8: save the file as UTF-8");
    json_array_append_new(cells, cell);
}

static void check_load_name(const struct config *config, const struct entry *entry,
                            const struct sections *loads, const char *word)
{
    if (strcmp(word, "none") == 0)
        return;
    for (size_t i = 0; i < loads->count; i++)
        if (strcmp(loads->list[i].name, word) == 0)
            return;
    const char *names[MOST_NAMES] = {0};
    for (size_t i = 0; i < loads->count && i + 1 < MOST_NAMES; i++)
        names[i] = loads->list[i].name;
    config_refuse(config, entry, NULL, "no load is named %s%s: name loads of this file, or none",
                  word, nearest_hint(word, names).text);
}

// The loads that a target names, as {name: true}; empty: all.
static json_t *named_loads(const struct config *config, const struct section *target,
                           const struct sections *loads)
{
    json_t *named = json_object();
    for (size_t i = 0; i < target->count; i++) {
        size_t count;
        if (strcmp(target->entries[i]->key, "loads") != 0)
            continue;
        OWNED char **words = entry_words(config, target->entries[i], &count);
        for (size_t k = 0; k < count; k++) {
            check_load_name(config, target->entries[i], loads, words[k]);
            json_object_set_new(named, words[k], json_true());
        }
    }
    return named;
}

static bool is_measured_under(const json_t *named, const struct half *load, size_t load_count)
{
    if (!load->name)
        return json_object_size(named) > 0 ? json_object_get(named, "none") != NULL
                                           : load_count == 0;
    return json_object_size(named) == 0 || json_object_get(named, load->name);
}

// Cells whose names are the same get a part of their keys, too: from the digit on.
static void name_apart(json_t *cells, size_t digit)
{
    json_auto_t *seen = json_object();
    JSON_EACH (cell, cells) {
        const char *name = json_string_value(json_object_get(cell, "name"));
        json_object_set_new(seen, name, json_boolean(json_object_get(seen, name) != NULL));
    }
    JSON_EACH (cell, cells) {
        const char *name = json_string_value(json_object_get(cell, "name"));
        const char *key = json_string_value(json_object_get(cell, "key"));
        if (json_is_true(json_object_get(seen, name)))
            json_object_set_new(cell, "name", json_sprintf("%s_%.*s", name, TAIL, key + digit));
    }
}

static json_t *make_cells(const struct half_context *context,
                          const struct sections *target_sections,
                          const struct sections *load_sections)
{
    struct halves loads = halves_of_loads(context, load_sections);
    struct halves targets = halves_of_targets(context, target_sections);
    const struct section *section = NULL;
    json_t *cells = json_array(), *named = NULL;
    for (size_t i = 0; i < targets.count; i++) {
        if (targets.item[i].section != section) {
            section = targets.item[i].section;
            json_decref(named);
            named = named_loads(context->config, section, load_sections);
        }
        for (size_t k = 0; k < loads.count; k++)
            if (is_measured_under(named, &loads.item[k], load_sections->count))
                add_cell(context, &targets.item[i], &loads.item[k], cells);
    }
    // Values that differ only in characters that a folder cannot have: of the target,
    // then of the load.
    name_apart(cells, 0);
    name_apart(cells, HALF_KEY_DIGITS);
    json_decref(named);
    halves_free(&targets);
    halves_free(&loads);
    return cells;
}

// --- the whole

static json_t *make_plan(struct half_context *context, const struct section *campaign)
{
    const struct config *config = context->config;
    struct sections targets = sections_of(config, "target"), loads = sections_of(config, "load");
    json_auto_t *none = json_object();
    if (targets.count == 0)
        config_refuse(config, NULL, NULL,
                      "there is no target: add [target \"NAME\"] with command = PROGRAM");
    section_check_placeholders(config, campaign, none, context->builtin);
    context->settings = half_settings(context, campaign, none, context->builtin);
    find_service(context, campaign, context->settings);
    context->settings_text = half_settings(context, campaign, none, context->self);
    const struct entry *name = section_entry(campaign, "name");
    const char *slash = strrchr(config->file, '/'), *file = slash ? slash + 1 : config->file;
    json_t *settings = json_copy(context->settings);
    json_object_update(settings, context->overrides);
    settings_drop_false(settings);
    json_t *plan = json_pack(
        "{ss so so ss so so so so}", "schema", SCHEMA_CAMPAIGN, "name",
        name ? json_string(name->value) : json_stringn(file, text_before(file, ".conf")),
        "description", optional_text(campaign, "description"), "file", config->file, "scratch",
        optional_text(campaign, "scratch"), "calibrate_s", calibrate_seconds(config, campaign),
        "settings", settings, "cells", make_cells(context, &targets, &loads));
    if (!plan)
        config_refuse(config, NULL, NULL, "a value is not valid UTF-8: save the file as UTF-8");
    sections_free(&targets);
    sections_free(&loads);
    return plan;
}

json_t *expand(const struct config *config, const struct campaign *call)
{
    const char *slash = strrchr(config->file, '/');
    struct half_context context = {
        .config = config,
        .workloads = call->workloads,
        .builtin = json_pack("{ss% ss ss}", "campaign-dir", config->file,
                             slash ? (int)(slash - config->file) : 0, "instances", call->instances,
                             "workloads", call->workloads),
        .self = json_pack("{ss ss ss}", "campaign-dir", "{campaign-dir}", "instances",
                          "{instances}", "workloads", "{workloads}")};
    if (!context.builtin)
        config_refuse(config, NULL, NULL, "the path of the file is not valid UTF-8: rename it");
    context.overrides = parse_overrides(&call->set);
    for (size_t i = 0; i < config->count; i++) {
        check_utf8(config, &config->entries[i]);
        check_section(config, &config->entries[i]);
    }
    config_check_includes(config);
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->entries[i].section, "campaign") == 0)
            check_campaign_key(config, &config->entries[i]);
    struct sections sections = sections_of(config, "campaign");
    const struct section campaign =
        sections.count > 0 ? sections.list[0] : (struct section){.kind = "campaign"};
    const unsigned repeat = repeat_of(config, &campaign, &call->set);
    json_t *plan = make_plan(&context, &campaign);
    sessions_repeat(json_object_get(plan, "cells"), repeat);
    add_session_prepare(&context, &campaign, plan);
    sections_free(&sections);
    json_t *const own[] = {context.builtin, context.self, context.overrides, context.settings,
                           context.settings_text};
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        json_decref(own[i]);
    return plan;
}
