// Files that are read and written at once, or looked at.
#ifndef COMMON_FILE_H
#define COMMON_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

// The first size-1 bytes of the file at path below the open folder at_fd (AT_FDCWD:
// the current one), with a terminating NUL. Returns false, with errno set, when it
// cannot be opened or read. For the small files of /proc and of cgroups, which a
// single read gives as one consistent snapshot.
bool file_read(int at_fd, const char *path, char *text, size_t size);

// Reads a file that may have NULs in it: how many bytes; -1 with errno.
ssize_t file_load(int at_fd, const char *path, char *text, size_t size);

// Reads FOLDER/NAME in the same way.
bool file_read_in(const char *folder, const char *name, char *text, size_t size);

// The first size-1 bytes of an open file of at most a page, from its start, with a
// terminating NUL: for a file that is read again and again, as to open it costs more than
// to read it. False with errno, also for fd -1 and an empty file.
bool file_read_open(int fd, char *text, size_t size);

// The last line of an open file, from an offset on, that is not blank: its first size - 1 bytes,
// and a blank in the place of each control character. "": there is none, or fd is -1.
void file_last_line(int fd, off_t from, char *line, size_t size);

// Writes text to the existing file at path below at_fd in one write.
bool file_write(int at_fd, const char *path, const char *text);

// The unsigned decimal number right after the first occurrence of key in text ("" for
// a file that holds one number only). False if it is absent.
bool file_number(const char *text, const char *key, uint64_t *value);

// What a program writes to where nobody reads it: /dev/zero, which discards as /dev/null does, and
// as cheaply. GNU grep, cmp, tar and others ask fstat() whether stdout is /dev/null, and then leave
// out their work. /dev/null where there is no such device.
const char *file_sink(void);

// Whether both paths are, or would be made, one regular file, whatever their names: by device and
// inode, or where neither is there by folder and name. False for devices, FIFOs and the like, which
// several may write to, and for what cannot be looked up.
bool file_is_same(const char *first, const char *second);

// fd, or where it is that of stdin, stdout or stderr, a copy above them in its place, so
// that nothing that is put onto those later meets it. -1 stays -1, with errno.
int file_above_stderr(int fd);

// Writes length bytes to fd, however many writes that takes.
bool file_write_all(int fd, const char *text, size_t length);

// A file in the folder that has no name, so that it is gone when it is closed, to be read and
// written; flags: O_APPEND, or 0. -1 with errno.
int file_nameless(const char *folder, int flags);

// What our temporary files beside others (save.h) begin with.
#define FILE_TEMPORARY ".jostle-"
// Whether nothing is in the folder path but, of these names, some, and temporary files of ours:
// then what is written there can replace no file of the user. names ends with NULL. True also where
// there is no such folder, or it cannot be looked into: to write to it says why.
bool file_folder_has_only(const char *path, const char *const *names);

// Closes every descriptor from `first` on: also before Linux 5.9 (close_range()) and glibc 2.34
// (closefrom()). Where /proc is not there either, those up to the limit (ulimit -n).
void file_close_from(int first);

// Removes a folder and all that is in it, but for what is mounted there. What cannot be removed
// does not keep the others.
void file_remove_tree(const char *path);

// Whether something of that name is in the folder; how: F_OK, or R_OK where it is to be read.
bool file_is_in(const char *folder, const char *name, int how);

// Opens a file that a stranger may have made, to read it: only a regular one, for a pipe would
// never open and a device never end. follow: also through a symbolic link. -1 with errno.
int file_open_regular(const char *path, bool follow);
// The same, through symbolic links, as a stream to be read; NULL with errno.
FILE *file_open_record(const char *path);
// Why one of these two failed, of its errno: "not a regular file", or as strerror().
const char *file_why(int error);

#endif
