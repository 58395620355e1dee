// Finds what the target reads on its stdin, and whether data waits on ours.

#include "experiment.h"

#include "common/child.h"
#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#define NULL_MAJOR 1 // Documentation/admin-guide/devices.txt
#define NULL_MINOR 3

// Whether a run that opens it finds what the run before has found.
static bool is_repeatable(const char *path, const struct stat *status)
{
    if (!S_ISCHR(status->st_mode))
        return S_ISREG(status->st_mode) || S_ISBLK(status->st_mode);
    const int fd = open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    const bool terminal = fd >= 0 && isatty(fd) == 1;
    if (fd >= 0)
        close(fd);
    return fd >= 0 && !terminal;
}

const char *input_find(const struct settings *settings, struct arena *arena)
{
    const char *path = settings->input;
    struct stat status;
    char whole[PATH_MAX];
    if (!path)
        return NULL;
    // Older ones have no --input, and there is no other way to give their target a stdin.
    const char *const argv[] = {"sh", "-c",
                                "exec hyperfine --input /dev/null --version >/dev/null 2>&1", NULL};
    if (settings->engine == ENGINE_HYPERFINE && child_run(argv, -1, NULL) != 0)
        usage_error("--input: this hyperfine has no such option: install a newer one, or use "
                    "--engine meter");
    if (strcmp(path, "null") == 0 && access(path, F_OK) != 0)
        path = "/dev/null"; // as hyperfine calls it
    const bool found = stat(path, &status) == 0;
    if (!found && errno == ENOENT && settings->prepare.count > 0) {
        // What --prepare has yet to make.
        const bool whole_path = path[0] == '/' || !getcwd(whole, sizeof whole);
        return whole_path ? path : arena_format(arena, "%s/%s", whole, path);
    }
    if (!found || access(path, R_OK) != 0)
        usage_error("--input %s: %s: give a file that can be read", path, strerror(errno));
    if (!is_repeatable(path, &status) || !realpath(path, whole))
        usage_error("--input %s: it cannot be read from the start by each run: give a file", path);
    return arena_format(arena, "%s", whole);
}

bool input_on_stdin(void)
{
    struct stat status;
    int bytes = 0;
    const int flags = fcntl(STDIN_FILENO, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY || fstat(STDIN_FILENO, &status) != 0)
        return false;
    if (S_ISREG(status.st_mode))
        return lseek(STDIN_FILENO, 0, SEEK_CUR) < status.st_size;
    if (S_ISCHR(status.st_mode))
        return status.st_rdev != makedev(NULL_MAJOR, NULL_MINOR) && isatty(STDIN_FILENO) == 0;
    if (S_ISFIFO(status.st_mode) || S_ISSOCK(status.st_mode))
        return ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
    return S_ISBLK(status.st_mode);
}
