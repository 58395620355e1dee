#include "common/trust.h"

#include "common/messages.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A group that is the user's own, as many systems have it, is no stranger. */
static bool is_ours(const struct stat *status)
{
    const bool by_group = (status->st_mode & S_IWGRP) != 0 && status->st_gid != getegid();
    const bool by_all = (status->st_mode & S_IWOTH) != 0;
    return (status->st_uid == geteuid() || status->st_uid == 0) && !by_group && !by_all;
}

/* In a folder with the sticky bit nobody takes away or renames what is ours. */
static bool is_folder_ours(const struct stat *status)
{
    return is_ours(status) || ((status->st_mode & S_ISVTX) != 0 && status->st_uid == 0);
}

bool trust_path(const char *path)
{
    char folder[PATH_MAX];
    struct stat status;
    const char *slash = strrchr(path, '/');
    if (stat(path, &status) != 0)
        return errno == ENOENT || errno == ENOTDIR;
    if (!is_ours(&status))
        return false;
    if (slash == NULL)
        (void)snprintf(folder, sizeof folder, ".");
    else if (snprintf(folder, sizeof folder, "%.*s/", (int)(slash - path), path) >=
             (int)sizeof folder)
        return false;
    return stat(folder, &status) == 0 && is_folder_ours(&status);
}

void trust_complain(const char *path, const char *what)
{
    (void)complain("%s: this %s is not used: others than you can write to it: remove it, or set "
                   "XDG_CACHE_HOME to a folder of your own",
                   path, what);
}
