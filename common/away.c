// Puts records that grow while a target runs outside the folder that the target may walk.
#include "common/away.h"

#include "common/save.h"
#include "common/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#ifndef RENAME_EXCHANGE
#define RENAME_EXCHANGE (1 << 1)
#endif
#ifndef SYS_renameat2
#define SYS_renameat2 (-1)
#endif

// Both names change what they stand for, in one step. glibc has a function for that from 2.28 on.
static bool exchange(const char *one, const char *other)
{
    return syscall(SYS_renameat2, AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE) == 0;
}

// Whether the file system, or the kernel, has no exchange: NFS, for example.
static bool lacks_exchange(int error)
{
    return error == EINVAL || error == ENOSYS || error == EOPNOTSUPP;
}

static const char *last_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

// Whether a link to place, found in the stead of a folder `name`, can be ours.
static bool is_place(const char *place, const char *name)
{
    char ours[2][PATH_MAX];
    snprintf(ours[0], sizeof ours[0], "/jostle/%s", name);
    snprintf(ours[1], sizeof ours[1], "/.jostle.%s", name);
    return place[0] == '/' && (text_ends(place, ours[0]) || text_ends(place, ours[1]));
}

// Where a link that we made leads to. False: path is no such link.
static bool read_place(const char *path, char place[PATH_MAX])
{
    struct stat link, folder;
    const ssize_t length = readlink(path, place, PATH_MAX - 1);
    if (length <= 0)
        return false;
    place[length] = '\0';
    // One that somebody else has planted leads to nothing of his that we would move.
    return is_place(place, last_of(path)) && lstat(path, &link) == 0 &&
           (lstat(place, &folder) != 0 ||
            (S_ISDIR(folder.st_mode) && folder.st_uid == link.st_uid));
}

bool away_is(const char *path)
{
    char place[PATH_MAX];
    return read_place(path, place);
}

bool away_absolute(const char *path, char absolute[PATH_MAX])
{
    char parent[PATH_MAX], above[PATH_MAX];
    snprintf(parent, sizeof parent, "%s", path);
    size_t length = strlen(parent);
    while (length > 1 && parent[length - 1] == '/')
        parent[--length] = '\0';
    char *slash = strrchr(parent, '/');
    if (!away_is(parent))
        return realpath(path, absolute) != NULL;
    const char *name = slash ? slash + 1 : parent;
    if (slash)
        *slash = '\0';
    if (!realpath(!slash ? "." : *parent == '\0' ? "/" : parent, above))
        return false;
    errno = ENAMETOOLONG;
    return snprintf(absolute, PATH_MAX, "%s/%s", strcmp(above, "/") == 0 ? "" : above, name) <
           PATH_MAX;
}

// Whether path is folder, or below it. Both are absolute, without links.
static bool is_within(const char *path, const char *folder)
{
    const char *rest = text_after(path, strcmp(folder, "/") == 0 ? "" : folder);
    return rest && (*rest == '/' || *rest == '\0');
}

// Without an exchange there is a moment in which path is not there.
static bool move_fresh(const char *path, const char *place)
{
    if (rename(path, place) != 0)
        return false;
    if (symlink(place, path) == 0)
        return true;
    (void)rename(place, path);
    return false;
}

static bool take_to(const char *path, const char *place, bool fresh)
{
    // The link has the name that it will lead to, so that the exchange is all that is to be done.
    // Nobody else has this name: symlink() replaces nothing.
    if (symlink(place, place) != 0)
        return false;
    if (exchange(place, path))
        return true;
    const int error = errno;
    (void)unlink(place);
    return fresh && lacks_exchange(error) && move_fresh(path, place);
}

// The same of a folder that may not be there yet: then it is about the one that it would be made
// in.
static bool would_be_within(const char *path, const char *folder)
{
    char above[PATH_MAX], real[PATH_MAX];
    snprintf(above, sizeof above, "%s", path);
    while (!realpath(*above == '\0' ? "/" : above, real)) {
        char *slash = strrchr(above, '/');
        if (errno != ENOENT || !slash)
            return true; // it cannot be made, either
        *slash = '\0';
    }
    return is_within(real, folder);
}

static bool take_to_state(const char *path, const char *current, bool fresh)
{
    char place[PATH_MAX], folder[PATH_MAX];
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    const bool named = state && *state == '/';
    if (!named && (!home || *home != '/'))
        return false;
    if (snprintf(folder, sizeof folder, "%s%s", named ? state : home,
                 named ? "/jostle" : "/.local/state/jostle") >= PATH_MAX ||
        snprintf(place, sizeof place, "%s/%s", folder, last_of(path)) >= PATH_MAX)
        return false;
    // A home that is below the current folder is walked as well.
    return !would_be_within(folder, current) && kept_make_folder(place) == 0 &&
           take_to(path, place, fresh);
}

// The highest folder comes first: the nearer one is, the likelier it is that somebody walks it. The
// root is left alone.
static bool take_above(const char *path, const char *current, bool fresh)
{
    char place[PATH_MAX];
    for (const char *slash = strchr(current + 1, '/'); slash; slash = strchr(slash + 1, '/'))
        if (snprintf(place, sizeof place, "%.*s/.jostle.%s", (int)(slash - current), current,
                     last_of(path)) < PATH_MAX &&
            take_to(path, place, fresh))
            return true;
    return false;
}

bool away_take(const char *path, bool fresh)
{
    char current[PATH_MAX];
    return getcwd(current, sizeof current) && is_within(path, current) &&
           strcmp(path, current) != 0 &&
           (take_to_state(path, current, fresh) || take_above(path, current, fresh));
}

// Where there is no exchange: the folder comes beside the link first, then to its name. In between
// the records are at `beside`, and are found there by the next that returns them.
static bool move_back(const char *path, const char *place, const char *beside)
{
    if (access(beside, F_OK) != 0 && (!place || rename(place, beside) != 0))
        return false;
    if (unlink(path) != 0 && errno != ENOENT)
        return false;
    return rename(beside, path) == 0;
}

bool away_return(const char *path)
{
    char place[PATH_MAX], beside[PATH_MAX];
    struct stat status;
    const bool taken = read_place(path, place);
    if (snprintf(beside, sizeof beside, "%s.back", path) >= PATH_MAX) {
        errno = ENAMETOOLONG;
        return false;
    }
    if (!taken && (lstat(path, &status) == 0 || lstat(beside, &status) != 0))
        return true;
    if (taken && exchange(place, path)) {
        (void)unlink(place); // the link, which leads to itself
        return true;
    }
    if (taken && !lacks_exchange(errno) && errno != ENOENT)
        return false;
    return move_back(path, taken ? place : NULL, beside);
}
