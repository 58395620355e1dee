// Keeps the output of a failed run, and of the last one, in files; and shows it.
#include "kept_output.h"

#include "capture.h"
#include "command_line.h"
#include "launch.h"

#include "common/messages.h"
#include "common/own_file.h"
#include "common/save.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED_FOLDER "failed"

static bool keep_at(int fd, const char *path)
{
    return capture_keep(fd, path) || complain("%s: %s: what the command wrote is lost: %s", path,
                                              strerror(errno), save_advice_at(errno, path));
}

static bool has_any(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_size > 0;
}

// Keeps it at a path below the folder. An empty file says less than none; one of an
// earlier run is taken away.
static bool keep_below(const struct command_line *asked, int fd, const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", asked->kept, name) >= (int)sizeof path)
        return complain("--keep %s: the path is too long", asked->kept);
    if (has_any(fd))
        return keep_at(fd, path);
    (void)unlink(path);
    return false;
}

void keep_last(const struct launch *launch, const struct command_line *asked)
{
    if (!asked->kept)
        return;
    if (asked->captures_out)
        (void)keep_below(asked, launch->drain.kept_fd, "target.stdout");
    if (asked->captures_errors)
        (void)keep_below(asked, launch->captured_error_fd, "target.stderr");
}

static void keep_named(const struct command_line *asked, int fd, const char *start,
                       const char *stream, char path[KEPT_PATH_SIZE])
{
    (void)snprintf(path, KEPT_PATH_SIZE, FAILED_FOLDER "/%s.%s", start, stream);
    if (!keep_below(asked, fd, path))
        path[0] = '\0';
}

// A run is known by when it began, also over several sessions of meter.
static bool name_of(const struct timespec *start, char *name, size_t size)
{
    struct tm utc;
    char date[32];
    return gmtime_r(&start->tv_sec, &utc) &&
           strftime(date, sizeof date, "%Y%m%dT%H%M%S", &utc) > 0 &&
           snprintf(name, size, "%s.%09ldZ", date, start->tv_nsec) < (int)size;
}

static bool make_folder(const struct command_line *asked)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/" FAILED_FOLDER, asked->kept) >= (int)sizeof path)
        return complain("--keep %s: the path is too long", asked->kept);
    return mkdir(path, 0777) == 0 || (errno == EEXIST && file_is_own_folder(path)) ||
           complain("%s: %s: what the command wrote is lost: %s", path, strerror(errno),
                    save_advice_at(errno, path));
}

void keep_failed(const struct launch *launch, const struct command_line *asked,
                 struct kept_paths *paths)
{
    char start[KEPT_PATH_SIZE / 2];
    if (asked->errors_kept)
        (void)keep_at(launch->captured_error_fd, asked->errors_kept);
    if (!asked->kept || !name_of(&launch->report->start, start, sizeof start) ||
        !make_folder(asked))
        return;
    if (asked->captures_out)
        keep_named(asked, launch->drain.kept_fd, start, "stdout", paths->out);
    if (asked->captures_errors)
        keep_named(asked, launch->captured_error_fd, start, "stderr", paths->errors);
    // Whoever stops at a failure wants to see at once what the target said.
    keep_last(launch, asked);
}

static void show(int fd, int to, const char *name)
{
    if (fd >= 0 && !capture_copy(fd, 0, to) && errno != EPIPE)
        complain("--show-output: %s: %s", name, strerror(errno));
}

void keep_show(const struct launch *launch, const struct command_line *asked)
{
    if (!asked->show_output)
        return;
    if (asked->captures_out)
        show(launch->drain.kept_fd, STDOUT_FILENO, "stdout");
    if (asked->captures_errors)
        show(launch->captured_error_fd, STDERR_FILENO, "stderr");
}
