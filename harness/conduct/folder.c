// The records of an experiment in their folder: runs.jsonl is ours alone while we measure.

#include "folder.h"

#include "harness/record/files.h"
#include "harness/stats/json.h"
#include "harness/stats/record.h"

#include "common/file.h"
#include "common/lock.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/own_file.h"
#include "common/record_json.h"
#include "common/save.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 2000 };

static const double SYNC_INTERVAL_S = 1;

__attribute__((format(printf, 2, 3))) static bool fail(struct folder *folder, const char *format,
                                                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(folder->error, sizeof folder->error, format, arguments);
    va_end(arguments);
    return false;
}

// path: the folder, or the file in it that is meant.
static bool cannot_write(struct folder *folder, const char *path)
{
    const int error = errno;
    return fail(folder, "cannot write to %.300s (%s): %s", path, strerror(error),
                save_advice_at(error, folder->runs));
}

char *folder_file(const struct folder *folder, const char *name)
{
    return text_of("%s/%s", folder->path, name);
}

// Locks the file for us; the lock goes with us, whatever ends us. Where there are no locks,
// the program `experiment` has said so.
static bool lock(struct folder *folder, int fd)
{
    if (lock_take(fd, false, LOCK_WAIT_MS) != LOCK_HELD)
        return true;
    return fail(folder,
                "another jostle is measuring into %.300s: wait for it, or choose another folder",
                folder->path);
}

bool folder_open(struct folder *folder, const char *path)
{
    *folder = (struct folder){.fd = -1, .synced_s = NAN};
    folder->path = must(strdup(path));
    folder->runs = folder_file(folder, RUNS_FILE);
    folder->fd = file_open_own(folder->runs, O_RDWR | O_APPEND);
    if (folder->fd < 0)
        return cannot_write(folder, folder->runs);
    return lock(folder, folder->fd);
}

// The whole file, with a '\0' behind it; to be freed. NULL with `error` set.
static char *content(struct folder *folder, size_t *length)
{
    struct stat status;
    char *text = NULL;
    *length = 0;
    if (fstat(folder->fd, &status) == 0)
        text = must(malloc((size_t)status.st_size + 1));
    while (text && *length < (size_t)status.st_size) {
        const ssize_t got =
            pread(folder->fd, text + *length, (size_t)status.st_size - *length, (off_t)*length);
        if (got <= 0) {
            free(text);
            text = NULL;
        } else {
            *length += (size_t)got;
        }
    }
    if (text)
        text[*length] = '\0';
    else
        fail(folder, "%.300s cannot be read (%s)", folder->runs, strerror(errno));
    return text;
}

static bool move_to_torn(struct folder *folder, const char *line, size_t length, size_t start)
{
    OWNED char *path = folder_file(folder, "runs.jsonl.torn");
    const int fd = file_open_own(path, O_WRONLY | O_APPEND);
    bool good = fd >= 0 && save_append(fd, line, length) && file_write_all(fd, "\n", 1);
    const int error = errno;
    good = (fd < 0 || close(fd) == 0) && good;
    errno = good ? errno : error;
    // Only what is kept elsewhere goes from here.
    if (!good)
        return cannot_write(folder, path);
    if (ftruncate(folder->fd, (off_t)start) != 0)
        return cannot_write(folder, folder->path);
    complain("the last line of %s was not written in full: it is set aside in "
             "runs.jsonl.torn",
             folder->runs);
    return true;
}

bool folder_repair(struct folder *folder)
{
    size_t length;
    OWNED char *text = content(folder, &length);
    bool good = text != NULL, whole = false;
    while (good && length > 0 && !whole) {
        const bool ended = text[length - 1] == '\n';
        const size_t end = ended ? length - 1 : length;
        const char *before = memrchr(text, '\n', end);
        const size_t start = before ? (size_t)(before - text) + 1 : 0;
        json_auto_t *record = json_loadb(text + start, end - start, 0, NULL);
        whole = json_is_object(record);
        if (whole)
            good =
                ended || file_write_all(folder->fd, "\n", 1) || cannot_write(folder, folder->path);
        else
            good = move_to_torn(folder, text + start, end - start, start);
        length = start;
    }
    return good;
}

// A record as a line, to be freed.
static char *line_of(const json_t *record, size_t *length)
{
    char *text = must(json_dumps(record, LINE_FORMAT));
    *length = strlen(text);
    text[(*length)++] = '\n'; // in the place of the '\0'
    return text;
}

static bool copy_lines(const struct folder *folder, int fd, const bool *changed)
{
    FILE *file = file_open_record(folder->runs);
    char *line = NULL;
    size_t size = 0, written;
    ssize_t length;
    bool good = file != NULL;
    for (size_t i = 0; good && (length = getline(&line, &size, file)) >= 0; i++) {
        written = (size_t)length;
        if (changed[i]) {
            json_t *record = json_read_line(line, written);
            json_extend(record,
                        json_pack("{s:{s:O, s:O}, s:i, s:i}", "set_aside", "block",
                                  json_object_get(record, "block"), "order",
                                  json_object_get(record, "order"), "block", 0, "order", 0));
            json_array_append_new(json_object_get(record, "flags"), json_string("set-aside"));
            free(line);
            line = line_of(record, &written);
            size = written;
            json_decref(record);
        }
        good = file_write_all(fd, line, written);
    }
    if (file)
        fclose(file);
    free(line);
    return good && fsync(fd) == 0;
}

bool folder_set_aside(struct folder *folder, const bool *lines)
{
    OWNED char *path = folder_file(folder, "runs.jsonl.part");
    const int fd = file_create_own(path, O_RDWR | O_APPEND);
    // The lock belongs to the file, not to its name: the new one is locked before
    // it has the name.
    bool good = fd >= 0 && lock(folder, fd) && copy_lines(folder, fd, lines) &&
                rename(path, folder->runs) == 0;
    if (good) {
        close(folder->fd);
        folder->fd = fd;
        good = save_sync_folder(folder->runs) || cannot_write(folder, folder->path);
    } else {
        cannot_write(folder, folder->path);
        if (fd >= 0) {
            close(fd);
            (void)unlink(path);
        }
    }
    return good;
}

bool folder_sync(struct folder *folder)
{
    if (folder->synced_lines == folder->lines)
        return true;
    if (!folder->is_described) { // `experiment` has not flushed what it wrote for no run yet
        OWNED char *path = folder_file(folder, EXPERIMENT_FILE);
        const int fd = open(path, O_RDONLY | O_CLOEXEC);
        folder->is_described =
            fd >= 0 && (fsync(fd) == 0 || errno == EINVAL) && save_sync_folder(path);
        if (fd >= 0)
            close(fd);
    }
    if (folder->is_described && (fdatasync(folder->fd) == 0 || errno == EINVAL)) {
        folder->synced_lines = folder->lines;
        return true;
    }
    return fail(folder, "%.300s cannot be brought to the disk (%s): %s", folder->runs,
                strerror(errno), save_advice(errno));
}

// Why the line is not there; `reason`: the errno of writing it.
static bool not_appended(struct folder *folder, const struct stat *before, int reason)
{
    struct stat status;
    if (before->st_nlink == 0)
        return fail(folder, "%.300s is gone: was its folder deleted? Measure again into another",
                    folder->runs);
    // Where even this failed, the next reader finds the torn line.
    if (fstat(folder->fd, &status) != 0 || status.st_size != before->st_size)
        return fail(folder, "%.300s ends in a torn line (%s): %s", folder->runs, strerror(reason),
                    save_advice(reason));
    return fail(folder, "cannot append to %.300s after %zu runs (%s): %s", folder->runs,
                folder->lines, strerror(reason), save_advice(reason));
}

bool folder_append(struct folder *folder, const json_t *record)
{
    struct stat before;
    size_t length;
    OWNED char *text = line_of(record, &length);
    const bool known = fstat(folder->fd, &before) == 0;
    const bool good = known && before.st_nlink > 0 && save_append(folder->fd, text, length);
    const int reason = errno;
    if (!known)
        return fail(folder, "%.300s cannot be written (%s): %s", folder->runs, strerror(reason),
                    save_advice(reason));
    if (!good)
        return not_appended(folder, &before, reason);
    if (folder->size_bytes > 0 && before.st_size != folder->size_bytes)
        return fail(folder,
                    "%.300s was changed by somebody else: find out by whom (the target?), and "
                    "measure again into another folder",
                    folder->runs);
    folder->size_bytes = before.st_size + (off_t)length;
    folder->lines++;
    // By the times of the runs: each run of a second or more is brought to the disk at once,
    // shorter ones once for each second of them. To flush each would double the time between short
    // runs (docs/measuring.md).
    const double start_s = elapsed_time(json_text_at(record, "start"));
    const double end_s = start_s + json_number_value(json_object_get(record, "wall_s"));
    if (isnan(folder->synced_s))
        folder->synced_s = start_s;
    if (fabs(end_s - folder->synced_s) < SYNC_INTERVAL_S)
        return true;
    folder->synced_s = end_s;
    return folder_sync(folder);
}

void folder_close(struct folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder->path);
    free(folder->runs);
    *folder = (struct folder){.fd = -1};
}
