#include "campaign.h"
#include "common/memory.h"
#include "harness/experiment/settings.h"

#include "common/file.h"
#include "common/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { PARAMETER_SIZE = 128, MOST_NAMES = 256, MESSAGE_SIZE = 2048 };

// ---- where an entry is, which git config does not say

enum { NAME_SIZE = 1024 };

// The section whose lines are read.
struct place {
    char section[NAME_SIZE], sub[NAME_SIZE];
};

static void add(char *name, char c)
{
    const size_t length = strlen(name);
    if (length + 1 < NAME_SIZE) {
        name[length] = c;
        name[length + 1] = '\0';
    }
}

// `[target "a"]`; returns what follows.
static const char *read_header(const char *at, struct place *place)
{
    *place = (struct place){0};
    for (at++; isalnum((unsigned char)*at) || *at == '-' || *at == '.'; at++)
        add(place->section, (char)tolower((unsigned char)*at));
    at += strspn(at, " \t");
    if (*at == '"')
        for (at++; *at != '\0' && *at != '"'; at++) {
            at += *at == '\\' && at[1] != '\0';
            add(place->sub, *at);
        }
    at += strcspn(at, "]");
    return at + (*at == ']');
}

// Whether a line gives this key a value; git takes either case of it.
static bool has_key(const char *at, const char *key)
{
    const size_t length = strlen(key);
    if (strncasecmp(at, key, length) != 0)
        return false;
    at += length;
    at += strspn(at, " \t\r");
    return *at == '=' || *at == '\n' || *at == '\0' || *at == '#' || *at == ';';
}

static bool is_continued(const char *line)
{
    size_t length = strcspn(line, "\r\n"), backslashes = 0;
    while (length > 0 && line[--length] == '\\')
        backslashes++;
    return backslashes % 2 == 1;
}

static unsigned find_line(FILE *file, const struct entry *entry, unsigned count)
{
    struct place place = {0};
    OWNED char *line = NULL;
    size_t size = 0;
    unsigned number = 0, found = 0;
    bool continued = false;
    while (found == 0 && getline(&line, &size, file) >= 0) {
        const char *at = line + strspn(line, " \t");
        const bool follows = continued;
        number++;
        continued = is_continued(line);
        if (follows)
            continue;
        if (*at == '[')
            at = read_header(at, &place);
        at += strspn(at, " \t");
        if (strcmp(place.section, entry->section) == 0 && strcmp(place.sub, entry->sub) == 0 &&
            has_key(at, entry->key) && --count == 0)
            found = number;
    }
    return found;
}

// The number of the line in entry->file that has this entry, from 1 on; 0: it is not known, as the
// file cannot be read any more or is written in a way that is not understood here.
static unsigned line_of(const struct config *config, const struct entry *entry)
{
    FILE *file = file_open_record(entry->file);
    unsigned count = 1; // how many entries of its name its file has up to it
    if (!file)
        return 0;
    for (const struct entry *other = config->entries; other < entry; other++)
        count += strcmp(other->file, entry->file) == 0 &&
                 strcmp(other->section, entry->section) == 0 &&
                 strcmp(other->sub, entry->sub) == 0 && strcmp(other->key, entry->key) == 0;
    const unsigned number = find_line(file, entry, count);
    fclose(file);
    return number;
}

// ---- entries

void config_refuse(const struct config *config, const struct entry *entry, const char *key,
                   const char *format, ...)
{
    char message[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    for (char *c = message; *c != '\0'; c++)
        if (*c == '\n')
            *c = ' ';
    if (!entry)
        usage_error("%s: %s", config->file, message);
    if (!key)
        key = entry->key;
    const unsigned line = line_of(config, entry);
    char number[16] = "";
    if (line > 0)
        snprintf(number, sizeof number, ":%u", line);
    usage_error("%s%s: %s%s%s%s%s: %s", entry->file, number, entry->section,
                entry->sub[0] ? "." : "", entry->sub, key[0] ? "." : "", key, message);
}

// The whole of a stream, ended by a 0.
static char *read_all(FILE *stream, size_t *size)
{
    char *text, part[65536];
    size_t got;
    FILE *whole = must(open_memstream(&text, size));
    while ((got = fread(part, 1, sizeof part, stream)) > 0)
        fwrite(part, 1, got, whole);
    return stream_text(whole, &text);
}

// "section.name with.dots.key" and "\nvalue" behind it, taken apart in place.
static bool split_entry(char *origin, char *text, struct entry *entry)
{
    static const char file_origin[] = "file:";
    char *value = strchr(text, '\n');
    if (value)
        *value++ = '\0';
    char *first = strchr(text, '.'), *last = strrchr(text, '.');
    if (!first)
        usage_error("%s: %s is in no section: write [section \"NAME\"] above it",
                    text_after(origin, file_origin) ?: origin, text);
    if (strncmp(origin, file_origin, sizeof file_origin - 1) != 0)
        return false;
    *first = *last = '\0';
    *entry = (struct entry){.file = origin + sizeof file_origin - 1,
                            .section = text,
                            .sub = first == last ? "" : first + 1,
                            .key = last + 1,
                            .value = value ? value : "true"};
    return true;
}

void config_read(struct config *config, const char *file, FILE *stream)
{
    size_t size, strings = 0;
    *config = (struct config){.file = file, .text = read_all(stream, &size)};
    for (size_t i = 0; i < size; i++)
        strings += config->text[i] == '\0';
    config->entries = must(calloc(strings / 2 + 1, sizeof *config->entries));
    char *at = config->text, *end = config->text + size;
    while (config->count < strings / 2) {
        char *origin = at, *text = origin + strlen(origin) + 1;
        at = text + strlen(text) + 1;
        if (!split_entry(origin, text, &config->entries[config->count++]))
            usage_error("%s: git config printed something unknown: update git", file);
    }
    if (at < end)
        usage_error("%s: git config printed half an entry: run it again", file);
}

void config_free(struct config *config)
{
    free(config->entries);
    free(config->text);
}

static bool is_include(const struct entry *entry)
{
    return strcmp(entry->section, "include") == 0;
}

bool config_includes(const struct config *config)
{
    for (size_t i = 0; i < config->count; i++)
        if (is_include(&config->entries[i]))
            return true;
    return false;
}

void config_check_includes(const struct config *config)
{
    for (size_t i = 0; i < config->count; i++) {
        const struct entry *entry = &config->entries[i];
        char path[PATH_MAX];
        if (!is_include(entry))
            continue;
        const char *home = getenv("HOME"), *slash = strrchr(entry->file, '/');
        if (entry->value[0] == '/')
            snprintf(path, sizeof path, "%s", entry->value);
        else if (entry->value[0] == '~' && entry->value[1] == '/' && home)
            snprintf(path, sizeof path, "%s%s", home, entry->value + 1);
        else
            snprintf(path, sizeof path, "%.*s/%s", slash ? (int)(slash - entry->file) : 1,
                     slash ? entry->file : ".", entry->value);
        if (access(path, R_OK) != 0)
            config_refuse(config, entry, NULL, "%s cannot be read: fix the path of the include",
                          path);
    }
}

bool config_write(const struct config *config, FILE *stream)
{
    for (size_t i = 0; i < config->count; i++) {
        const struct entry *entry = &config->entries[i];
        if (is_include(entry))
            continue;
        fprintf(stream, "[%s", entry->section);
        if (entry->sub[0] != '\0') {
            fputc(' ', stream);
            config_put(stream, entry->sub, "");
        }
        fprintf(stream, "]\n    %s = ", entry->key);
        config_put(stream, entry->value, "");
        fputc('\n', stream);
    }
    return !ferror(stream);
}

// ---- what a section may set, and placeholders

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

// The length of "{name}" at text, or 0.
static size_t placeholder_length(const char *text)
{
    size_t length = 1;
    if (text[0] != '{' || !isalpha((unsigned char)text[1]))
        return 0;
    while (isalnum((unsigned char)text[length]) || text[length] == '-')
        length++;
    return text[length] == '}' ? length + 1 : 0;
}

// Of a text with placeholders.
struct piece {
    bool placeholder;
    const char *text; // of a placeholder the name, without braces
    size_t length;
};

// Takes the next piece off *text; false at the end.
static bool template_next(const char **text, struct piece *piece)
{
    const char *at = *text;
    if (*at == '\0')
        return false;
    const size_t length = placeholder_length(at);
    if (length > 0) {
        *piece = (struct piece){.placeholder = true, .text = at + 1, .length = length - 2};
        *text = at + length;
    } else if (*at == '{' || *at == '}') {
        *piece = (struct piece){.text = at, .length = 1};
        *text = at + (at[1] == *at ? 2 : 1);
    } else {
        *piece = (struct piece){.text = at, .length = strcspn(at, "{}")};
        *text = at + piece->length;
    }
    return true;
}

// {node2} stays as it is in a load: it is filled in where the job's nodes are known.
static bool template_is_node(const struct piece *piece)
{
    size_t i = sizeof "node" - 1;
    if (piece->length <= i || strncmp(piece->text, "node", i) != 0)
        return false;
    while (i < piece->length && isdigit((unsigned char)piece->text[i]))
        i++;
    return i == piece->length;
}

char *template_fill(const char *text, const json_t *values, const json_t *builtin, enum fill fill)
{
    char *filled = NULL;
    size_t size;
    FILE *stream = must(open_memstream(&filled, &size));
    struct piece piece;
    while (template_next(&text, &piece)) {
        const json_t *value = piece.placeholder ? json_at(values, piece.text, piece.length) : NULL;
        if (piece.placeholder && !value)
            value = json_at(builtin, piece.text, piece.length);
        const char *put = json_string_value(value);
        OWNED char *quoted = put && fill == FILL_QUOTED ? must(words_quote(&put, 1)) : NULL;
        if (put)
            fputs(quoted ? quoted : put, stream);
        else
            fprintf(stream, piece.placeholder ? "{%.*s}" : "%.*s", (int)piece.length, piece.text);
    }
    return stream_text(stream, &filled);
}

// ---- sections

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

static void add_section(struct sections *sections, const struct config *config,
                        const struct entry *entry)
{
    for (size_t i = 0; i < sections->count; i++)
        if (strcmp(sections->list[i].name, entry->sub) == 0)
            return;
    struct section *section = &sections->list[sections->count++];
    *section = (struct section){.kind = entry->section, .name = entry->sub};
    section->entries = must(calloc(config->count, sizeof *section->entries));
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->entries[i].section, entry->section) == 0 &&
            strcmp(config->entries[i].sub, entry->sub) == 0)
            section->entries[section->count++] = &config->entries[i];
}

struct sections sections_of(const struct config *config, const char *kind)
{
    struct sections sections = {.list = must(calloc(config->count + 1, sizeof *sections.list))};
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

static void refuse_placeholder(const struct config *config, const struct entry *entry,
                               const struct piece *piece, const json_t *names,
                               const json_t *builtin)
{
    const char *known[MOST_NAMES], *parameter;
    char name[PARAMETER_SIZE], lower[PARAMETER_SIZE];
    size_t count = 0;
    json_t *value;
    snprintf(name, sizeof name, "%.*s", (int)piece->length, piece->text);
    for (size_t i = 0; i < sizeof name; i++)
        lower[i] = (char)tolower((unsigned char)name[i]);
    const json_t *const objects[] = {names, builtin};
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        json_object_foreach((json_t *)objects[i], parameter, value) if (count + 1 < MOST_NAMES)
            known[count++] = parameter;
    known[count] = NULL;
    config_refuse(config, entry, NULL,
                  "{%s}: unknown placeholder%s: give %s = VALUES in this section, or write {{ for "
                  "a brace",
                  name, nearest_hint(name, known).text, lower);
}

// Notes in used which parameters an entry names.
static void check_entry(const struct config *config, const struct entry *entry, const json_t *names,
                        const json_t *builtin, json_t *used)
{
    const char *text = entry->value;
    struct piece piece;
    while (template_next(&text, &piece)) {
        if (!piece.placeholder)
            continue;
        if (json_at(names, piece.text, piece.length)) {
            OWNED char *name = must(strndup(piece.text, piece.length));
            json_object_set_new(used, name, json_true());
        } else if (!json_at(builtin, piece.text, piece.length) &&
                   !(strcmp(entry->key, "spec") == 0 && template_is_node(&piece))) {
            refuse_placeholder(config, entry, &piece, names, builtin);
        }
    }
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

void section_check_placeholders(const struct config *config, const struct section *section,
                                const json_t *names, const json_t *builtin)
{
    json_auto_t *used = json_object();
    json_t *value;
    const char *name, *const text = strcmp(section->kind, "target") == 0 ? "command" : "spec";
    for (size_t i = 0; i < section->count; i++) {
        const char *key = section->entries[i]->key;
        if (strcmp(key, "command") == 0 || strcmp(key, "spec") == 0 ||
            section_sets(section, section->entries[i]))
            check_entry(config, section->entries[i], names, builtin, used);
    }
    json_object_foreach((json_t *)names, name, value)
    {
        const struct entry *entry = section_entry(section, name);
        if (json_object_get(used, name))
            continue;
        config_refuse(config, entry ? entry : section_entry(section, "case"), NULL,
                      "%s is used nowhere, and is no setting%s: use {%s} in %s, or remove it", name,
                      section_hint(section->kind, name).text, name, text);
    }
}
