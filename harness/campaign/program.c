#include "program.h"

#include "common/child.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && access(path, X_OK) == 0;
}

/* The absolute path of a program in PATH; false: there is none. */
static bool find_in_path(const char *name, char path[PATH_MAX])
{
    char found[PATH_MAX], here[PATH_MAX];
    if (!child_find(name, found))
        return false;
    if (found[0] == '/')
        return snprintf(path, PATH_MAX, "%s", found) < PATH_MAX;
    return getcwd(here, sizeof here) != NULL &&
           snprintf(path, PATH_MAX, "%s/%s", here, found) < PATH_MAX;
}

static bool find(const struct context *context, const char *word, char path[PATH_MAX])
{
    const char *file = context->config->file, *slash = strrchr(file, '/');
    if (word[0] == '/') {
        snprintf(path, PATH_MAX, "%s", word);
        return true;
    }
    if (strchr(word, '/') != NULL) {
        snprintf(path, PATH_MAX, "%.*s/%s", slash ? (int)(slash - file) : 1, slash ? file : ".",
                 strncmp(word, "./", 2) == 0 ? word + 2 : word);
        return is_program(path);
    }
    snprintf(path, PATH_MAX, "%s/%s", context->workloads, word);
    if (is_program(path))
        return true;
    /* A load or copies as a target are jostle's own, whatever else has that name. */
    const bool own = strcmp(word, "loadgen") == 0 || strcmp(word, "copies") == 0;
    return (own && is_program(child_path(word, path))) || find_in_path(word, path);
}

void program_find(const struct context *context, const struct entry *entry, json_t *command)
{
    const char *word = json_string_value(json_array_get(command, 0));
    char path[PATH_MAX];
    if (!find(context, word, path))
        config_refuse(context->config, entry, NULL,
                      "%s: no such program in workloads, nor in PATH: fix the command, or build it",
                      word);
    json_array_set_new(command, 0, json_string(path));
}
