#include "entries.h"

#include "common/file.h"
#include "common/messages.h"

#include <ctype.h>
#include <jansson.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

enum { MESSAGE_SIZE = 2048 };

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
    if (entry == NULL)
        usage_error("%s: %s", config->file, message);
    if (key == NULL)
        key = entry->key;
    const unsigned line = config_line(config, entry);
    char number[16] = "";
    if (line > 0)
        snprintf(number, sizeof number, ":%u", line);
    usage_error("%s%s: %s%s%s%s%s: %s", entry->file, number, entry->section,
                entry->sub[0] ? "." : "", entry->sub, key[0] ? "." : "", key, message);
}

const char *config_hint(const char *word, const char *const *names, char *text, size_t size)
{
    const char *near = nearest_name(word, names);
    text[0] = '\0';
    if (near != NULL)
        snprintf(text, size, " (did you mean %s?)", near);
    return text;
}

/* The whole of a stream, ended by a 0; NULL out of memory, or where it cannot be read. */
static char *read_all(FILE *stream, size_t *size)
{
    size_t capacity = 65536, used = 0;
    char *text = malloc(capacity + 1);
    while (text != NULL && !feof(stream) && !ferror(stream)) {
        if (used == capacity) {
            char *larger = realloc(text, 2 * capacity + 1);
            if (larger == NULL) {
                free(text);
                return NULL;
            }
            text = larger;
            capacity *= 2;
        }
        used += fread(text + used, 1, capacity - used, stream);
    }
    if (text != NULL)
        text[used] = '\0';
    *size = used;
    return text;
}

/* "section.name with.dots.key" and "\nvalue" behind it, taken apart in place. */
static bool split_entry(char *origin, char *text, struct entry *entry)
{
    static const char file_origin[] = "file:";
    char *value = strchr(text, '\n');
    if (value != NULL)
        *value++ = '\0';
    char *first = strchr(text, '.'), *last = strrchr(text, '.');
    if (first == NULL || strncmp(origin, file_origin, sizeof file_origin - 1) != 0)
        return false;
    *first = *last = '\0';
    *entry = (struct entry){.file = origin + sizeof file_origin - 1,
                            .section = text,
                            .sub = first == last ? "" : first + 1,
                            .key = last + 1,
                            .value = value != NULL ? value : "true"};
    return true;
}

void config_read(struct config *config, const char *file, FILE *stream)
{
    size_t size, strings = 0;
    *config = (struct config){.file = file, .text = read_all(stream, &size)};
    for (size_t i = 0; config->text != NULL && i < size; i++)
        strings += config->text[i] == '\0';
    config->entries = calloc(strings / 2 + 1, sizeof *config->entries);
    if (config->text == NULL || config->entries == NULL)
        usage_error("%s cannot be read: out of memory", file);
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
        else if (entry->value[0] == '~' && entry->value[1] == '/' && home != NULL)
            snprintf(path, sizeof path, "%s%s", home, entry->value + 1);
        else
            snprintf(path, sizeof path, "%.*s/%s", slash ? (int)(slash - entry->file) : 1,
                     slash ? entry->file : ".", entry->value);
        if (access(path, R_OK) != 0)
            config_refuse(config, entry, NULL, "%s cannot be read: fix the path of the include",
                          path);
    }
}

/* git reads the quoting of JSON: \", \\, \n and \t. */
static bool write_quoted(const char *text, FILE *stream)
{
    json_t *string = json_string(text);
    const bool written =
        string != NULL && json_dumpf(string, stream, JSON_ENCODE_ANY | JSON_COMPACT) == 0;
    json_decref(string);
    return written;
}

bool config_write(const struct config *config, FILE *stream)
{
    for (size_t i = 0; i < config->count; i++) {
        const struct entry *entry = &config->entries[i];
        if (is_include(entry))
            continue;
        if (fprintf(stream, "[%s", entry->section) < 0 ||
            (entry->sub[0] != '\0' &&
             (fputc(' ', stream) == EOF || !write_quoted(entry->sub, stream))) ||
            fprintf(stream, "]\n    %s = ", entry->key) < 0 ||
            !write_quoted(entry->value, stream) || fputc('\n', stream) == EOF)
            return false;
    }
    return true;
}

enum { NAME_SIZE = 1024 };

/* The section whose lines are read. */
struct place {
    char section[NAME_SIZE], sub[NAME_SIZE];
};

static bool is_same(const struct entry *a, const struct entry *b)
{
    return strcmp(a->file, b->file) == 0 && strcmp(a->section, b->section) == 0 &&
           strcmp(a->sub, b->sub) == 0 && strcmp(a->key, b->key) == 0;
}

/* The how manieth of its name in its file this entry is, from 1 on. */
static unsigned count_same(const struct config *config, const struct entry *entry)
{
    unsigned count = 1;
    for (const struct entry *other = config->entries; other < entry; other++)
        count += is_same(other, entry);
    return count;
}

static void add(char *name, char c)
{
    const size_t length = strlen(name);
    if (length + 1 < NAME_SIZE) {
        name[length] = c;
        name[length + 1] = '\0';
    }
}

/* `[target "a"]`; returns what follows. */
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

/* Whether a line gives this key a value; git takes either case of it. */
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
    char *line = NULL;
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
    free(line);
    return found;
}

unsigned config_line(const struct config *config, const struct entry *entry)
{
    FILE *file = file_open_record(entry->file);
    if (file == NULL)
        return 0;
    const unsigned number = find_line(file, entry, count_same(config, entry));
    fclose(file);
    return number;
}
