// Reads and writes small files at once, and answers questions about files and descriptors.
#include "common/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#ifndef SYS_close_range
#define SYS_close_range 436 // all architectures
#endif

ssize_t file_load(int at_fd, const char *path, char *text, size_t size)
{
    const int fd = openat(at_fd, path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    size_t length = 0;
    ssize_t got = 1;
    // /proc hands out a page at a time.
    while (got > 0 && length < size - 1) {
        got = read(fd, text + length, size - 1 - length);
        length += got > 0 ? (size_t)got : 0;
    }
    const int error = errno;
    close(fd);
    errno = error;
    text[length] = '\0';
    return got < 0 ? -1 : (ssize_t)length;
}

bool file_read(int at_fd, const char *path, char *text, size_t size)
{
    return file_load(at_fd, path, text, size) >= 0;
}

bool file_read_in(const char *folder, const char *name, char *text, size_t size)
{
    char path[2 * PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < (int)sizeof path &&
           file_read(AT_FDCWD, path, text, size);
}

bool file_read_open(int fd, char *text, size_t size)
{
    const ssize_t length = pread(fd, text, size - 1, 0);
    if (length <= 0)
        return false;
    text[length] = '\0';
    return true;
}

void file_last_line(int fd, off_t from, char *line, size_t size)
{
    struct stat status;
    const off_t end = fd >= 0 && fstat(fd, &status) == 0 ? status.st_size : 0;
    const off_t begin = from > end ? 0 : from; // it was emptied
    char tail[4096];
    const off_t most = (off_t)sizeof tail;
    const ssize_t got =
        end > begin ? pread(fd, tail, sizeof tail, end - begin > most ? end - most : begin) : 0;
    size_t last = got > 0 ? (size_t)got : 0;
    while (last > 0 && isspace((unsigned char)tail[last - 1]))
        last--;
    size_t first = last;
    while (first > 0 && tail[first - 1] != '\n')
        first--;
    const size_t length = last - first < size - 1 ? last - first : size - 1;
    for (size_t i = 0; i < length; i++)
        line[i] = iscntrl((unsigned char)tail[first + i]) ? ' ' : tail[first + i];
    line[length] = '\0';
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
    if (!start)
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

// The folder of a path, and its name in there; false for a path without a name.
static bool split(const char *path, char folder[PATH_MAX], const char **name)
{
    const char *slash = strrchr(path, '/');
    *name = !slash ? path : slash + 1;
    const int length = !slash ? snprintf(folder, PATH_MAX, ".")
                              : snprintf(folder, PATH_MAX, "%.*s", (int)(slash - path) + 1, path);
    return length < PATH_MAX && **name != '\0';
}

static bool is_same_inode(const struct stat *first, const struct stat *second)
{
    return first->st_dev == second->st_dev && first->st_ino == second->st_ino;
}

const char *file_sink(void)
{
    static const char zero[] = "/dev/zero";
    struct stat status;
    const bool is_there = stat(zero, &status) == 0 && S_ISCHR(status.st_mode) &&
                          major(status.st_rdev) == 1 && minor(status.st_rdev) == 5;
    return is_there ? zero : "/dev/null";
}

bool file_is_same(const char *first, const char *second)
{
    struct stat a, b;
    char folder[2][PATH_MAX];
    const char *name[2];
    const bool has_first = stat(first, &a) == 0, has_second = stat(second, &b) == 0;
    if (has_first && has_second)
        return S_ISREG(a.st_mode) && is_same_inode(&a, &b);
    return !has_first && !has_second && split(first, folder[0], &name[0]) &&
           split(second, folder[1], &name[1]) && strcmp(name[0], name[1]) == 0 &&
           stat(folder[0], &a) == 0 && stat(folder[1], &b) == 0 && is_same_inode(&a, &b);
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

int file_nameless(const char *folder, int flags)
{
    char path[PATH_MAX];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC | flags, 0600);
    if (fd >= 0)
        return fd;
    // Some file systems (NFS, say) cannot make one: a name, for a moment.
    if (snprintf(path, sizeof path, "%s/" FILE_TEMPORARY "XXXXXX", folder) >= (int)sizeof path) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(path, O_CLOEXEC | flags);
    if (fd >= 0)
        (void)unlink(path);
    return fd;
}

// Up to `most` descriptors from `first` on that are open, without that of the listing itself. 0: no
// more; -1: not known.
static int list_open(int first, int *open_fd, int most)
{
    DIR *folder = opendir("/proc/self/fd");
    int count = 0;
    if (!folder)
        return -1;
    for (const struct dirent *entry; count < most && (entry = readdir(folder)) != NULL;) {
        const int fd =
            isdigit((unsigned char)entry->d_name[0]) ? (int)strtol(entry->d_name, NULL, 10) : -1;
        if (fd >= first && fd != dirfd(folder))
            open_fd[count++] = fd;
    }
    closedir(folder);
    return count;
}

void file_close_from(int first)
{
    int open_fd[256], count;
    if (syscall(SYS_close_range, (unsigned)first, ~0U, 0) == 0)
        return;
    while ((count = list_open(first, open_fd, sizeof open_fd / sizeof open_fd[0])) > 0)
        for (int i = 0; i < count; i++)
            close(open_fd[i]);
    const long most = count < 0 ? sysconf(_SC_OPEN_MAX) : 0;
    for (int fd = first; fd < most; fd++)
        close(fd);
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    (void)remove(path);
    return 0;
}

void file_remove_tree(const char *path)
{
    enum { OPEN_FOLDERS = 16 };
    (void)nftw(path, remove_one, OPEN_FOLDERS, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
}

int file_open_regular(const char *path, bool follow)
{
    struct stat status;
    const int fd =
        open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (follow ? 0 : O_NOFOLLOW));
    if (fd < 0 || (fstat(fd, &status) == 0 && S_ISREG(status.st_mode)))
        return fd;
    close(fd);
    errno = EINVAL;
    return -1;
}

bool file_is_in(const char *folder, const char *name, int how)
{
    char path[PATH_MAX];
    return snprintf(path, sizeof path, "%s/%s", folder, name) < PATH_MAX && access(path, how) == 0;
}

bool file_folder_has_only(const char *path, const char *const *names)
{
    DIR *folder = opendir(path);
    bool only = true;
    if (!folder)
        return true;
    for (const struct dirent *entry; only && (entry = readdir(folder)) != NULL;) {
        only = strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
               strncmp(entry->d_name, FILE_TEMPORARY, strlen(FILE_TEMPORARY)) == 0;
        for (size_t i = 0; !only && names[i]; i++)
            only = strcmp(entry->d_name, names[i]) == 0;
    }
    closedir(folder);
    return only;
}

FILE *file_open_record(const char *path)
{
    const int fd = file_open_regular(path, true);
    FILE *file = fd < 0 ? NULL : fdopen(fd, "r");
    if (!file && fd >= 0)
        close(fd);
    return file;
}

const char *file_why(int error)
{
    return error == EINVAL ? "not a regular file" : strerror(error);
}
