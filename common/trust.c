// Says whether only the user and root can have written what is at a path.
#include "common/trust.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_owned(const struct stat *status)
{
    return (status->st_uid == geteuid() || status->st_uid == 0) && (status->st_mode & S_IWOTH) == 0;
}

// A primary group may be that of a whole institute; where each user has one alone, it has the
// user's number.
static bool is_open_to_group(const struct stat *status)
{
    return (status->st_mode & S_IWGRP) != 0 &&
           (status->st_gid != getegid() || status->st_gid != geteuid());
}

// In a folder with the sticky bit nobody takes away or renames what is ours.
static bool is_folder_ours(const struct stat *status)
{
    return (is_owned(status) && !is_open_to_group(status)) ||
           ((status->st_mode & S_ISVTX) != 0 && status->st_uid == 0);
}

bool trust_path(const char *path)
{
    char folder[PATH_MAX];
    struct stat status, above;
    const char *slash = strrchr(path, '/');
    if (stat(path, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR;
    if (!slash)
        (void)snprintf(folder, sizeof folder, ".");
    else if (snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path) >=
             (int)sizeof folder)
        return false;
    if (!is_owned(&status) || stat(folder, &above) != 0 || !is_folder_ours(&above))
        return false;
    // With umask 002 our files are open to the group, which does not come into our folders.
    return !is_open_to_group(&status) || (above.st_mode & (S_IXGRP | S_IXOTH)) == 0;
}
