#include "common/file.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool file_read(int at_fd, const char *path, char *text, size_t size)
{
    const int fd = openat(at_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size_t length = 0;
    ssize_t got = 1;
    /* /proc hands out a page at a time. */
    while (got > 0 && length < size - 1) {
        got = read(fd, text + length, size - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    const int error = errno;
    close(fd);
    errno = error;
    text[length] = '\0';
    return got >= 0;
}

bool file_read_open(int fd, char *text, size_t size)
{
    const ssize_t length = pread(fd, text, size - 1, 0);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return true;
}

bool file_write(int at_fd, const char *path, const char *text)
{
    const int fd = openat(at_fd, path, O_WRONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    const size_t length = strlen(text);
    const ssize_t written = write(fd, text, length);
    const int error = errno;
    close(fd);
    errno = error;
    return written >= 0 && (size_t)written == length;
}

bool file_number(const char *text, const char *key, uint64_t *value)
{
    const char *start = strstr(text, key);
    if (start == NULL)
        return false;
    start += strlen(key);
    while (*start == ' ')
        start++;
    if (!isdigit((unsigned char)*start))
        return false;
    errno = 0;
    const unsigned long long number = strtoull(start, NULL, 10);
    if (errno != 0)
        return false;
    *value = number;
    return true;
}

int file_above_stderr(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO)
        return fd;
    const int above = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    const int error = errno;
    close(fd);
    errno = error;
    return above;
}

bool file_write_all(int fd, const char *text, size_t length)
{
    while (length > 0) {
        const ssize_t written = write(fd, text, length);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text += written;
        length -= (size_t)written;
    }
    return true;
}
