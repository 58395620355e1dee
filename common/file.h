#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The first size-1 bytes of the file at path below the open folder at_fd (AT_FDCWD:
 * the current one), with a terminating NUL. Returns false, with errno set, when it
 * cannot be opened or read. For the small files of /proc and of cgroups, which a
 * single read gives as one consistent snapshot. */
bool file_read(int at_fd, const char *path, char *text, size_t size);

/* The first size-1 bytes of an open file of at most a page, from its start, with a
 * terminating NUL: for a file that is read again and again, as to open it costs more than
 * to read it. False with errno, also for fd -1 and an empty file. */
bool file_read_open(int fd, char *text, size_t size);

/* Writes text to the existing file at path below at_fd in one write. */
bool file_write(int at_fd, const char *path, const char *text);

/* The unsigned decimal number right after the first occurrence of key in text ("" for
 * a file that holds one number only). False if it is absent. */
bool file_number(const char *text, const char *key, uint64_t *value);

/* fd, or where it is that of stdin, stdout or stderr, a copy above them in its place, so
 * that nothing that is put onto those later meets it. -1 stays -1, with errno. */
int file_above_stderr(int fd);

/* Writes length bytes to fd, however many writes that takes. */
bool file_write_all(int fd, const char *text, size_t length);

#endif
