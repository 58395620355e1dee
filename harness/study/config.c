// A file in the syntax of git config: its entries, as git lists them, and where each of them is.

#include "config.h"

#include "common/file.h"
#include "common/json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/text.h"

#include <ctype.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 2048 };

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

// ---- sections

static void add_section(struct sections *sections, const struct config *config,
                        const struct entry *entry)
{
    for (size_t i = 0; i < sections->count; i++)
        if (strcmp(sections->list[i].name, entry->sub) == 0)
            return;
    sections->list[sections->count++] = section_named(config, entry->section, entry->sub);
}

struct section section_named(const struct config *config, const char *kind, const char *name)
{
    struct section section = {.kind = kind, .name = name};
    section.entries = must(calloc(config->count + 1, sizeof *section.entries));
    for (size_t i = 0; i < config->count; i++)
        if (strcmp(config->entries[i].section, kind) == 0 &&
            strcmp(config->entries[i].sub, name) == 0)
            section.entries[section.count++] = &config->entries[i];
    return section;
}

void section_free(struct section *section)
{
    free(section->entries);
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
        section_free(&sections->list[i]);
    free(sections->list);
}

const struct entry *section_entry(const struct section *section, const char *key)
{
    for (size_t i = section->count; i > 0; i--)
        if (strcmp(section->entries[i - 1]->key, key) == 0)
            return section->entries[i - 1];
    return NULL;
}
