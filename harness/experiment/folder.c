#include "folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/file.h"
#include "common/machine_json.h"
#include "common/messages.h"
#include "common/save.h"

#define LOCK_WAIT_MS 2000

/* Says from errno that path in the folder cannot be written, takes away what was made, and ends. */
static void __attribute__((noreturn)) fail(const struct folder *folder, const char *file)
{
    save_complain(file);
    if (folder->begun) {
        char runs[PATH_MAX];
        snprintf(runs, sizeof runs, "%s/runs.jsonl", folder->path);
        (void)unlink(runs);
    }
    if (folder->created)
        (void)rmdir(folder->path);
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

static void lock(const struct folder *folder)
{
    const enum lock_state state = lock_take(folder->runs, false, LOCK_WAIT_MS);
    if (state == LOCK_IMPOSSIBLE)
        complain("%s: files cannot be locked there: make sure that no other jostle measures "
                 "into it",
                 folder->path);
    if (state == LOCK_HELD) {
        complain("another jostle is measuring into %s: wait for it, or choose another folder",
                 folder->path);
        exit(EXIT_FAILURE);
    }
}

/* Only under the lock it is sure what the file holds. */
static void look_into(struct folder *folder)
{
    struct stat status;
    if (fstat(folder->runs, &status) != 0)
        fail(folder, folder->path);
    folder->has_runs = status.st_size > 0;
}

static void __attribute__((noreturn)) refuse_begun(const char *path)
{
    usage_error("%s already holds an experiment: choose another folder with --output, or continue "
                "it with --resume",
                path);
}

void folder_unknown(const char *path)
{
    complain("%s holds runs but no experiment.json that can be read: choose another folder", path);
    exit(EXIT_FAILURE);
}

/* Refuses a folder with files in it that no experiment of ours has made: one would be replaced, or
 * removed at the end. What a crash leaves of an experiment that had only begun is runs.jsonl. */
static void check(const char *path, const char *file, bool resume, bool ours)
{
    static const char *const begun[] = {"runs.jsonl", NULL};
    struct stat status;
    const bool there = stat(file, &status) == 0;
    if (there && !S_ISREG(status.st_mode))
        usage_error("%s is not a regular file: choose another folder with --output", file);
    if (there && !resume)
        refuse_begun(path);
    if (there && status.st_size > 0 && !ours)
        folder_unknown(path);
    if (!ours && !file_folder_has_only(path, begun))
        usage_error("%s is not empty, and holds no experiment to continue: choose another folder "
                    "with --output, one that is empty or not there",
                    path);
}

void experiment_folder_open(struct folder *folder, struct arena *arena, const char *path,
                            bool resume, bool ours)
{
    char absolute[PATH_MAX];
    const char *file = arena_format(arena, "%s/runs.jsonl", path);
    *folder = (struct folder){.runs = -1, .path = path};
    check(path, file, resume, ours);
    if (!save_make_folder(path, &folder->created)) {
        save_complain_folder(path);
        exit(EXIT_FAILURE);
    }
    /* Of two that begin at the same moment only one makes it. */
    folder->runs = open(file, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    folder->begun = folder->runs >= 0;
    if (!folder->begun && errno == EEXIST && !resume)
        refuse_begun(path);
    if (!folder->begun && errno == EEXIST)
        folder->runs = open(file, O_RDWR | O_APPEND | O_CLOEXEC);
    if (folder->runs < 0)
        fail(folder, file);
    if (realpath(path, absolute) == NULL)
        fail(folder, path);
    folder->path = arena_format(arena, "%s", absolute);
    lock(folder);
    look_into(folder);
}

void folder_write(const struct folder *folder, struct arena *arena, const char *name,
                  const json_t *record)
{
    const char *path = arena_format(arena, "%s/%s", folder->path, name);
    struct save save;
    const bool written = save_begin(&save, path, SAVE_RECORD) &&
                         save_end(&save, json_dumpf(record, save.file, RECORD_FORMAT) == 0 &&
                                             fputc('\n', save.file) != EOF);
    if (!written)
        fail(folder, path);
}

void experiment_folder_close(struct folder *folder)
{
    if (folder->runs >= 0)
        close(folder->runs);
    folder->runs = -1;
}

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
#define DIGITS  "0123456789"
/* Of a name that is given, and of one that is made; @ comes before a load's. */
#define GIVEN_CHARACTERS LETTERS DIGITS "._%-"
#define MADE_CHARACTERS  GIVEN_CHARACTERS "=,+"

const char *name_read(struct arena *arena, const char *text, const char **name)
{
    const size_t length = strspn(text, GIVEN_CHARACTERS);
    const bool named = length > 0 && text[length] == '=';
    *name = named ? arena_format(arena, "%.*s", (int)length, text) : NULL;
    return named ? text + length + 1 : text;
}

char *name_clean(struct arena *arena, const char *text)
{
    char *name = arena_format(arena, "%s", text), *to = name;
    for (const char *from = name; *from != '\0';) {
        const size_t good = strspn(from, MADE_CHARACTERS);
        memmove(to, from, good);
        to += good;
        from += good;
        if (*from == '\0')
            break;
        from += strcspn(from, MADE_CHARACTERS);
        *to++ = '_';
    }
    *to = '\0';
    return name;
}
