// How large a work file may be: what the file system and quotas leave, without what is for others.

#include "io/io.h"

#include <sys/quota.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

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

// Asks for the space of the user and group of this process, by statvfs(2), quotactl_fd(2) and
// getrlimit(2); quotas where the kernel answers (Linux 5.14, a local file system). False: errno
// says why.
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

int io_space_check(struct run *run, const struct io_file *file, uint64_t held)
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
        (double)file->size_bytes / IO_GIB, file->folder, space.whose, free_bytes / IO_GIB,
        kept_bytes / IO_GIB, (double)file->size_bytes <= free_bytes ? ", or --force" : "");
}
