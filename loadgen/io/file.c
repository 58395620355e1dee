// The work file: made, or taken from an earlier start, and gone at the end unless it is to be kept.

#include "io/io.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>

#define DIRECT_ALIGNMENT 4096

// The kept file: one for each user and folder. With ".part" while it is being
// written, where a file cannot be made without a name.
static int name_in(char path[PATH_MAX], const struct io_file *file, const char *suffix)
{
    int length = snprintf(path, PATH_MAX, "%s/jostle-workfile.%u%s", file->folder,
                          (unsigned)geteuid(), suffix);
    return length > 0 && length < PATH_MAX ? 0 : -1;
}

int io_folder_check(struct run *run, const char *folder)
{
    struct stat status;
    if (stat(folder, &status) != 0)
        return run_refuse(run, "--dir %s: %s: name an existing folder", folder, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return run_refuse(run, "--dir %s: not a folder: name one", folder);
    if (faccessat(AT_FDCWD, folder, W_OK | X_OK, AT_EACCESS) != 0)
        return run_refuse(run, "--dir %s: %s: name a folder that you may write to", folder,
                          strerror(errno));
    return 0;
}

// It fits if it has the size and no holes.
static bool fits(const struct io_file *file, const struct stat *status)
{
    return (uint64_t)status->st_size == file->size_bytes &&
           (uint64_t)status->st_blocks * 512 >= file->size_bytes;
}

// Open the kept file at `path` if it is ours, a regular file with one name, that no other user may
// write; never through a symbolic link, and never waiting for the other end of a pipe. -1: there
// is none, or (foreign is set) it is not for us.
static int open_kept(const char *path, struct stat *status, bool *foreign)
{
    int fd = open(path, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    *foreign = fd < 0 && errno != ENOENT;
    if (fd < 0)
        return -1;
    if (fstat(fd, status) == 0 && S_ISREG(status->st_mode) && status->st_uid == geteuid() &&
        status->st_nlink == 1 && (status->st_mode & (S_IWGRP | S_IWOTH)) == 0)
        return fd;
    *foreign = true;
    close(fd);
    return -1;
}

static int foreign_kept(struct run *run, const char *path)
{
    return run_refuse(
        run, "%s is not your work file: remove it, or choose another --dir, or leave out --keep",
        path);
}

// Take the kept file, or make room for a new one. 1: taken; 0: make one.
static int take_kept(struct run *run, struct io_file *file)
{
    char path[PATH_MAX];
    struct stat status;
    bool foreign;
    if (name_in(path, file, "") != 0)
        return run_refuse(run, "--dir: the path is too long: give a shorter one");
    const int fd = open_kept(path, &status, &foreign);
    if (foreign && file->keep)
        return foreign_kept(run, path);
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
        unlink(path); // of another size: the new one takes its place
    close(fd);
    return 0;
}

// Where O_TMPFILE is not supported: a name until it can be removed. One
// that a killed start left is taken away first.
static int create_named(const struct io_file *file)
{
    char path[PATH_MAX];
    struct stat status;
    bool foreign;
    if (name_in(path, file, ".part") != 0)
        return -1;
    const int old = open_kept(path, &status, &foreign);
    if (old >= 0) {
        if (flock(old, LOCK_EX | LOCK_NB) == 0)
            unlink(path);
        close(old);
    }
    const int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
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
        flock(fd, LOCK_EX | LOCK_NB); // held from before it gets a name
        return fd;
    }
    if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL && errno != ENOENT)
        return -1;
    *named = file->keep;
    return create_named(file);
}

// Give the complete file its name. A kept file that another start completed
// meanwhile stays, and this one goes without a name.
static void publish(struct io_file *file, bool named)
{
    char path[PATH_MAX], from[PATH_MAX];
    if (name_in(path, file, "") != 0 || name_in(from, file, ".part") != 0)
        return;
    if (!named)
        snprintf(from, sizeof from, "/proc/self/fd/%d", file->fd);
    const int failed = linkat(AT_FDCWD, from, AT_FDCWD, path, named ? 0 : AT_SYMLINK_FOLLOW);
    if (named)
        unlink(from);
    file->keep = failed == 0;
}

static int allocate(struct run *run, const struct io_file *file)
{
    if (fallocate(file->fd, 0, 0, (off_t)file->size_bytes) == 0)
        return 0;
    const int reason = errno;
    if (reason == EOPNOTSUPP || reason == ENOSYS)
        return 0; // then the writing allocates it
    return run_fail(run,
                    "cannot allocate a work file of %.3f GiB in %s (%s): give a smaller "
                    "--file-size or another --dir",
                    (double)file->size_bytes / IO_GIB, file->folder, strerror(reason));
}

// Past the page cache where the file system and the size allow it.
static int fill(struct run *run, const struct io_file *file)
{
    const bool aligned = file->size_bytes % DIRECT_ALIGNMENT == 0;
    const int direct_fd = aligned ? io_file_reopen(file, O_WRONLY | O_DIRECT) : -1;
    const int result = io_fill(run, file, direct_fd);
    if (direct_fd >= 0)
        close(direct_fd);
    return result;
}

// Allocate, write and name the new file.
static int complete(struct run *run, struct io_file *file, bool named)
{
    // Its size, and not a byte of data.
    if (file->sparse && ftruncate(file->fd, (off_t)file->size_bytes) != 0)
        return run_fail(
            run,
            "cannot make a sparse file in %s (%s): give a smaller --file-size or another --dir",
            file->folder, strerror(errno));
    if (file->sparse)
        return 0;
    int result = allocate(run, file);
    if (result == 0)
        result = fill(run, file);
    if (result == 0 && io_fill_interrupted())
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

int io_file_check(struct run *run, const struct io_file *file)
{
    struct stat status = {0};
    char path[PATH_MAX];
    uint64_t held = 0;
    bool foreign;
    if (io_folder_check(run, file->folder) != 0)
        return -1;
    if (name_in(path, file, "") != 0)
        return run_refuse(run, "--dir: the path is too long: give a shorter one");
    const int fd = open_kept(path, &status, &foreign);
    if (foreign && file->keep)
        return foreign_kept(run, path);
    if (fd >= 0) {
        if (file->keep || fits(file, &status))
            held = (uint64_t)status.st_blocks * 512;
        close(fd);
        if (fits(file, &status))
            return 0;
    }
    return io_space_check(run, file, held);
}

int io_file_create(struct io_file *file)
{
    bool named;
    return file->fd = create(file, &named);
}

static int make_or_take(struct run *run, struct io_file *file)
{
    bool named;
    file->fd = -1;
    file->reused = file->busy = false;
    if (io_folder_check(run, file->folder) != 0)
        return -1;
    const int taken = file->sparse ? 0 : take_kept(run, file);
    if (taken != 0)
        return taken < 0 ? -1 : 0;
    if (io_space_check(run, file, 0) != 0)
        return -1;
    file->fd = create(file, &named);
    if (file->fd < 0)
        return run_fail(run, "cannot make a work file in %s (%s): choose another folder with --dir",
                        file->folder, strerror(errno));
    if (complete(run, file, named) == 0)
        return 0;
    io_file_close(file);
    return -1;
}

int io_file_open(struct run *run, struct io_file *file)
{
    sigset_t ending, before;
    const bool keep = file->keep;
    sigemptyset(&ending);
    // One that is ignored would be pending, too, once it is blocked.
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        if (!ending_is_left_out(ending_signals[i]))
            sigaddset(&ending, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &ending, &before);
    const int failed = make_or_take(run, file);
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (failed == 0 && file->busy && keep)
        run_warn(run,
                 "the kept work file in %s is in use by another load: this one has made one of its "
                 "own, that is not kept",
                 file->folder);
    return failed;
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
