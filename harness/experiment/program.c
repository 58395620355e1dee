#include "program.h"

#include "common/child.h"
#include "common/date.h"
#include "common/machine_json.h"
#include "common/sha256.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* More takes longer than anybody wants to wait for the first run: at 0.5 to 2 GB/s this
 * is 0.1 to 0.5 s; a usual program of 1 MiB takes 1 ms. */
#define MOST_BYTES (INT64_C(256) << 20)

/* The file itself, without links. False, with errno. */
static bool find(const char *command, char absolute[PATH_MAX])
{
    char path[PATH_MAX];
    if (strchr(command, '/') != NULL)
        return realpath(command, absolute) != NULL;
    errno = ENOENT;
    return child_find(command, path) && realpath(path, absolute) != NULL;
}

static json_t *time_to_json(time_t time)
{
    char text[DATE_SIZE];
    return *date_utc(time, text) != '\0' ? json_string(text) : json_null();
}

static void set_reason(json_t *program, const char *reason)
{
    json_object_set_new(program, "reason", text_to_json(reason));
}

static void describe(json_t *program, int fd)
{
    char digits[SHA256_DIGITS + 1];
    struct stat status;
    if (fstat(fd, &status) != 0) {
        set_reason(program, strerror(errno));
        return;
    }
    json_object_set_new(program, "size_bytes", json_integer(status.st_size));
    json_object_set_new(program, "mtime", time_to_json(status.st_mtime));
    if (!S_ISREG(status.st_mode))
        set_reason(program, "no regular file");
    else if (status.st_size > MOST_BYTES)
        set_reason(program, "larger than 256 MiB: only size and time are known");
    else if (sha256_file(fd, digits))
        json_object_set_new(program, "sha256", json_string(digits));
    else
        set_reason(program, strerror(errno));
}

json_t *program_to_json(const char *command)
{
    char path[PATH_MAX];
    json_t *program =
        json_pack("{s:n, s:n, s:n, s:n, s:n}", "path", "sha256", "size_bytes", "mtime", "reason");
    if (!find(command, path)) {
        set_reason(program, strerror(errno));
        return program;
    }
    json_object_set_new(program, "path", text_to_json(path));
    /* A FIFO would wait for a writer. */
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        set_reason(program, strerror(errno));
        return program;
    }
    describe(program, fd);
    close(fd);
    return program;
}
