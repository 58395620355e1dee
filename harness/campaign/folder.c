#include "folder.h"

#include "plan.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 2000, NAMES_SHOWN = 3, NAMES_SIZE = 512 };

static bool has_record(const char *folder, const char *name, const char *schema)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    json_t *record = json_read_record(path, 0, NULL);
    const char *is = json_text_at(record, "schema");
    const bool found = is != NULL && strcmp(is, schema) == 0;
    json_decref(record);
    return found;
}

/* Whether nothing of the user's is in the folder: it is empty, has a plan (a bench may have one
 * without cells), or what was made before that. */
static bool is_ours(const char *folder)
{
    static const char *const nothing[] = {NULL};
    static const char *const begun[] = {"lock", "cells", "campaign.conf", NULL};
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s/lock", folder);
    return file_folder_has_only(folder, nothing) ||
           has_record(folder, "campaign.json", SCHEMA_CAMPAIGN) ||
           has_record(folder, "bench-plan.json", SCHEMA_BENCH_PLAN) ||
           (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 &&
            file_folder_has_only(folder, begun));
}

static bool lock(const char *folder, bool shared)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/lock", folder);
    const int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file < 0)
        return save_complain(path);
    const enum lock_state state = lock_take(file, shared, LOCK_WAIT_MS);
    if (state == LOCK_IMPOSSIBLE)
        complain("%s: files cannot be locked there: make sure that no other campaign uses it",
                 folder);
    if (state != LOCK_HELD)
        return true;
    close(file);
    return complain("another jostle campaign is using %s: wait for it (jostle watch %s), or choose "
                    "another folder",
                    folder, folder);
}

bool folder_hold(const char *folder, bool shared)
{
    char cells[PATH_MAX];
    snprintf(cells, sizeof cells, "%s/cells", folder);
    if (!is_ours(folder))
        usage_error("%s is not empty, and holds no campaign: choose another folder with --output, "
                    "one that is empty or not there",
                    folder);
    /* The lock first: it says that what follows is ours. */
    if (!save_make_folder(folder, NULL))
        return save_complain_folder(folder);
    return lock(folder, shared) && (save_make_folder(cells, NULL) || save_complain_folder(folder));
}

/* {name: key} of a plan's cells. */
static json_t *keys_of(const json_t *plan)
{
    json_t *keys = json_object(), *cell;
    size_t i;
    json_array_foreach(json_object_get(plan, "cells"), i, cell)
        json_object_set(keys, json_text_at(cell, "name"), json_object_get(cell, "key"));
    return keys;
}

enum change { CHANGE_ADDED, CHANGE_DIFFERS };

/* Says how many cells of one plan the other lacks, or has another definition of; one, many:
 * what happens to them. */
static void say_change(const json_t *keys, const json_t *others, enum change change,
                       const char *one, const char *many)
{
    char names[NAMES_SIZE] = "";
    size_t count = 0, used = 0;
    const char *name;
    json_t *key;
    json_object_foreach((json_t *)keys, name, key)
    {
        const json_t *other = json_object_get(others, name);
        if (change == CHANGE_ADDED ? other != NULL : other == NULL || json_equal(key, other))
            continue;
        if (count++ < NAMES_SHOWN && used < sizeof names)
            used +=
                (size_t)snprintf(names + used, sizeof names - used, "%s%s", used ? ", " : "", name);
    }
    if (count > NAMES_SHOWN)
        complain("%zu %s: %s and %zu more", count, many, names, count - NAMES_SHOWN);
    else if (count > 0)
        complain("%zu %s: %s", count, count == 1 ? one : many, names);
}

static void say_changes(const json_t *old, const json_t *plan)
{
    json_t *before = keys_of(old), *now = keys_of(plan);
    say_change(now, before, CHANGE_ADDED, "cell is new", "cells are new");
    say_change(now, before, CHANGE_DIFFERS, "cell is measured again, its definition changed",
               "cells are measured again, their definition changed");
    say_change(before, now, CHANGE_ADDED, "cell is no longer in the file, and is left as it is",
               "cells are no longer in the file, and are left as they are");
    json_decref(before);
    json_decref(now);
}

/* A whole file, to be freed; NULL: it cannot be read. */
static char *read_file(const char *path)
{
    FILE *file = file_open_record(path);
    char *text = NULL;
    size_t size = 0;
    if (file == NULL)
        return NULL;
    const ssize_t length = getdelim(&text, &size, '\0', file);
    fclose(file);
    if (length >= 0)
        return text;
    free(text);
    return strdup("");
}

static bool copy_conf(const char *folder, const char *conf_path)
{
    char path[PATH_MAX];
    char *text = read_file(conf_path);
    snprintf(path, sizeof path, "%s/campaign.conf", folder);
    const bool copied = text != NULL && save_text(path, text, SAVE_RECORD);
    if (!copied)
        save_complain(path);
    free(text);
    return copied;
}

bool folder_keep_plan(const char *folder, const json_t *plan, const char *conf_path,
                      const char *file, bool shared)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/campaign.json", folder);
    json_t *old = access(path, F_OK) == 0 ? json_read_record(path, 0, NULL) : NULL;
    const bool same = old != NULL && json_equal(old, plan);
    if (old != NULL && !same && shared) {
        json_decref(old);
        return complain("%s is not what %s was planned from: run jostle campaign %s without "
                        "--cells first, or give another --output",
                        file, folder, file);
    }
    if (old != NULL && !same)
        say_changes(old, plan);
    json_decref(old);
    if (same)
        return true;
    char *text = json_dumps(plan, JSON_COMPACT);
    const bool kept = text != NULL && copy_conf(folder, conf_path) &&
                      (save_text(path, text, SAVE_RECORD) || save_complain(path));
    free(text);
    return kept;
}
