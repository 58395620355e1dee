#include "io/io.h"

#include "common/random.h"

#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/quota.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

uint64_t io_salt(void)
{
    uint64_t number;
    struct timespec now;
    if (getrandom(&number, sizeof number, GRND_NONBLOCK) == (ssize_t)sizeof number)
        return number;
    // Early after the boot, or before Linux 3.17.
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return ((uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec) ^
           ((uint64_t)getpid() * 0x9E3779B97F4A7C15u);
}

// ---- written once, with incompressible data, as fast as the disk can ----

#define DIRECT_ALIGNMENT 4096

enum {
    WRITERS = 4,          // enough for one to make data while others wait for the disk
    PIECE_BYTES = 2 << 20 // a huge page: one segment for the device
};

// One round of writing, shared by its threads.
struct round {
    const struct io_file *file;
    int fd;
    uint64_t salt;
    _Atomic uint64_t next; // offset of the next piece to write
    _Atomic int error;     // errno of the first failure
    _Atomic bool interrupted;
};

// A pending signal; of a harness that is gone, too (watch_start()).
static bool interrupted(void)
{
    sigset_t pending;
    if (sigpending(&pending) != 0)
        return false;
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        if (sigismember(&pending, ending_signals[i]) == 1)
            return true;
    return false;
}

static int write_all(int fd, const unsigned char *data, size_t length, off_t offset)
{
    while (length > 0) {
        ssize_t written = pwrite(fd, data, length, offset);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return written == 0 ? ENOSPC : errno;
        data += written;
        length -= (size_t)written;
        offset += written;
    }
    return 0;
}

static void write_pieces(struct round *round, unsigned char *buffer)
{
    uint64_t size = round->file->size_bytes, seed;
    while (atomic_load(&round->error) == 0 && !atomic_load(&round->interrupted)) {
        uint64_t offset = atomic_fetch_add(&round->next, PIECE_BYTES);
        uint64_t left = offset < size ? size - offset : 0;
        int error;
        if (left == 0)
            return;
        // No two pieces, nor two files, alike; the generator counts from its seed on, so
        // that of each piece is far from the others.
        seed = round->salt + offset;
        seed = random_next(&seed);
        random_fill(&seed, (uint64_t *)(void *)buffer, PIECE_BYTES / sizeof(uint64_t));
        error =
            write_all(round->fd, buffer, left < PIECE_BYTES ? left : PIECE_BYTES, (off_t)offset);
        if (error != 0)
            atomic_store(&round->error, error);
    }
}

static void *writer(void *argument)
{
    struct round *round = argument;
    void *buffer = NULL;
    if (posix_memalign(&buffer, PIECE_BYTES, PIECE_BYTES) != 0) {
        atomic_store(&round->error, ENOMEM);
        return NULL;
    }
    madvise(buffer, PIECE_BYTES, MADV_HUGEPAGE);
    write_pieces(round, buffer);
    free(buffer);
    return NULL;
}

// Also watches for an interruption until the writers are through.
static void run_writers(struct round *round)
{
    const struct timespec moment = {.tv_nsec = 20000000};
    pthread_t threads[WRITERS];
    int started = 0;
    while (started < WRITERS && thread_start(&threads[started], writer, round) == 0)
        started++;
    if (started == 0)
        atomic_store(&round->error, EAGAIN);
    while (atomic_load(&round->next) < round->file->size_bytes && atomic_load(&round->error) == 0 &&
           !atomic_load(&round->interrupted)) {
        if (interrupted())
            atomic_store(&round->interrupted, true);
        nanosleep(&moment, NULL);
    }
    while (started > 0)
        pthread_join(threads[--started], NULL);
}

// Several threads write large pieces, past the page cache where the file system and the size
// allow it, and make them durable. 0, also when interrupted() stopped it; or -1 with the
// reason.
static int fill(struct run *run, const struct io_file *file)
{
    const bool aligned = file->size_bytes % DIRECT_ALIGNMENT == 0;
    const int direct_fd = aligned ? io_file_reopen(file, O_WRONLY | O_DIRECT) : -1;
    struct round round = {
        .file = file, .fd = direct_fd >= 0 ? direct_fd : file->fd, .salt = io_salt()};
    run_writers(&round);
    if (round.error == EINVAL && direct_fd >= 0) { // O_DIRECT is accepted, but fails
        round = (struct round){.file = file, .fd = file->fd, .salt = io_salt()};
        run_writers(&round);
    }
    if (direct_fd >= 0)
        close(direct_fd);
    if (round.error == 0 && !round.interrupted && fdatasync(file->fd) != 0)
        round.error = errno;
    if (round.error == ENOSPC || round.error == EDQUOT)
        return run_fail(run,
                        "%s became full while the work file was written (%s): give a smaller "
                        "--file-size or another --dir",
                        file->folder, strerror(round.error));
    if (round.error != 0)
        return run_fail(run,
                        "cannot write the work file in %s (%s): choose another folder with --dir",
                        file->folder, strerror(round.error));
    posix_fadvise(file->fd, 0, 0, POSIX_FADV_DONTNEED);
    return 0;
}

// ---- how large it may be ----

struct io_space {
    double free_bytes; // of the file system, or what a quota leaves, whichever is less
    double kept_bytes; // of these, for others: 5 % of the whole, 1 GiB and no more
    const char *whose; // what sets free_bytes: "the file system", "your quota", ...
};

#define KEPT_FRACTION 0.05
#define KEPT_MOST     1073741824.0
#define KEPT_LEAST    1048576.0 // for the file system's own needs

#define QUOTA_BLOCK 1024.0 // in which limits are counted

#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443 // all architectures
#endif

static double kept_of(double whole_bytes)
{
    return fmax(fmin(whole_bytes * KEPT_FRACTION, KEPT_MOST), KEPT_LEAST);
}

// Takes over a tighter limit.
static void tighten(struct io_space *space, double whole_bytes, double left_bytes,
                    const char *whose)
{
    if (left_bytes - kept_of(whole_bytes) < space->free_bytes - space->kept_bytes)
        *space = (struct io_space){
            .free_bytes = left_bytes, .kept_bytes = kept_of(whole_bytes), .whose = whose};
}

// The soft limit: who is above that for some days cannot write any more. Root is not bound.
static void ask_quota(struct io_space *space, int fd, int type, unsigned id, const char *whose)
{
    struct dqblk quota = {0};
    if (syscall(SYS_quotactl_fd, fd, QCMD(Q_GETQUOTA, type), id, &quota) != 0)
        return;
    const uint64_t blocks = quota.dqb_bsoftlimit != 0 ? quota.dqb_bsoftlimit : quota.dqb_bhardlimit;
    const double limit = (double)blocks * QUOTA_BLOCK;
    if (blocks != 0)
        tighten(space, limit, fmax(limit - (double)quota.dqb_curspace, 0), whose);
}

// Of the user and group of this process, by statvfs(2), quotactl_fd(2) and getrlimit(2);
// quotas where the kernel answers (Linux 5.14, a local file system). False: errno says why.
static bool io_space_of(const char *folder, struct io_space *space)
{
    struct statvfs system;
    struct rlimit file;
    if (statvfs(folder, &system) != 0)
        return false;
    const double unit = (double)system.f_frsize;
    *space = (struct io_space){.free_bytes = (double)system.f_bavail * unit,
                               .kept_bytes = kept_of((double)system.f_blocks * unit),
                               .whose = "the file system"};
    const int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0 && geteuid() != 0) {
        ask_quota(space, fd, USRQUOTA, geteuid(), "your quota");
        ask_quota(space, fd, GRPQUOTA, getegid(), "your group's quota");
    }
    if (fd >= 0)
        close(fd);
    if (getrlimit(RLIMIT_FSIZE, &file) == 0 && file.rlim_cur != RLIM_INFINITY &&
        (double)file.rlim_cur < space->free_bytes - space->kept_bytes)
        *space = (struct io_space){.free_bytes = (double)file.rlim_cur,
                                   .whose = "the limit of a file's size (ulimit -f)"};
    return true;
}

#define GIB (1024.0 * 1024.0 * 1024.0)

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

// The space that `held` bytes of a file that is to be replaced do not take.
static int check_space(struct run *run, const struct io_file *file, uint64_t held)
{
    struct io_space space;
    if (!io_space_of(file->folder, &space))
        return run_fail(run, "cannot find the free space of %s: %s: give another --dir",
                        file->folder, strerror(errno));
    const double free_bytes = space.free_bytes + (double)held;
    const double kept_bytes = file->force ? 0 : fmax(space.kept_bytes, free_bytes * file->spare);
    if ((double)file->size_bytes <= free_bytes - kept_bytes)
        return 0;
    return run_refuse(
        run,
        "a work file of %.3f GiB does not fit in %s: %s leaves %.3f GiB, of which %.3f GiB are for "
        "others: give a smaller --file-size (or WORKFILE_SIZE), or another --dir%s",
        (double)file->size_bytes / GIB, file->folder, space.whose, free_bytes / GIB,
        kept_bytes / GIB, (double)file->size_bytes <= free_bytes ? ", or --force" : "");
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
                    (double)file->size_bytes / GIB, file->folder, strerror(reason));
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
    if (result == 0 && interrupted())
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
    return check_space(run, file, held);
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
    if (check_space(run, file, 0) != 0)
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
