#include "experiment.h"

#include "common/child.h"
#include "common/messages.h"
#include "common/text.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MOST = 256, METRICS_MOST = 64, NAME_SIZE = 128, REASON_SIZE = 512 };

struct adapter {
    char *text; // of the file, its lines ended by NUL
    const char *about, *defaults;
    const char *metric[METRICS_MOST];
    size_t count;
};

// --- where they are

// The folder of the adapters: that of jostle, as it says, else beside build/bin.
static const char *adapters_folder(char path[PATH_MAX])
{
    const char *harness = getenv("JOSTLE_HARNESS");
    if (!harness)
        return child_path("../../harness/adapters", path);
    snprintf(path, PATH_MAX, "%s/adapters", harness);
    return path;
}

static int is_adapter(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
}

// The names of all adapters in order, ended by NULL; to be freed with names_free().
static char **names_read(void)
{
    char path[PATH_MAX];
    struct dirent **entries = NULL;
    const int count = scandir(adapters_folder(path), &entries, is_adapter, alphasort);
    char **names = must(calloc((size_t)(count < 0 ? 0 : count) + 1, sizeof *names));
    for (int i = 0; i < count; i++) {
        names[i] = must(strdup(entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return names;
}

static void names_free(char **names)
{
    for (size_t i = 0; names[i]; i++)
        free(names[i]);
    free(names);
}

void adapter_name(const char *text, char *name, size_t size)
{
    const char *start = text + (text[0] == '@');
    size_t length = strcspn(start, ":");
    const char *slash = memrchr(start, '/', length);
    if (slash) {
        length -= (size_t)(slash + 1 - start);
        start = slash + 1;
    }
    snprintf(name, size, "%.*s", (int)length, start);
}

// --- reading one

// The whole file, to be freed; NULL: it cannot be read.
static char *read_text(const char *path)
{
    char *text = NULL;
    size_t size = 0;
    FILE *file = fopen(path, "re");
    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = NULL;
    }
    fclose(file);
    return text;
}

// What follows `KEY:` on a line; NULL: the line does not begin so.
static const char *after_key(const char *line, const char *key)
{
    const char *rest = text_after(line, key);
    return rest && *rest == ':' ? rest + 1 + strspn(rest + 1, " ") : NULL;
}

// Fills adapter from the file at path, which is freed with adapter->text.
static bool adapter_read(struct adapter *adapter, const char *path, char *error, size_t size)
{
    char *rest = NULL;
    const char *value;
    *adapter = (struct adapter){.text = read_text(path)};
    if (!adapter->text) {
        snprintf(error, size, "%s cannot be read, or is empty: give the file of an adapter", path);
        return false;
    }
    for (char *line = strtok_r(adapter->text, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] == '#' || after_key(line, "command"))
            continue;
        if ((value = after_key(line, "about"))) {
            adapter->about = value;
        } else if ((value = after_key(line, "default"))) {
            adapter->defaults = value;
        } else if (line[strcspn(line, "=:")] == '=' && adapter->count < METRICS_MOST) {
            adapter->metric[adapter->count++] = line;
        } else {
            snprintf(error, size, "%s: %.60s: not a line of an adapter: write NAME=SOURCE", path,
                     line);
            return false;
        }
    }
    return true;
}

// --- choosing metrics

static size_t name_length(const char *definition)
{
    return strcspn(definition, "=");
}

// Whether the list NAME,NAME has a definition's name; NULL is the list of all.
static bool is_listed(const char *list, const char *definition)
{
    const size_t length = name_length(definition);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, definition, length) == 0 && (at[length] == ',' || at[length] == '\0'))
            return true;
    }
    return !list;
}

// "get_rps (did you mean rps?): give one of a, b, c"
static void unknown_metric(const struct adapter *adapter, const char *name, size_t length,
                           char *error, size_t size)
{
    char copy[METRICS_MOST][NAME_SIZE], word[NAME_SIZE];
    const char *names[METRICS_MOST + 1] = {NULL};
    snprintf(word, sizeof word, "%.*s", (int)length, name);
    for (size_t i = 0; i < adapter->count; i++) {
        snprintf(copy[i], NAME_SIZE, "%.*s", (int)name_length(adapter->metric[i]),
                 adapter->metric[i]);
        names[i] = copy[i];
    }
    int used = snprintf(error, size, "the adapter has no metric %s%s: give one of ", word,
                        nearest_hint(word, names).text);
    for (size_t i = 0; names[i] && used >= 0 && (size_t)used < size; i++)
        used += snprintf(error + used, size - (size_t)used, "%s%s", i > 0 ? ", " : "", names[i]);
}

static bool check_list(const struct adapter *adapter, const char *list, char *error, size_t size)
{
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        bool found = false;
        for (size_t i = 0; i < adapter->count; i++)
            found = found || (name_length(adapter->metric[i]) == length &&
                              strncmp(adapter->metric[i], at, length) == 0);
        if (!found) {
            unknown_metric(adapter, at, length, error, size);
            return false;
        }
        at += length;
        if (*at == '\0')
            return true;
    }
}

// The definitions that are wanted, in one block.
static char **chosen(const struct adapter *adapter, const char *list)
{
    size_t bytes = (METRICS_MOST + 1) * sizeof(char *), count = 0;
    for (size_t i = 0; i < adapter->count; i++)
        bytes += strlen(adapter->metric[i]) + 1;
    char **definitions = must(calloc(1, bytes));
    char *at = (char *)(definitions + METRICS_MOST + 1);
    for (size_t i = 0; i < adapter->count; i++)
        if (strstr(adapter->metric[i], ",role=") || is_listed(list, adapter->metric[i])) {
            definitions[count++] = at;
            at = stpcpy(at, adapter->metric[i]) + 1;
        }
    return definitions;
}

// --- @NAME:METRIC,METRIC

// The file of the adapter of this name or path; false: there is none of this name.
static bool find_file(const char *name, char path[PATH_MAX], char *error, size_t size)
{
    char folder[PATH_MAX];
    if (strchr(name, '/')) {
        snprintf(path, PATH_MAX, "%s", name);
        return true;
    }
    char **names = names_read();
    bool found = false;
    for (size_t i = 0; names[i]; i++)
        found = found || strcmp(names[i], name) == 0;
    found = found && snprintf(path, PATH_MAX, "%s/%s", adapters_folder(folder), name) < PATH_MAX;
    if (!found)
        snprintf(error, size, "no adapter is named %s%s: jostle adapters lists them", name,
                 nearest_hint(name, (const char *const *)names).text);
    names_free(names);
    return found;
}

char **adapter_definitions(const char *text, char *error, size_t size)
{
    char path[PATH_MAX], name[PATH_MAX];
    struct adapter adapter = {0};
    char **definitions = NULL;
    const char *list = strchr(text, ':');
    snprintf(name, sizeof name, "%.*s", (int)strcspn(text + 1, ":"), text + 1);
    if (!find_file(name, path, error, size))
        return NULL;
    const bool read = adapter_read(&adapter, path, error, size);
    list = list ? list + 1 : adapter.defaults;
    if (read && adapter.count == 0)
        snprintf(error, size, "%s has no metrics: write NAME=SOURCE", path);
    else if (read && (!list || check_list(&adapter, list, error, size)))
        definitions = chosen(&adapter, list);
    free(adapter.text);
    return definitions;
}

// --- for people

bool adapters_print(const char *name)
{
    char folder[PATH_MAX], path[PATH_MAX + NAME_SIZE], error[REASON_SIZE];
    bool printed = true;
    if (name) {
        if (!find_file(name, path, error, sizeof error))
            usage_error("%s", error);
        OWNED char *text = read_text(path);
        return text && fputs(text, stdout) != EOF;
    }
    char **names = names_read();
    adapters_folder(folder);
    for (size_t i = 0; printed && names[i]; i++) {
        struct adapter adapter;
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (!adapter_read(&adapter, path, error, sizeof error))
            complain("%s", error);
        else
            printed = printf("%-20s %s\n", names[i], adapter.about ? adapter.about : "") > 0;
        free(adapter.text);
    }
    names_free(names);
    return printed;
}
