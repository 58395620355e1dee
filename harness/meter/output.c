#include "meter.h"

#include "common/clock.h"
#include "common/file.h"
#include "common/messages.h"
#include "common/own_file.h"
#include "common/save.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

// What a pipe holds, so that one read empties it.
#define PART_BYTES 65536

int capture_open(void)
{
    const char *folder = getenv("TMPDIR");
    if (!folder || folder[0] == '\0')
        folder = "/tmp";
    return file_above_stderr(file_nameless(folder, O_APPEND));
}

bool capture_empty(int fd)
{
    struct stat status;
    // Most targets write nothing: there is nothing to be done then.
    return fstat(fd, &status) == 0 && (status.st_size == 0 || ftruncate(fd, 0) == 0);
}

// As much as it has, up to a part, must find room behind it: a file system that refused a part may
// take a few bytes again.
bool capture_takes(int fd)
{
    struct stat status;
    if (fstat(fd, &status) != 0 || status.st_size == 0)
        return true;
    const off_t more = status.st_size < PART_BYTES ? status.st_size : PART_BYTES;
    const bool taken = fallocate(fd, FALLOC_FL_KEEP_SIZE, status.st_size, more) == 0 ||
                       (errno != ENOSPC && errno != EDQUOT);
    const int error = errno;
    (void)!ftruncate(fd, status.st_size);
    errno = error;
    return taken;
}

static bool has_any(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_size > 0;
}

// Writes what is behind the offset `at` to `to`.
static bool copy_from(int fd, off_t at, int to)
{
    char *text = malloc(PART_BYTES);
    ssize_t length = -1;
    bool written = text;
    while (written && (length = pread(fd, text, PART_BYTES, at)) > 0) {
        written = file_write_all(to, text, (size_t)length);
        at += length;
    }
    const int error = errno;
    free(text);
    errno = error;
    return written && length == 0;
}

bool capture_keep(int fd, const char *path)
{
    static const off_t kept = CAPTURE_KEPT_BYTES;
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    const int to = file_create_own(path, O_WRONLY);
    if (to < 0)
        return false;
    bool written = copy_from(fd, status.st_size > kept ? status.st_size - kept : 0, to);
    int error = errno;
    if (close(to) != 0 && written) {
        written = false;
        error = errno;
    }
    if (!written) // makes room
        (void)unlink(path);
    errno = error;
    return written;
}

// The pipe that the target's stdout is: a thread of meter empties it while the target runs, as
// whoever reads a pipe does, so that the target waits for nobody as long as there is a CPU for
// both. Not a file: to write to one takes the target several times as long, and a target may
// do something else where its stdout is no pipe.
//
// What comes is put into memory, and beyond DRAIN_MEMORY_BYTES into a capture's file where it is to
// be searched; else it begins again from the front. Both take as long, so a time does not depend on
// whether a figure is looked for.

// Moves what there is from memory to a file, which gets its number.
static bool to_file(struct drain *drain)
{
    int fd = capture_open();
    // Behind it there may be more of the run before.
    const bool moved = fd >= 0 && ftruncate(drain->kept_fd, drain->length) == 0 &&
                       copy_from(drain->kept_fd, 0, fd) &&
                       dup3(fd, drain->kept_fd, O_CLOEXEC) == drain->kept_fd;
    fd_close(&fd);
    drain->in_file = moved;
    return moved;
}

// The next bytes that the target wrote.
static bool keep(struct drain *drain, const char *text, size_t length)
{
    if (!drain->in_file && drain->length + (int64_t)length > DRAIN_MEMORY_BYTES) {
        if (!drain->keeps)
            drain->length = 0;
        else if (!to_file(drain))
            return false;
    }
    if (drain->in_file ? !file_write_all(drain->kept_fd, text, length)
                       : pwrite(drain->kept_fd, text, length, drain->length) != (ssize_t)length)
        return false;
    drain->length += (int64_t)length;
    return true;
}

// What is in the pipe now. False at its end.
static bool take_all(struct drain *drain, char *text)
{
    ssize_t length;
    while ((length = read(drain->pipe_fd, text, PART_BYTES)) > 0)
        // What cannot be kept is taken all the same: the target must not wait for ever.
        if (drain->error == 0 && !keep(drain, text, (size_t)length))
            drain->error = errno != 0 ? errno : EIO;
    return length < 0 && (errno == EAGAIN || errno == EINTR);
}

static void *run(void *user)
{
    struct drain *drain = user;
    char text[PART_BYTES];
    struct pollfd files[] = {{.fd = drain->pipe_fd, .events = POLLIN},
                             {.fd = drain->ending_fd, .events = POLLIN}};
    struct rusage usage;
    do
        (void)poll(files, 2, -1);
    while (take_all(drain, text) && files[1].revents == 0);
    if (getrusage(RUSAGE_THREAD, &usage) == 0)
        drain->cpu_ns = timeval_ns(usage.ru_utime) + timeval_ns(usage.ru_stime);
    return NULL;
}

// Forgets the run before. Memory that it took serves this one.
static bool empty(struct drain *drain)
{
    if (drain->in_file)
        drain_free(drain);
    if (drain->kept_fd < 0)
        drain->kept_fd = file_above_stderr(memfd_create("meter-stdout", MFD_CLOEXEC));
    drain->length = drain->cpu_ns = 0;
    drain->error = 0;
    return drain->kept_fd >= 0;
}

bool drain_begin(struct drain *drain, int *to_fd)
{
    int ends[2] = {-1, -1};
    *to_fd = -1;
    if (!empty(drain) || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    drain->pipe_fd = ends[0];
    *to_fd = ends[1];
    drain->ending_fd = eventfd(0, EFD_CLOEXEC);
    drain->running = drain->ending_fd >= 0 && fcntl(drain->pipe_fd, F_SETFL, O_NONBLOCK) == 0 &&
                     (errno = pthread_create(&drain->thread, NULL, run, drain)) == 0;
    if (drain->running)
        return true;
    const int error = errno;
    fd_close(&drain->pipe_fd);
    fd_close(to_fd);
    fd_close(&drain->ending_fd);
    errno = error;
    return false;
}

void drain_end(struct drain *drain)
{
    const uint64_t once = 1;
    if (!drain->running)
        return;
    (void)!write(drain->ending_fd, &once, sizeof once);
    (void)pthread_join(drain->thread, NULL);
    (void)close(drain->pipe_fd);
    (void)close(drain->ending_fd);
    drain->running = false;
    // Of the run before there may be more.
    if (!drain->in_file && ftruncate(drain->kept_fd, drain->length) != 0 && drain->error == 0)
        drain->error = errno;
}

void drain_free(struct drain *drain)
{
    fd_close(&drain->kept_fd);
    drain->in_file = false;
}

#define FAILED_FOLDER "failed"

static bool keep_at(int fd, const char *path)
{
    return capture_keep(fd, path) || complain("%s: %s: what the command wrote is lost: %s", path,
                                              strerror(errno), save_advice_at(errno, path));
}

// Keeps it at a path below the folder. An empty file says less than none; one of an
// earlier run is taken away.
static bool keep_below(const struct settings *settings, int fd, const char *name)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", settings->kept, name) >= (int)sizeof path)
        return complain("--keep %s: the path is too long", settings->kept);
    if (has_any(fd))
        return keep_at(fd, path);
    (void)unlink(path);
    return false;
}

void keep_last(const struct launch *launch, const struct settings *settings)
{
    if (!settings->kept)
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

// A run is known by when it began, also over several sessions of meter.
static bool name_of(const struct timespec *start, char *name, size_t size)
{
    struct tm utc;
    char date[32];
    return gmtime_r(&start->tv_sec, &utc) &&
           strftime(date, sizeof date, "%Y%m%dT%H%M%S", &utc) > 0 &&
           snprintf(name, size, "%s.%09ldZ", date, start->tv_nsec) < (int)size;
}

static bool make_folder(const struct settings *settings)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/" FAILED_FOLDER, settings->kept) >= (int)sizeof path)
        return complain("--keep %s: the path is too long", settings->kept);
    return mkdir(path, 0777) == 0 || (errno == EEXIST && file_is_own_folder(path)) ||
           complain("%s: %s: what the command wrote is lost: %s", path, strerror(errno),
                    save_advice_at(errno, path));
}

void keep_failed(const struct launch *launch, const struct settings *settings,
                 struct kept_paths *paths)
{
    char start[KEPT_PATH_SIZE / 2];
    if (settings->errors_kept)
        (void)keep_at(launch->captured_error_fd, settings->errors_kept);
    if (!settings->kept || !name_of(&launch->report->start, start, sizeof start) ||
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
    if (fd >= 0 && !copy_from(fd, 0, to) && errno != EPIPE)
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
