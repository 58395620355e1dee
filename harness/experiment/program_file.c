// Identifies a file by path, size, time and hash, such as the program that is measured.

#include "experiment.h"

#include "common/child.h"
#include "common/machine_json.h"
#include "common/sha256.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The file itself, without links. False, with errno.
static bool find_program(const char *command, char absolute[PATH_MAX])
{
    char path[PATH_MAX];
    if (strchr(command, '/'))
        return realpath(command, absolute) != NULL;
    errno = ENOENT;
    return child_find(command, path) && realpath(path, absolute);
}

static void set_reason(json_t *program, const char *reason)
{
    json_object_set_new(program, "reason", text_to_json(reason));
}

int64_t file_mtime_ns(const struct stat *status)
{
    return status->st_mtim.tv_sec * INT64_C(1000000000) + status->st_mtim.tv_nsec;
}

static void describe_file(json_t *program, int fd, int64_t *budget)
{
    char digits[SHA256_DIGITS + 1], date[DATE_SIZE];
    struct stat status;
    if (fstat(fd, &status) != 0) {
        set_reason(program, strerror(errno));
        return;
    }
    json_object_set_new(program, "size_bytes", json_integer(status.st_size));
    json_object_set_new(program, "mtime",
                        text_to_json(*date_utc(status.st_mtime, date) ? date : NULL));
    json_object_set_new(program, "mtime_ns", json_integer(file_mtime_ns(&status)));
    if (!S_ISREG(status.st_mode))
        set_reason(program, "no regular file");
    else if (status.st_size > *budget)
        set_reason(program, "beyond 256 MiB: only size and time are known");
    else if (sha256_file(fd, digits))
        json_object_set_new(program, "sha256", json_string(digits));
    else
        set_reason(program, strerror(errno));
    if (json_is_string(json_object_get(program, "sha256")))
        *budget -= status.st_size;
}

json_t *file_to_json(const char *path, int64_t *budget)
{
    json_t *program = json_pack("{s:o, s:n, s:n, s:n, s:n, s:n}", "path", text_to_json(path),
                                "sha256", "size_bytes", "mtime", "mtime_ns", "reason");
    // A FIFO would wait for a writer.
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        set_reason(program, strerror(errno));
        return program;
    }
    describe_file(program, fd, budget);
    close(fd);
    return program;
}

json_t *program_to_json(const char *command)
{
    char path[PATH_MAX];
    int64_t budget = PROGRAM_MOST_BYTES;
    if (find_program(command, path))
        return file_to_json(path, &budget);
    return json_pack("{s:n, s:n, s:n, s:n, s:n, s:s}", "path", "sha256", "size_bytes", "mtime",
                     "mtime_ns", "reason", strerror(errno));
}
