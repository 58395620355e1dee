#include "io/file.h"

#include "io/fill.h"
#include "io/space.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DIRECT_ALIGNMENT 4096

#define GIB (1024.0 * 1024.0 * 1024.0)

/* The kept file: one for each user and folder. With ".part" while it is being
 * written, where a file cannot be made without a name. */
static int name_in(char path[PATH_MAX], const struct io_file *file, const char *suffix)
{
    int length = snprintf(path, PATH_MAX, "%s/jostle-workfile.%u%s", file->folder,
                          (unsigned)geteuid(), suffix);

    return length > 0 && length < PATH_MAX ? 0 : -1;
}

static int check_folder(const struct io_file *file, struct io_error *error)
{
    struct stat status;

    if (stat(file->folder, &status) != 0)
        return io_error_set(error, IO_REFUSED, "--dir %s: %s: name an existing folder",
                            file->folder, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return io_error_set(error, IO_REFUSED, "--dir %s: not a folder: name one", file->folder);
    if (faccessat(AT_FDCWD, file->folder, W_OK | X_OK, AT_EACCESS) != 0)
        return io_error_set(error, IO_REFUSED, "--dir %s: %s: name a folder that you may write to",
                            file->folder, strerror(errno));
    return 0;
}

/* The space that `held` bytes of a file that is to be replaced do not take. */
static int check_space(const struct io_file *file, uint64_t held, struct io_error *error)
{
    struct io_space space;

    if (!io_space_of(file->folder, &space))
        return io_error_set(error, IO_FAILED,
                            "cannot find the free space of %s: %s: give another --dir",
                            file->folder, strerror(errno));
    const double free_bytes = space.free_bytes + (double)held;
    const double kept_bytes = file->force ? 0 : fmax(space.kept_bytes, free_bytes * file->spare);
    if ((double)file->size_bytes <= free_bytes - kept_bytes)
        return 0;
    return io_error_set(error, IO_REFUSED,
                        "a work file of %.3f GiB does not fit in %s: %s leaves %.3f GiB, of which "
                        "%.3f GiB are for others: give a smaller --file-size (or WORKFILE_SIZE), "
                        "or another --dir%s",
                        (double)file->size_bytes / GIB, file->folder, space.whose, free_bytes / GIB,
                        kept_bytes / GIB,
                        (double)file->size_bytes <= free_bytes ? ", or --force" : "");
}

/* Our own regular file with one name, that no other user may write. */
static bool is_own(const struct stat *status)
{
    return S_ISREG(status->st_mode) && status->st_uid == geteuid() && status->st_nlink == 1 &&
           (status->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* It fits if it has the size and no holes. */
static bool fits(const struct io_file *file, const struct stat *status)
{
    return (uint64_t)status->st_size == file->size_bytes &&
           (uint64_t)status->st_blocks * 512 >= file->size_bytes;
}

/* Open the kept file at `path` if it is ours; never through a symbolic link,
 * and never waiting for the other end of a pipe. -1: there
 * is none, or (foreign is set) it is not for us. */
static int open_kept(const char *path, struct stat *status, bool *foreign)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

    *foreign = fd < 0 && errno != ENOENT;
    if (fd < 0)
        return -1;
    if (fstat(fd, status) == 0 && is_own(status))
        return fd;
    *foreign = true;
    close(fd);
    return -1;
}

static int foreign_kept(const char *path, struct io_error *error)
{
    return io_error_set(error, IO_REFUSED,
                        "%s is not your work file: remove it, or choose another --dir, "
                        "or leave out --keep",
                        path);
}

/* Take the kept file, or make room for a new one. 1: taken; 0: make one. */
static int take_kept(struct io_file *file, struct io_error *error)
{
    char path[PATH_MAX];
    struct stat status;
    bool foreign;
    int fd;

    if (name_in(path, file, "") != 0)
        return io_error_set(error, IO_REFUSED, "--dir: the path is too long: give a shorter one");
    fd = open_kept(path, &status, &foreign);
    if (foreign && file->keep)
        return foreign_kept(path, error);
    if (fd < 0)
        return 0;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0) {
        close(fd);
        file->busy = true;
        file->keep = false;
        return 0;
    }
    if (fits(file, &status)) {
        if (!file->keep)
            unlink(path);
        file->fd = fd;
        file->reused = true;
        return 1;
    }
    if (file->keep)
        unlink(path); /* of another size: the new one takes its place */
    close(fd);
    return 0;
}

/* Where O_TMPFILE is not supported: a name until it can be removed. One
 * that a killed start left is taken away first. */
static int create_named(const struct io_file *file)
{
    char path[PATH_MAX];
    struct stat status;
    bool foreign;
    int fd, old;

    if (name_in(path, file, ".part") != 0)
        return -1;
    old = open_kept(path, &status, &foreign);
    if (old >= 0) {
        if (flock(old, LOCK_EX | LOCK_NB) == 0)
            unlink(path);
        close(old);
    }
    fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    flock(fd, LOCK_EX | LOCK_NB);
    if (!file->keep)
        unlink(path);
    return fd;
}

static int create(const struct io_file *file, bool *named)
{
    int fd = open(file->folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

    *named = false;
    if (fd >= 0) {
        flock(fd, LOCK_EX | LOCK_NB); /* held from before it gets a name */
        return fd;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
        return -1;
    *named = file->keep;
    return create_named(file);
}

/* Give the complete file its name. A kept file that another start completed
 * meanwhile stays, and this one goes without a name. */
static void publish(struct io_file *file, bool named)
{
    char path[PATH_MAX], from[PATH_MAX];
    int failed;

    if (name_in(path, file, "") != 0 || name_in(from, file, ".part") != 0)
        return;
    if (!named)
        snprintf(from, sizeof from, "/proc/self/fd/%d", file->fd);
    failed = linkat(AT_FDCWD, from, AT_FDCWD, path, named ? 0 : AT_SYMLINK_FOLLOW);
    if (named)
        unlink(from);
    file->keep = failed == 0;
}

static int allocate(const struct io_file *file, struct io_error *error)
{
    int reason;

    if (fallocate(file->fd, 0, 0, (off_t)file->size_bytes) == 0)
        return 0;
    reason = errno;
    if (reason == EOPNOTSUPP || reason == ENOSYS)
        return 0; /* then the writing allocates it */
    return io_error_set(error, reason == EFBIG ? IO_REFUSED : IO_FAILED,
                        "cannot allocate a work file of %.3f GiB in %s (%s): give a smaller "
                        "--file-size or another --dir",
                        (double)file->size_bytes / GIB, file->folder, strerror(reason));
}

/* Its size, and not a byte of data. */
static int leave_empty(const struct io_file *file, struct io_error *error)
{
    if (ftruncate(file->fd, (off_t)file->size_bytes) == 0)
        return 0;
    return io_error_set(error, IO_FAILED,
                        "cannot make a sparse file in %s (%s): give a smaller "
                        "--file-size or another --dir",
                        file->folder, strerror(errno));
}

/* Past the page cache where the file system and the size allow it. */
static int fill(const struct io_file *file, struct io_error *error)
{
    const bool aligned = file->size_bytes % DIRECT_ALIGNMENT == 0;
    const struct io_fill fill = {.fd = file->fd,
                                 .direct_fd =
                                     aligned ? io_file_reopen(file, O_WRONLY | O_DIRECT) : -1,
                                 .bytes = file->size_bytes,
                                 .folder = file->folder,
                                 .interrupted = file->interrupted,
                                 .context = file->context};
    const int failed = io_fill(&fill, error);

    if (fill.direct_fd >= 0)
        close(fill.direct_fd);
    return failed;
}

static double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Allocate, write and name the new file. */
static int complete(struct io_file *file, bool named, struct io_error *error)
{
    double start_s = seconds_now();
    int result;

    if (file->sparse)
        return leave_empty(file, error);
    result = allocate(file, error);
    if (result == 0)
        result = fill(file, error);
    file->fill_s = seconds_now() - start_s;
    if (result == 0 && file->interrupted != NULL && file->interrupted(file->context))
        file->keep = false;
    if (result == 0 && file->keep) {
        publish(file, named);
    } else if (named) {
        char path[PATH_MAX];

        if (name_in(path, file, ".part") == 0)
            unlink(path);
    }
    return result;
}

int io_file_check(const struct io_file *file, struct io_error *error)
{
    struct stat status = {0};
    char path[PATH_MAX];
    uint64_t held = 0;
    bool foreign;
    int fd;

    if (check_folder(file, error) != 0)
        return -1;
    if (name_in(path, file, "") != 0)
        return io_error_set(error, IO_REFUSED, "--dir: the path is too long: give a shorter one");
    fd = open_kept(path, &status, &foreign);
    if (foreign && file->keep)
        return foreign_kept(path, error);
    if (fd >= 0) {
        if (file->keep || fits(file, &status))
            held = (uint64_t)status.st_blocks * 512;
        close(fd);
        if (fits(file, &status))
            return 0;
    }
    return check_space(file, held, error);
}

int io_file_open(struct io_file *file, struct io_error *error)
{
    bool named;
    int taken;

    file->fd = -1;
    file->reused = file->busy = false;
    file->fill_s = 0;
    if (check_folder(file, error) != 0)
        return -1;
    taken = file->sparse ? 0 : take_kept(file, error);
    if (taken != 0)
        return taken < 0 ? -1 : 0;
    if (check_space(file, 0, error) != 0)
        return -1;
    file->fd = create(file, &named);
    if (file->fd < 0)
        return io_error_set(error, IO_FAILED,
                            "cannot make a work file in %s (%s): choose another "
                            "folder with --dir",
                            file->folder, strerror(errno));
    if (complete(file, named, error) == 0)
        return 0;
    io_file_close(file);
    return -1;
}

int io_file_reopen(const struct io_file *file, int flags)
{
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", file->fd);
    return open(path, flags | O_CLOEXEC);
}

double io_file_allocated(const struct io_file *file)
{
    struct stat status;

    if (fstat(file->fd, &status) != 0 || status.st_size <= 0)
        return NAN;
    const double share = (double)status.st_blocks * 512 / (double)status.st_size;
    return share < 1 ? share : 1;
}

void io_file_close(struct io_file *file)
{
    if (file->fd >= 0)
        close(file->fd);
    file->fd = -1;
}
