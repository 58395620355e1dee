// The folder of a campaign: who holds it, and the plan in it.

#include "campaign.h"

#include "common/file.h"
#include "common/lock.h"
#include "common/memory.h"
#include "common/own_file.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 2000, NAMES_SHOWN = 3 };

// Whether nothing of the user's is in the folder: it is empty, has a plan (a bench may have one
// without cells), or what was made before that.
static bool is_ours(const char *folder)
{
    static const char *const nothing[] = {NULL};
    static const char *const begun[] = {"lock", "cells", "campaign.conf", NULL};
    static const char *const plans[][2] = {{"campaign.json", SCHEMA_CAMPAIGN},
                                           {"bench-plan.json", SCHEMA_BENCH_PLAN}};
    char why[RECORD_WHY];
    struct stat status;
    bool found = file_folder_has_only(folder, nothing);
    for (size_t i = 0; !found && i < sizeof plans / sizeof *plans; i++) {
        OWNED char *path = text_of("%s/%s", folder, plans[i][0]);
        json_auto_t *plan = record_read(path, plans[i][1], why);
        found = plan;
    }
    OWNED char *path = text_of("%s/lock", folder);
    return found || (lstat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_size == 0 &&
                     file_folder_has_only(folder, begun));
}

static bool lock(const char *folder, bool shared)
{
    OWNED char *path = text_of("%s/lock", folder);
    const int file = file_open_own(path, O_RDWR | O_APPEND);
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
    OWNED char *cells = text_of("%s/cells", folder);
    if (!is_ours(folder))
        usage_error("%s is not empty, and holds no campaign: choose another folder with --output, "
                    "one that is empty or not there",
                    folder);
    // The lock first: it says that what follows is ours.
    if (!save_make_folder(folder, NULL))
        return save_complain_folder(folder);
    return lock(folder, shared) && ((save_make_folder(cells, NULL) && file_is_own_folder(cells)) ||
                                    save_complain_folder(cells));
}

// {name: key} of a plan's cells.
static json_t *keys_of(const json_t *plan)
{
    json_t *keys = json_object();
    JSON_EACH (cell, json_object_get(plan, "cells"))
        json_object_set(keys, json_text_at(cell, "name"), json_object_get(cell, "key"));
    return keys;
}

enum change { CHANGE_ADDED, CHANGE_DIFFERS };

// Says how many cells of one plan the other lacks, or has another definition of; one, many:
// what happens to them.
static void say_change(const json_t *keys, const json_t *others, enum change change,
                       const char *one, const char *many)
{
    OWNED char *names = NULL;
    size_t count = 0;
    const char *name;
    json_t *key;
    json_object_foreach((json_t *)keys, name, key)
    {
        const json_t *other = json_object_get(others, name);
        if (change == CHANGE_ADDED ? other != NULL : !other || json_equal(key, other))
            continue;
        if (count++ < NAMES_SHOWN)
            names = text_joined(names, ", ", name);
    }
    if (count > NAMES_SHOWN)
        complain("%zu %s: %s and %zu more", count, many, names, count - NAMES_SHOWN);
    else if (count > 0)
        complain("%zu %s: %s", count, count == 1 ? one : many, names);
}

static void say_changes(const json_t *old, const json_t *plan)
{
    json_auto_t *before = keys_of(old), *now = keys_of(plan);
    say_change(now, before, CHANGE_ADDED, "cell is new", "cells are new");
    say_change(now, before, CHANGE_DIFFERS, "cell is measured again, its definition changed",
               "cells are measured again, their definition changed");
    say_change(before, now, CHANGE_ADDED, "cell is no longer in the file, and is left as it is",
               "cells are no longer in the file, and are left as they are");
}

static bool copy_conf(const char *folder, const char *conf_path)
{
    OWNED char *path = text_of("%s/campaign.conf", folder), *text = NULL;
    size_t size = 0;
    FILE *file = file_open_record(conf_path);
    const bool empty = file && getdelim(&text, &size, '\0', file) < 0;
    const bool copied =
        (file && save_text(path, empty ? "" : text, SAVE_RECORD)) || save_complain(path);
    if (file)
        fclose(file);
    return copied;
}

bool folder_keep_plan(const struct campaign *campaign)
{
    const char *folder = campaign->folder;
    OWNED char *path = text_of("%s/campaign.json", folder);
    json_auto_t *old = access(path, F_OK) == 0 ? json_read_record(path, 0, NULL) : NULL;
    if (old && json_equal(old, campaign->plan))
        return true;
    if (old && campaign->shared)
        return complain("%s is not what %s was planned from: run jostle campaign %s without "
                        "--cells first, or give another --output",
                        campaign->file, folder, campaign->file);
    if (old)
        say_changes(old, campaign->plan);
    OWNED char *text = json_dumps(campaign->plan, JSON_COMPACT);
    return text && copy_conf(folder, campaign->conf) &&
           (save_text(path, text, SAVE_RECORD) || save_complain(path));
}
