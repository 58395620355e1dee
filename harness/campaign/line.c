#include "line.h"

#include "common/file.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

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
