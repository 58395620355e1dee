// Adapters: turns @NAME into the definitions of metrics that the file of that name has.

#include "experiment.h"

#include "common/child.h"
#include "common/messages.h"
#include "common/text.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { REASON_SIZE = 512 };

struct adapter {
    const char *about, *defaults;
    struct option_list metrics; // definitions
};

// --- where they are

// The file of an adapter, or with "" their folder: that of jostle, as it says, else beside
// build/bin.
static const char *adapter_path(struct arena *arena, const char *name)
{
    char path[PATH_MAX];
    const char *harness = getenv("JOSTLE_HARNESS");
    return harness ? arena_format(arena, "%s/adapters/%s", harness, name)
                   : arena_format(arena, "%s/%s", child_path("../../harness/adapters", path), name);
}

static int is_adapter(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && !strchr(entry->d_name, '.');
}

// The names of all adapters in order.
static struct option_list names_read(struct arena *arena)
{
    struct dirent **entries = NULL;
    struct option_list names = {0};
    const int count = scandir(adapter_path(arena, ""), &entries, is_adapter, alphasort);
    for (int i = 0; i < count; i++) {
        list_add(&names, arena, arena_format(arena, "%s", entries[i]->d_name));
        free(entries[i]);
    }
    free(entries);
    return names;
}

const char *adapter_name(struct arena *arena, const char *text)
{
    const char *start = text + (text[0] == '@');
    const size_t length = strcspn(start, ":");
    const char *slash = memrchr(start, '/', length), *name = slash ? slash + 1 : start;
    return arena_format(arena, "%.*s", (int)(start + length - name), name);
}

// --- reading one

// The whole file; NULL with errno: it cannot be read, or, 0, is empty.
static char *read_text(struct arena *arena, const char *path)
{
    char *text = NULL;
    size_t size = 0;
    errno = 0;
    FILE *file = fopen(path, "re");
    const bool read = file && getdelim(&text, &size, '\0', file) >= 0;
    const int error = errno;
    if (text)
        arena_keep(arena, text);
    if (file)
        fclose(file);
    errno = error;
    return read ? text : NULL;
}

// What follows `KEY:` on a line; NULL: the line does not begin so.
static const char *after_key(const char *line, const char *key)
{
    const char *rest = text_after(line, key);
    return rest && *rest == ':' ? rest + 1 + strspn(rest + 1, " ") : NULL;
}

static bool adapter_read(struct adapter *adapter, struct arena *arena, const char *path,
                         char *error, size_t size)
{
    char *text = read_text(arena, path), *rest = NULL;
    const char *value;
    *adapter = (struct adapter){0};
    if (!text) {
        snprintf(error, size, "%s cannot be read (%s): give the file of an adapter", path,
                 errno == 0 ? "it is empty" : strerror(errno));
        return false;
    }
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] == '#' || after_key(line, "command"))
            continue;
        if ((value = after_key(line, "about"))) {
            adapter->about = value;
        } else if ((value = after_key(line, "default"))) {
            adapter->defaults = value;
        } else if (line[strcspn(line, "=:")] == '=') {
            list_add(&adapter->metrics, arena, line);
        } else {
            snprintf(error, size, "%s: %.60s: not a line of an adapter: write NAME=SOURCE", path,
                     line);
            return false;
        }
    }
    return true;
}

// --- choosing metrics

static bool is_named(const char *definition, const char *name)
{
    const char *rest = text_after(definition, name);
    return rest && *rest == '=';
}

// "get_rps (did you mean rps?): give one of a, b, c"
static void unknown_metric(struct arena *arena, const struct adapter *adapter, const char *name,
                           char *error, size_t size)
{
    struct option_list names = {0};
    const char *all = "";
    for (size_t i = 0; i < adapter->metrics.count; i++) {
        const char *one = adapter->metrics.item[i];
        list_add(&names, arena, arena_format(arena, "%.*s", (int)strcspn(one, "="), one));
        all = arena_format(arena, "%s%s%s", all, i > 0 ? ", " : "", names.item[i]);
    }
    snprintf(error, size, "the adapter has no metric %s%s: give one of %s", name,
             nearest_hint(name, names.item).text, all);
}

static bool has_metric(const struct adapter *adapter, const char *name)
{
    for (size_t i = 0; i < adapter->metrics.count; i++)
        if (is_named(adapter->metrics.item[i], name))
            return true;
    return false;
}

// --- @NAME:METRIC,METRIC

// The file of the adapter of this name or path; NULL: there is none of this name.
static const char *find_file(struct arena *arena, const char *name, char *error, size_t size)
{
    if (strchr(name, '/'))
        return name;
    const struct option_list names = names_read(arena);
    for (size_t i = 0; i < names.count; i++)
        if (strcmp(names.item[i], name) == 0)
            return adapter_path(arena, name);
    snprintf(error, size, "no adapter is named %s%s: jostle adapters lists them", name,
             names.count > 0 ? nearest_hint(name, names.item).text : "");
    return NULL;
}

struct option_list adapter_definitions(struct arena *arena, const char *text, char *error,
                                       size_t size)
{
    struct adapter adapter = {0};
    struct option_list wanted = {0}, chosen = {0};
    const char *colon = strchr(text, ':');
    const char *name = arena_format(arena, "%.*s", (int)strcspn(text + 1, ":"), text + 1);
    const char *path = find_file(arena, name, error, size);
    if (!path || !adapter_read(&adapter, arena, path, error, size))
        return chosen;
    const char *list = colon ? colon + 1 : adapter.defaults;
    char *rest = list ? arena_format(arena, "%s", list) : NULL;
    if (adapter.metrics.count == 0) {
        snprintf(error, size, "%s has no metrics: write NAME=SOURCE", path);
        return chosen;
    }
    for (const char *one; (one = strsep(&rest, ","));) {
        if (!has_metric(&adapter, one)) {
            unknown_metric(arena, &adapter, one, error, size);
            return chosen;
        }
        list_add(&wanted, arena, one);
    }
    for (size_t i = 0; i < adapter.metrics.count; i++) {
        const char *definition = adapter.metrics.item[i];
        bool is_wanted = !list || strstr(definition, ",role=");
        for (size_t k = 0; k < wanted.count; k++)
            is_wanted = is_wanted || is_named(definition, wanted.item[k]);
        if (is_wanted)
            list_add(&chosen, arena, definition);
    }
    return chosen;
}

// --- for people

bool adapters_print(const char *name)
{
    struct arena arena = {0};
    struct adapter adapter;
    const size_t columns = fold_columns(STDOUT_FILENO);
    char error[REASON_SIZE];
    bool printed = true;
    if (name) {
        const char *path = find_file(&arena, name, error, sizeof error);
        if (!path)
            usage_error("%s", error);
        const char *text = read_text(&arena, path);
        printed = text && fputs(text, stdout) != EOF;
    }
    const struct option_list names = name ? (struct option_list){0} : names_read(&arena);
    for (size_t i = 0; printed && i < names.count; i++)
        if (!adapter_read(&adapter, &arena, adapter_path(&arena, names.item[i]), error,
                          sizeof error))
            complain("%s", error);
        else {
            const int indent = printf("%-20s ", names.item[i]);
            fold_behind(stdout, adapter.about ? adapter.about : "", (size_t)indent, columns);
            printed = putchar('\n') != EOF;
        }
    arena_free(&arena);
    return printed;
}
