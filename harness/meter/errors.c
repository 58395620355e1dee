#include "errors.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define KEPT_BYTES 65536

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

int errors_open(void)
{
    const char *folder = getenv("TMPDIR");
    if (folder == NULL || folder[0] == '\0')
        folder = "/tmp";
    int fd = open(folder, O_TMPFILE | O_RDWR | O_APPEND | O_CLOEXEC, 0600);
    if (fd < 0)
        fd = open_named(folder);
    return file_above_stderr(fd);
}

bool errors_empty(int fd)
{
    struct stat status;
    // Most targets write nothing: there is nothing to be done then.
    return fstat(fd, &status) == 0 && (status.st_size == 0 || ftruncate(fd, 0) == 0);
}

bool errors_keep(int fd, const char *path)
{
    static const off_t kept = KEPT_BYTES;
    struct stat status;
    char *text = malloc(KEPT_BYTES);
    if (text == NULL || fstat(fd, &status) != 0) {
        free(text);
        return false;
    }
    const ssize_t length =
        pread(fd, text, KEPT_BYTES, status.st_size > kept ? status.st_size - kept : 0);
    const int to = length < 0 ? -1 : open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    bool written = to >= 0 && file_write_all(to, text, (size_t)length);
    int error = errno;
    if (to >= 0 && close(to) != 0 && written) {
        written = false;
        error = errno;
    }
    free(text);
    errno = error;
    return written;
}
