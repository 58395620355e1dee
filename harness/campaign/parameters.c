#include "parameters.h"

#include "settings.h"

#include "common/messages.h"
#include "common/record_json.h"
#include "common/words.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { HINT_SIZE = 128, HINT_NAMES = 256, LINE_SIZE = 512 };

static const char *const campaign_keys[] = {"name",   "description",     "scratch", "calibrate",
                                            "repeat", "session-prepare", NULL};
static const char *const target_keys[] = {"command", "case", "loads", "description", NULL};
static const char *const load_keys[] = {"spec", "case", "node", "description", NULL};

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

static struct section *find_section(struct sections *sections, const char *name)
{
    for (size_t i = 0; i < sections->count; i++)
        if (strcmp(sections->list[i].name, name) == 0)
            return &sections->list[i];
    return NULL;
}

static void add_section(struct sections *sections, const struct config *config,
                        const struct entry *entry)
{
    if (find_section(sections, entry->sub) != NULL)
        return;
    struct section *section = &sections->list[sections->count++];
    *section = (struct section){.kind = entry->section, .name = entry->sub};
    section->entries = calloc(config->count, sizeof *section->entries);
    for (size_t i = 0; section->entries != NULL && i < config->count; i++)
        if (strcmp(config->entries[i].section, entry->section) == 0 &&
            strcmp(config->entries[i].sub, entry->sub) == 0)
            section->entries[section->count++] = &config->entries[i];
    if (section->entries == NULL)
        config_refuse(config, entry, "", "out of memory");
}

struct sections sections_of(const struct config *config, const char *kind)
{
    struct sections sections = {.list = calloc(config->count + 1, sizeof *sections.list)};
    if (sections.list == NULL)
        config_refuse(config, NULL, NULL, "out of memory");
    for (int included = 0; included < 2; included++)
        for (size_t i = 0; i < config->count; i++) {
            const struct entry *entry = &config->entries[i];
            if (strcmp(entry->section, kind) == 0 &&
                (strcmp(entry->file, config->file) != 0) == (included == 1))
                add_section(&sections, config, entry);
        }
    return sections;
}

void sections_free(struct sections *sections)
{
    for (size_t i = 0; i < sections->count; i++)
        free(sections->list[i].entries);
    free(sections->list);
}

const struct entry *section_entry(const struct section *section, const char *key)
{
    for (size_t i = section->count; i > 0; i--)
        if (strcmp(section->entries[i - 1]->key, key) == 0)
            return section->entries[i - 1];
    return NULL;
}

char **entry_words(const struct config *config, const struct entry *entry, size_t *count)
{
    const char *error = NULL;
    char **words = words_split(entry->value, count, &error);
    if (words == NULL)
        config_refuse(config, entry, NULL, "%s: close it", error);
    return words;
}

static bool is_parameter(const struct section *section, const struct entry *entry)
{
    return !section_reserves(section->kind, entry->key) && !setting_known(entry->key);
}

/* Adds the words of an entry to the list of its parameter: {name: [value]}. */
static void add_values(const struct config *config, const struct entry *entry, json_t *lists)
{
    size_t count;
    char **words = entry_words(config, entry, &count);
    json_t *list = json_object_get(lists, entry->key);
    if (list == NULL) {
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
    free(words);
}

static json_t *value_lists(const struct config *config, const struct section *section)
{
    json_t *lists = json_object();
    for (size_t i = 0; i < section->count; i++)
        if (is_parameter(section, section->entries[i]))
            add_values(config, section->entries[i], lists);
    return lists;
}

/* "a=1 b=2" -> {a: "1", b: "2"} */
static json_t *case_row(const struct config *config, const struct entry *entry)
{
    size_t count;
    char **words = entry_words(config, entry, &count);
    json_t *row = json_object();
    for (size_t i = 0; i < count; i++) {
        const size_t length = strspn(words[i], "abcdefghijklmnopqrstuvwxyz0123456789-");
        if (!islower((unsigned char)words[i][0]) || words[i][length] != '=')
            config_refuse(config, entry, NULL,
                          "%s is not NAME=VALUE: write case = a=1 b=2, with names in lower case",
                          words[i]);
        words[i][length] = '\0';
        if (json_object_get(row, words[i]) != NULL)
            config_refuse(config, entry, NULL, "%s is given twice: give each name once", words[i]);
        if (json_object_set_new(row, words[i], json_string(words[i] + length + 1)) != 0)
            config_refuse(config, entry, NULL, "%s is not valid UTF-8: save the file as UTF-8",
                          words[i]);
    }
    if (count == 0)
        config_refuse(config, entry, NULL, "no values: write case = a=1 b=2");
    free(words);
    return row;
}

static void list_names(const json_t *row, char *text, size_t size)
{
    size_t used = 0;
    const char *name;
    json_t *value;
    text[0] = '\0';
    json_object_foreach((json_t *)row, name, value) if (used < size) used +=
        (size_t)snprintf(text + used, size - used, "%s%s", used ? ", " : "", name);
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
    if (first == NULL)
        return;
    json_object_foreach((json_t *)row, name, value) shared += json_object_get(first, name) != NULL;
    if (shared == json_object_size(row) && shared == json_object_size(first))
        return;
    char ours[LINE_SIZE], theirs[LINE_SIZE];
    list_names(row, ours, sizeof ours);
    list_names(first, theirs, sizeof theirs);
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
        json_object_foreach(row, name, value) if (json_object_get(lists, name) != NULL)
            config_refuse(config, entry, NULL, "%s has a list of values, too: keep one of them",
                          name);
        json_array_append_new(rows, row);
    }
    return rows;
}

/* Each of choices with each of a list's values. */
static json_t *crossed(json_t *choices, const char *name, const json_t *list)
{
    json_t *all = json_array(), *choice, *value;
    size_t i, k;
    json_array_foreach(choices, i, choice) json_array_foreach(list, k, value)
    {
        json_t *one = json_copy(choice);
        json_object_set(one, name, value);
        json_array_append_new(all, one);
    }
    json_decref(choices);
    return all;
}

/* Each of choices with each case; the values of the case come first. */
static json_t *crossed_with_cases(json_t *choices, const json_t *rows)
{
    json_t *all = json_array(), *choice, *row;
    size_t i, k;
    json_array_foreach(choices, i, choice) json_array_foreach(rows, k, row)
    {
        json_t *one = json_copy(row);
        json_object_update(one, choice);
        json_array_append_new(all, one);
    }
    json_decref(choices);
    return all;
}

json_t *section_choices(const struct config *config, const struct section *section)
{
    json_t *lists = value_lists(config, section);
    json_t *rows = case_rows(config, section, lists), *list;
    json_t *choices = json_pack("[{}]");
    const char *name;
    json_object_foreach(lists, name, list) choices = crossed(choices, name, list);
    if (json_array_size(rows) > 0)
        choices = crossed_with_cases(choices, rows);
    json_decref(lists);
    json_decref(rows);
    return choices;
}

static bool has_template(const struct section *section, const struct entry *entry)
{
    return strcmp(entry->key, "command") == 0 || strcmp(entry->key, "spec") == 0 ||
           (setting_known(entry->key) && !section_reserves(section->kind, entry->key));
}

/* Adds the names of an object to those that are known. */
static size_t add_names(const json_t *object, const char **names, size_t count)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) if (count + 1 < HINT_NAMES) names[count++] =
        name;
    names[count] = NULL;
    return count;
}

static void refuse_placeholder(const struct config *config, const struct entry *entry,
                               const struct piece *piece, const json_t *names,
                               const json_t *builtin)
{
    const char *known[HINT_NAMES];
    char hint[HINT_SIZE], name[HINT_SIZE], lower[HINT_SIZE];
    snprintf(name, sizeof name, "%.*s", (int)piece->length, piece->text);
    for (size_t i = 0; i < sizeof name; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    add_names(builtin, known, add_names(names, known, 0));
    config_hint(name, known, hint, sizeof hint);
    config_refuse(config, entry, NULL,
                  "{%s}: unknown placeholder%s: give %s = VALUES in this section, or write {{ for "
                  "a brace",
                  name, hint, lower);
}

static void note_used(json_t *used, const struct piece *piece)
{
    char *name = strndup(piece->text, piece->length);
    if (name != NULL)
        json_object_set_new(used, name, json_true());
    free(name);
}

/* Notes in used which parameters an entry names. */
static void check_entry(const struct config *config, const struct entry *entry, const json_t *names,
                        const json_t *builtin, json_t *used)
{
    const char *text = entry->value;
    struct piece piece;
    while (template_next(&text, &piece)) {
        if (!piece.placeholder)
            continue;
        if (json_at(names, piece.text, piece.length) != NULL)
            note_used(used, &piece);
        else if (json_at(builtin, piece.text, piece.length) == NULL &&
                 !(strcmp(entry->key, "spec") == 0 && template_is_node(&piece)))
            refuse_placeholder(config, entry, &piece, names, builtin);
    }
}

/* What a key could have been meant to be. */
static void known_keys(const char *kind, const char **names, size_t most)
{
    const char *const *reserved = section_reserved(kind);
    size_t count = setting_names(names, most);
    for (; *reserved != NULL && count + 1 < most; reserved++)
        names[count++] = *reserved;
    names[count] = NULL;
}

const char *section_hint(const char *kind, const char *key, char *text, size_t size)
{
    const char *names[SETTINGS_MOST];
    known_keys(kind, names, SETTINGS_MOST);
    return config_hint(key, names, text, size);
}

static void refuse_unused(const struct config *config, const struct section *section,
                          const char *name)
{
    const struct entry *entry = section_entry(section, name);
    char hint[HINT_SIZE];
    if (entry == NULL)
        entry = section_entry(section, "case");
    section_hint(section->kind, name, hint, sizeof hint);
    config_refuse(config, entry, NULL,
                  "%s is used nowhere, and is no setting%s: use {%s} in %s, or remove it", name,
                  hint, name, strcmp(section->kind, "target") == 0 ? "command" : "spec");
}

void section_check_placeholders(const struct config *config, const struct section *section,
                                const json_t *names, const json_t *builtin)
{
    json_t *used = json_object(), *value;
    const char *name;
    for (size_t i = 0; i < section->count; i++)
        if (has_template(section, section->entries[i]))
            check_entry(config, section->entries[i], names, builtin, used);
    json_object_foreach((json_t *)names, name, value) if (json_object_get(used, name) == NULL)
        refuse_unused(config, section, name);
    json_decref(used);
}
