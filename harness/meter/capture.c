// Keeps the end of what the target writes in a file without a name.
#include "capture.h"

#include "common/file.h"
#include "common/own_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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
    const off_t more = status.st_size < CAPTURE_PART_BYTES ? status.st_size : CAPTURE_PART_BYTES;
    const bool taken = fallocate(fd, FALLOC_FL_KEEP_SIZE, status.st_size, more) == 0 ||
                       (errno != ENOSPC && errno != EDQUOT);
    const int error = errno;
    (void)!ftruncate(fd, status.st_size);
    errno = error;
    return taken;
}

bool capture_copy(int fd, off_t at, int to)
{
    char *text = malloc(CAPTURE_PART_BYTES);
    ssize_t length = -1;
    bool written = text;
    while (written && (length = pread(fd, text, CAPTURE_PART_BYTES, at)) > 0) {
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
    bool written = capture_copy(fd, status.st_size > kept ? status.st_size - kept : 0, to);
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
