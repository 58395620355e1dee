// The sections of a campaign file, and every choice of their parameters.

#include "campaign.h"

#include "common/memory.h"
#include "common/own_file.h"
#include "common/text.h"
#include "harness/experiment/settings.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

// ---- what a section may set

static const struct option_row *const tables[] = {settings_rows, slowdown_rows, NULL};

enum { SETTING_NAMES = 64 };

// All names, ended by NULL, into an array of most entries. Returns how many.
static size_t setting_names(const char **names, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; tables[i] != NULL; i++)
        for (const struct option_row *row = tables[i]; row->name != NULL; row++)
            if (count + 1 < most)
                names[count++] = row->name;
    names[count] = NULL;
    return count;
}

// ---- sections

static const char *const campaign_keys[] = {"name",   "description",     "scratch", "calibrate",
                                            "repeat", "session-prepare", NULL};
static const char *const target_keys[] = {"command", "case",        "let", "skip",
                                          "loads",   "description", NULL};
static const char *const load_keys[] = {"spec", "case", "let", "skip", "node", "description", NULL};

static const char *const *section_reserved(const char *kind)
{
    return strcmp(kind, "target") == 0 ? target_keys
           : strcmp(kind, "load") == 0 ? load_keys
                                       : campaign_keys;
}

bool section_reserves(const char *kind, const char *key)
{
    for (const char *const *name = section_reserved(kind); *name != NULL; name++)
        if (strcmp(*name, key) == 0)
            return true;
    return false;
}

char **entry_words(const struct config *config, const struct entry *entry, size_t *count)
{
    const char *error = NULL;
    char **words = words_split(entry->value, count, &error);
    if (!words)
        config_refuse(config, entry, NULL, "%s: close it", error);
    return words;
}

bool section_sets(const struct section *section, const struct entry *entry)
{
    return setting_find(entry->key) && !section_reserves(section->kind, entry->key);
}

// Adds the words of an entry to the list of its parameter: {name: [value]}.
static void add_values(const struct config *config, const struct entry *entry, json_t *lists)
{
    size_t count;
    OWNED char **words = entry_words(config, entry, &count);
    json_t *list = json_object_get(lists, entry->key);
    if (!list) {
        list = json_array();
        json_object_set_new(lists, entry->key, list);
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < json_array_size(list); k++)
            if (strcmp(json_string_value(json_array_get(list, k)), words[i]) == 0)
                config_refuse(config, entry, NULL, "%s is given twice: remove one", words[i]);
        if (json_array_append_new(list, json_string(words[i])) != 0)
            config_refuse(config, entry, NULL, "%s is not valid UTF-8: save the file as UTF-8",
                          words[i]);
    }
    if (json_array_size(list) == 0)
        config_refuse(config, entry, NULL, "no values: give some, with spaces between them");
}

static json_t *value_lists(const struct config *config, const struct section *section)
{
    json_t *lists = json_object();
    for (size_t i = 0; i < section->count; i++)
        if (!section_reserves(section->kind, section->entries[i]->key) &&
            !setting_find(section->entries[i]->key))
            add_values(config, section->entries[i], lists);
    return lists;
}

// "a=1 b=2" -> {a: "1", b: "2"}
static json_t *case_row(const struct config *config, const struct entry *entry)
{
    size_t count;
    OWNED char **words = entry_words(config, entry, &count);
    json_t *row = json_object();
    for (size_t i = 0; i < count; i++) {
        const size_t length = strspn(words[i], "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (!islower((unsigned char)words[i][0]) || words[i][length] != '=')
            config_refuse(config, entry, NULL,
                          "%s is not NAME=VALUE: write case = a=1 b=2, with names in lower case",
                          words[i]);
        words[i][length] = '\0';
        if (json_object_get(row, words[i]))
            config_refuse(config, entry, NULL, "%s is given twice: give each name once", words[i]);
        if (json_object_set_new(row, words[i], json_string(words[i] + length + 1)) != 0)
            config_refuse(config, entry, NULL, "%s is not valid UTF-8: save the file as UTF-8",
                          words[i]);
    }
    if (count == 0)
        config_refuse(config, entry, NULL, "no values: write case = a=1 b=2");
    return row;
}

static char *list_names(const json_t *row)
{
    char *text = NULL;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)row, name, value) text = text_joined(text, ", ", name);
    return text;
}

static void check_row(const struct config *config, const struct entry *entry, const json_t *rows,
                      const json_t *row)
{
    const json_t *first = json_array_get(rows, 0);
    const char *name;
    json_t *value;
    size_t shared = 0;
    for (size_t i = 0; i < json_array_size(rows); i++)
        if (json_equal(json_array_get(rows, i), row))
            config_refuse(config, entry, NULL, "this case is given twice: remove one");
    if (!first)
        return;
    json_object_foreach((json_t *)row, name, value) shared += json_object_get(first, name) != NULL;
    if (shared == json_object_size(row) && shared == json_object_size(first))
        return;
    OWNED char *ours = list_names(row), *theirs = list_names(first);
    config_refuse(config, entry, NULL,
                  "this case names %s, the first one %s: give all cases the same names", ours,
                  theirs);
}

static json_t *case_rows(const struct config *config, const struct section *section,
                         const json_t *lists)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < section->count; i++) {
        const struct entry *entry = section->entries[i];
        if (strcmp(entry->key, "case") != 0)
            continue;
        json_t *row = case_row(config, entry);
        check_row(config, entry, rows, row);
        const char *name;
        json_t *value;
        json_object_foreach(row, name, value) if (json_object_get(lists, name)) config_refuse(
            config, entry, NULL, "%s has a list of values, too: keep one of them", name);
        json_array_append_new(rows, row);
    }
    return rows;
}

// Each of choices, which are released, with each of a list's values of that name, or with each case
// (NULL), whose values come first.
static json_t *crossed(json_t *choices, const char *name, const json_t *list)
{
    json_t *all = json_array();
    JSON_EACH (choice, choices)
        JSON_EACH (value, list) {
            json_t *one = json_copy(name ? choice : value);
            if (name)
                json_object_set(one, name, value);
            else
                json_object_update(one, choice);
            json_array_append_new(all, one);
        }
    json_decref(choices);
    return all;
}

json_t *section_choices(const struct config *config, const struct section *section)
{
    json_auto_t *lists = value_lists(config, section);
    json_auto_t *rows = case_rows(config, section, lists);
    json_t *choices = json_pack("[{}]"), *list;
    const char *name;
    json_object_foreach(lists, name, list) choices = crossed(choices, name, list);
    return json_array_size(rows) > 0 ? crossed(choices, NULL, rows) : choices;
}

struct hint section_hint(const char *kind, const char *key)
{
    const char *names[SETTING_NAMES];
    size_t count = setting_names(names, SETTING_NAMES);
    for (const char *const *own = section_reserved(kind); *own && count + 1 < SETTING_NAMES; own++)
        names[count++] = *own;
    names[count] = NULL;
    return nearest_hint(key, names);
}
