#include "io/space.h"

#include <fcntl.h>
#include <math.h>
#include <sys/quota.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEPT_FRACTION 0.05
#define KEPT_MOST     1073741824.0
#define KEPT_LEAST    1048576.0 /* for the file system's own needs */

#define QUOTA_BLOCK 1024.0 /* in which limits are counted */

#ifndef SYS_quotactl_fd
#define SYS_quotactl_fd 443 /* all architectures */
#endif

static double kept_of(double whole_bytes)
{
    return fmax(fmin(whole_bytes * KEPT_FRACTION, KEPT_MOST), KEPT_LEAST);
}

/* Takes over a tighter limit. */
static void tighten(struct io_space *space, double whole_bytes, double left_bytes,
                    const char *whose)
{
    if (left_bytes - kept_of(whole_bytes) < space->free_bytes - space->kept_bytes)
        *space = (struct io_space){
            .free_bytes = left_bytes, .kept_bytes = kept_of(whole_bytes), .whose = whose};
}

/* The soft limit: who is above that for some days cannot write any more. Root is not bound. */
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

bool io_space_of(const char *folder, struct io_space *space)
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
