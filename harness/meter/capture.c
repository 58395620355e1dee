#include "capture.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PART_BYTES 65536

// open_named: where the file system cannot make a file without a name (NFS, say).
static int open_named(const char *folder)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/jostle-meter.XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    const int fd = mkostemp(path, O_APPEND | O_CLOEXEC);
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

int capture_open(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        fd = open_named(folder);
    return file_above_stderr(fd);
}

bool capture_empty(int fd)
{
    struct stat status;
    // Most targets write nothing: there is nothing to be done then.
    return fstat(fd, &status) == 0 && (status.st_size == 0 || ftruncate(fd, 0) == 0);
}

bool capture_has_any(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_size > 0;
}

// copy_from: writes what is behind the offset `at` to `to`.
static bool copy_from(int fd, off_t at, int to)
{
    char *text = malloc(PART_BYTES);
    ssize_t length = -1;
    bool written = text != NULL;
    while (written && (length = pread(fd, text, PART_BYTES, at)) > 0) {
        written = file_write_all(to, text, (size_t)length);
        at += length;
    }
    const int error = errno;
    free(text);
    errno = error;
    return written && length == 0;
}

bool capture_show(int fd, int to)
{
    return copy_from(fd, 0, to);
}

// remove_part: what could not be written in full makes room. A device is no file of ours.
static void remove_part(const char *path)
{
    struct stat status;
    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        (void)unlink(path);
}

bool capture_keep(int fd, const char *path)
{
    static const off_t kept = CAPTURE_KEPT_BYTES;
    struct stat status;
    if (fstat(fd, &status) != 0)
        return false;
    const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (to < 0)
        return false;
    bool written = copy_from(fd, status.st_size > kept ? status.st_size - kept : 0, to);
    int error = errno;
    if (close(to) != 0 && written) {
        written = false;
        error = errno;
    }
    if (!written)
        remove_part(path);
    errno = error;
    return written;
}
