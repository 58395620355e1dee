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

// The same of a file that may have NULs in it: how many bytes; -1 with errno.
ssize_t file_load(int at_fd, const char *path, char *text, size_t size);

// The same of FOLDER/NAME.
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

// Files that we write, under names that we choose, in a folder that a stranger may have made: what
// has such a name there must not lead to a file elsewhere.

// Makes the file anew, with the flags of open(). What had its name before, a link for example, is
// removed, and what that led to keeps its content. -1 with errno; EEXIST: a device is there.
int file_create_own(const char *path, int flags);
// Opens the file with the flags of open(), or makes it, and leaves its content. -1 with errno;
// ELOOP: it is a symbolic link, EMLINK: it has another name as well, ENXIO: it is no regular file.
int file_open_own(const char *path, int flags);
// Whether a folder is at path, and not a link to one. False with errno; ELOOP: a link.
bool file_is_own_folder(const char *path);

// Locks on files (flock), which end with whoever holds them.

enum lock_state {
    LOCK_TAKEN,
    LOCK_HELD,       // somebody else has it
    LOCK_IMPOSSIBLE, // this file system has no locks: nobody can have it
};

// Takes the lock of an open file, and waits for it wait_ms at most. The file must be
// open for reading and writing: NFS makes a POSIX lock of it, and refuses a shared one
// to who cannot read, an exclusive one to who cannot write.
enum lock_state lock_take(int file, bool shared, int wait_ms);

// The same, for as long as it takes, without a moment of CPU time; never LOCK_HELD.
enum lock_state lock_wait(int file, bool shared);

// Whether somebody else has the exclusive lock of a file; false where that cannot be
// known.
bool lock_is_held(const char *path);

enum { LOCK_STAMP_SIZE = 96 };

// Which version of a file is at path: another one as soon as a file is renamed to it.
// "" where there is none.
void lock_stamp(const char *path, char stamp[LOCK_STAMP_SIZE]);

// Whose a file is that is found by a name that others can guess.

// Whether only the user and root can have written what is at path: one of them owns it and the
// folder that it is in, and nobody else may write to either (in a folder with the sticky bit, as
// /tmp, to it alone). A group counts as the user where it is the primary one and has the user's
// number, and for the file where the folder lets no group in. What does not exist is nobody's:
// true.
bool trust_path(const char *path);

#endif
