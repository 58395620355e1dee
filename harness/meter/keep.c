#include "keep.h"

#include "capture.h"
#include "common/messages.h"
#include "common/save.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAILED_FOLDER "failed"

static bool keep_at(int fd, const char *path)
{
    return capture_keep(fd, path) || complain("%s: %s: what the command wrote is lost: %s", path,
                                              strerror(errno), save_advice(errno));
}

// keep_below: at a path below the folder. An empty file says less than none; one of an
// earlier run is taken away.
static bool keep_below(const struct settings *settings, int fd, const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", settings->kept, name) >= (int)sizeof path)
        return complain("--keep %s: the path is too long", settings->kept);
    if (capture_has_any(fd))
        return keep_at(fd, path);
    (void)unlink(path);
    return false;
}

void keep_last(const struct launch *launch, const struct settings *settings)
{
    if (settings->kept == NULL)
        return;
    if (settings->captures_out)
        (void)keep_below(settings, launch->drain.kept_fd, "target.stdout");
    if (settings->captures_errors)
        (void)keep_below(settings, launch->captured_error_fd, "target.stderr");
}

static void keep_named(const struct settings *settings, int fd, const char *start,
                       const char *stream, char path[KEPT_PATH_SIZE])
{
    (void)snprintf(path, KEPT_PATH_SIZE, FAILED_FOLDER "/%s.%s", start, stream);
    if (!keep_below(settings, fd, path))
        path[0] = '\0';
}

// name_of: a run is known by when it began, also over several sessions of meter.
static bool name_of(const struct timespec *start, char *name, size_t size)
{
    struct tm utc;
    char date[32];
    return gmtime_r(&start->tv_sec, &utc) != NULL &&
           strftime(date, sizeof date, "%Y%m%dT%H%M%S", &utc) > 0 &&
           snprintf(name, size, "%s.%09ldZ", date, start->tv_nsec) < (int)size;
}

static bool make_folder(const struct settings *settings)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/" FAILED_FOLDER, settings->kept) >= (int)sizeof path)
        return complain("--keep %s: the path is too long", settings->kept);
    return mkdir(path, 0777) == 0 || errno == EEXIST ||
           complain("%s: %s: what the command wrote is lost: %s", path, strerror(errno),
                    save_advice(errno));
}

void keep_failed(const struct launch *launch, const struct settings *settings,
                 struct kept_paths *paths)
{
    char start[KEPT_PATH_SIZE / 2];
    if (settings->errors_kept != NULL)
        (void)keep_at(launch->captured_error_fd, settings->errors_kept);
    if (settings->kept == NULL || !name_of(&launch->report->start, start, sizeof start) ||
        !make_folder(settings))
        return;
    if (settings->captures_out)
        keep_named(settings, launch->drain.kept_fd, start, "stdout", paths->out);
    if (settings->captures_errors)
        keep_named(settings, launch->captured_error_fd, start, "stderr", paths->errors);
    // Whoever stops at a failure wants to see at once what the target said.
    keep_last(launch, settings);
}

static void show(int fd, int to, const char *name)
{
    if (fd >= 0 && !capture_show(fd, to) && errno != EPIPE)
        complain("--show-output: %s: %s", name, strerror(errno));
}

void keep_show(const struct launch *launch, const struct settings *settings)
{
    if (!settings->show_output)
        return;
    if (settings->captures_out)
        show(launch->drain.kept_fd, STDOUT_FILENO, "stdout");
    if (settings->captures_errors)
        show(launch->captured_error_fd, STDERR_FILENO, "stderr");
}
