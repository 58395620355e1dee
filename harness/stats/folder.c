#include "folder.h"

#include "json.h"

#include "common/file.h"
#include "common/lock.h"
#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LOCK_WAIT_MS = 2000 };

__attribute__((format(printf, 2, 3))) static bool fail(struct folder *folder, const char *format,
                                                       ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(folder->error, sizeof folder->error, format, arguments);
    va_end(arguments);
    return false;
}

static bool cannot_write(struct folder *folder)
{
    return fail(folder, "cannot write to %.300s (%s): is the disk full?", folder->path,
                strerror(errno));
}

char *folder_file(const struct folder *folder, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", folder->path, name) < 0 ? NULL : path;
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
    *folder = (struct folder){.fd = -1};
    folder->path = strdup(path);
    folder->runs = folder->path ? folder_file(folder, "runs.jsonl") : NULL;
    if (!folder->runs)
        return fail(folder, "no memory");
    folder->fd = open(folder->runs, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (folder->fd < 0)
        return fail(folder, "cannot write to %.300s (%s): choose another folder with --output",
                    path, strerror(errno));
    return lock(folder, folder->fd);
}

// The whole file, with a '\0' behind it; to be freed. NULL with `error` set.
static char *content(struct folder *folder, size_t *length)
{
    struct stat status;
    char *text = NULL;
    *length = 0;
    if (fstat(folder->fd, &status) == 0)
        text = malloc((size_t)status.st_size + 1);
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

static bool is_record(const char *line, size_t length)
{
    json_t *record = json_loadb(line, length, 0, NULL);
    const bool good = json_is_object(record);
    json_decref(record);
    return good;
}

static bool move_to_torn(struct folder *folder, const char *line, size_t length, size_t start)
{
    char *path = folder_file(folder, "runs.jsonl.torn");
    const int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666) : -1;
    bool good = fd >= 0 && file_write_all(fd, line, length) && file_write_all(fd, "\n", 1);
    good = (fd < 0 || close(fd) == 0) && good;
    free(path);
    if (!good || ftruncate(folder->fd, (off_t)start) != 0)
        return cannot_write(folder);
    complain("the last line of %s was not written in full: it is set aside in "
             "runs.jsonl.torn",
             folder->runs);
    return true;
}

bool folder_repair(struct folder *folder)
{
    size_t length;
    char *text = content(folder, &length);
    bool good = text != NULL, whole = false;
    while (good && length > 0 && !whole) {
        const bool ended = text[length - 1] == '\n';
        const size_t end = ended ? length - 1 : length;
        const char *before = memrchr(text, '\n', end);
        const size_t start = before ? (size_t)(before - text) + 1 : 0;
        whole = is_record(text + start, end - start);
        if (whole)
            good = ended || file_write_all(folder->fd, "\n", 1) || cannot_write(folder);
        else
            good = move_to_torn(folder, text + start, end - start, start);
        length = start;
    }
    free(text);
    return good;
}

bool folder_read(struct folder *folder, json_t **records)
{
    size_t length;
    char *text = content(folder, &length);
    json_int_t number = 0;
    *records = json_array();
    for (const char *line = text; text && *records && *line;) {
        const size_t size = strcspn(line, "\n");
        json_t *record = json_loadb(line, size, JSON_REJECT_DUPLICATES, NULL);
        number++;
        if (json_is_object(record))
            json_array_append_new(*records, json_pack("[I, O]", number, record));
        json_decref(record);
        line += size + (line[size] == '\n' ? 1 : 0);
    }
    free(text);
    return text && *records;
}

static void mark_set_aside(json_t *record)
{
    json_t *flags = json_object_get(record, "flags");
    json_object_set_new(record, "set_aside",
                        json_pack("{s:O, s:O}", "block", json_object_get(record, "block"), "order",
                                  json_object_get(record, "order")));
    json_object_set_new(record, "block", json_integer(0));
    json_object_set_new(record, "order", json_integer(0));
    json_array_append_new(flags, json_string("set-aside"));
}

static bool has_number(const json_t *numbers, json_int_t number)
{
    for (size_t i = 0; i < json_array_size(numbers); i++)
        if (json_integer_value(json_array_get(numbers, i)) == number)
            return true;
    return false;
}

// One line to the new file, changed if its number is among those.
static bool copy_line(int fd, const char *line, size_t size, bool changed)
{
    json_t *record = changed ? json_loadb(line, size, 0, NULL) : NULL;
    if (!record)
        return file_write_all(fd, line, size) && file_write_all(fd, "\n", 1);
    mark_set_aside(record);
    char *text = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS));
    const bool good = text && file_write_all(fd, text, strlen(text)) && file_write_all(fd, "\n", 1);
    free(text);
    json_decref(record);
    return good;
}

static bool copy_lines(struct folder *folder, int fd, const json_t *numbers)
{
    size_t length;
    char *text = content(folder, &length);
    bool good = text != NULL;
    json_int_t number = 0;
    for (const char *line = text; good && *line;) {
        const size_t size = strcspn(line, "\n");
        good = copy_line(fd, line, size, has_number(numbers, ++number));
        line += size + (line[size] == '\n' ? 1 : 0);
    }
    free(text);
    return good && fsync(fd) == 0;
}

bool folder_set_aside(struct folder *folder, const json_t *numbers)
{
    char *path = folder_file(folder, "runs.jsonl.part");
    const int fd = path ? open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666) : -1;
    // The lock belongs to the file, not to its name: the new one is locked before
    // it has the name.
    bool good = fd >= 0 && lock(folder, fd) && copy_lines(folder, fd, numbers) &&
                rename(path, folder->runs) == 0;
    if (!good)
        cannot_write(folder);
    if (!good && fd >= 0)
        close(fd);
    if (good) {
        close(folder->fd);
        folder->fd = fd;
    }
    free(path);
    return good;
}

bool folder_append(struct folder *folder, const json_t *record)
{
    struct stat status;
    char *text = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(RECORD_DIGITS));
    if (!text)
        return fail(folder, "no memory for one more run");
    size_t length = strlen(text);
    text[length++] = '\n'; // in the place of the '\0'
    const bool known = fstat(folder->fd, &status) == 0;
    const bool good = known && status.st_nlink > 0 && file_write_all(folder->fd, text, length);
    free(text);
    if (good) {
        folder->lines++;
        return true;
    }
    if (known && status.st_nlink == 0)
        return fail(folder, "%.300s is gone: is the disk full, or was it deleted?", folder->runs);
    const int reason = errno;
    // Where even this fails, the next reader finds the torn line.
    const bool restored = known && ftruncate(folder->fd, status.st_size) == 0;
    if (!restored)
        return fail(folder, "%.300s ends in a torn line (%s): is the disk full?", folder->runs,
                    strerror(reason));
    return fail(folder, "cannot append to %.300s after %zu runs (%s): is the disk full?",
                folder->runs, folder->lines, strerror(reason));
}

void folder_close(struct folder *folder)
{
    if (folder->fd >= 0)
        close(folder->fd);
    free(folder->path);
    free(folder->runs);
    *folder = (struct folder){.fd = -1};
}
