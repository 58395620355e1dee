// Opens files that we write in folders that a stranger may have made.
#include "common/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

int file_create_own(const char *path, int flags)
{
    struct stat status;
    const bool is_device =
        lstat(path, &status) == 0 && (S_ISCHR(status.st_mode) || S_ISBLK(status.st_mode));
    if (!is_device && unlink(path) != 0 && errno != ENOENT)
        return -1;
    return open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
}

int file_open_own(const char *path, int flags)
{
    struct stat status;
    const int fd =
        open(path, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    const bool known = fstat(fd, &status) == 0;
    if (known && S_ISREG(status.st_mode) && status.st_nlink <= 1)
        return fd;
    const int error = !known ? errno : S_ISREG(status.st_mode) ? EMLINK : ENXIO;
    (void)close(fd);
    errno = error;
    return -1;
}

bool file_is_own_folder(const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0)
        return false;
    errno = S_ISLNK(status.st_mode) ? ELOOP : ENOTDIR;
    return S_ISDIR(status.st_mode);
}
