#include "folder.h"

#include "common/lock.h"
#include "common/machine_json.h"
#include "common/messages.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LOCK_WAIT_MS 2000

/* "WHAT PATH: ADVICE", and the end. */
static void __attribute__((noreturn)) fail(const char *what, const char *path, const char *advice)
{
    complain("%s %s: %s", what, path, advice);
    exit(EXIT_FAILURE);
}

const char *folder_default(struct arena *arena, const char *target)
{
    char stamp[32];
    struct tm local;
    const time_t now = time(NULL);
    const char *slash = strrchr(target, '/');
    char *name = arena_format(arena, "%s", slash == NULL ? target : slash + 1);
    for (char *c = name; *c != '\0'; c++)
        if (!isascii(*c) || (!isalnum(*c) && strchr("._-", *c) == NULL))
            *c = '_';
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", localtime_r(&now, &local));
    return arena_format(arena, "jostle-results/%s.%s.%d", name, stamp, (int)getpid());
}

/* The folder, and those above it that are not there. False: errno says why. */
static bool make(struct arena *arena, const char *path, bool *created)
{
    struct stat status;
    char *whole = arena_format(arena, "%s", path);
    for (char *slash = strchr(whole + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(whole, 0777) != 0 && errno != EEXIST)
            return false;
        *slash = '/';
    }
    *created = mkdir(whole, 0777) == 0;
    return *created || (stat(whole, &status) == 0 && S_ISDIR(status.st_mode));
}

static void lock(const struct folder *folder)
{
    const enum lock_state state = lock_take(folder->runs, false, LOCK_WAIT_MS);
    if (state == LOCK_IMPOSSIBLE)
        complain("%s: files cannot be locked there: make sure that no other jostle measures "
                 "into it",
                 folder->path);
    if (state == LOCK_HELD)
        fail("another jostle is measuring into", folder->path,
             "wait for it, or choose another folder");
}

/* Only under the lock it is sure what the file holds. */
static void look_into(struct folder *folder)
{
    struct stat status;
    if (fstat(folder->runs, &status) != 0)
        fail("cannot write to", folder->path, "choose another folder with --output");
    folder->has_runs = status.st_size > 0;
}

static void open_runs(struct folder *folder, struct arena *arena, const char *path, bool resume)
{
    const char *file = arena_format(arena, "%s/runs.jsonl", path);
    if (!resume && access(file, F_OK) == 0)
        usage_error("%s already holds an experiment: choose another folder with --output, or "
                    "continue it with --resume",
                    path);
    folder->runs = open(file, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
    if (folder->runs < 0)
        fail("cannot write to", path, "choose another folder with --output");
}

void folder_open(struct folder *folder, struct arena *arena, const char *path, bool resume)
{
    char absolute[PATH_MAX];
    *folder = (struct folder){.runs = -1};
    if (!make(arena, path, &folder->created))
        fail("cannot make the folder", path, "choose another with --output");
    open_runs(folder, arena, path, resume);
    if (realpath(path, absolute) == NULL)
        fail("cannot write to", path, "choose another folder with --output");
    folder->path = arena_format(arena, "%s", absolute);
    lock(folder);
    look_into(folder);
}

void folder_write(const struct folder *folder, struct arena *arena, const char *name,
                  const json_t *record)
{
    const char *path = arena_format(arena, "%s/%s", folder->path, name);
    const char *part = arena_format(arena, "%s.part", path);
    FILE *file = fopen(part, "we");
    bool written = file != NULL && json_dumpf(record, file, RECORD_FORMAT) == 0 &&
                   fputc('\n', file) != EOF && fflush(file) == 0 && fsync(fileno(file)) == 0;
    written = (file == NULL || fclose(file) == 0) && written;
    if (written && rename(part, path) == 0)
        return;
    unlink(part);
    fail("cannot write to", folder->path, "is the disk full?");
}

void folder_close(struct folder *folder)
{
    if (folder->runs >= 0)
        close(folder->runs);
    folder->runs = -1;
}
