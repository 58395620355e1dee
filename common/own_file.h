// Files that we write, under names that we choose, in a folder that a stranger may have made: what
// has such a name there must not lead to a file elsewhere.
#ifndef COMMON_OWN_FILE_H
#define COMMON_OWN_FILE_H

#include <stdbool.h>

// Creates the file with the flags of open(). Whatever had its name before, such as a link, is
// removed first; a file that such a link led to keeps its content. -1 with errno; EEXIST: a device
// is there.
int file_create_own(const char *path, int flags);
// Opens the file with the flags of open(), or makes it, and leaves its content. -1 with errno;
// ELOOP: it is a symbolic link, EMLINK: it has another name as well, ENXIO: it is no regular file.
int file_open_own(const char *path, int flags);
// Whether a folder is at path, and not a link to one. False with errno; ELOOP: a link.
bool file_is_own_folder(const char *path);

#endif
