// Tells the files that a run wrote from those that were there before.
#include "written_files.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// The files that a metric is read from: those that a run wrote, not those of an earlier one.

void files_forget(struct files_before *before)
{
    free(before->status);
    *before = (struct files_before){.count = 0};
}

// The files of path, in order of their names; a path without a pattern is itself,
// whether it is there or not. globfree() frees them. False: no memory.
bool files_find(const char *path, glob_t *found)
{
    const int status = glob(path, GLOB_NOMAGIC | GLOB_NOESCAPE, NULL, found);
    if (status != 0)
        *found = (glob_t){.gl_pathc = 0};
    return status == 0 || status == GLOB_NOMATCH;
}

static bool is_same(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec == b->tv_sec && a->tv_nsec == b->tv_nsec;
}

// Whether one of them was written at that time.
static bool has_stamp(const struct files_before *before, const struct timespec *at)
{
    for (size_t i = 0; i < before->count; i++)
        if (is_same(&before->status[i].st_mtim, at))
            return true;
    return false;
}

// Until what is written next has another stamp than what is there. The kernel stamps
// files with its coarse clock, so the wait is at most a tick, 10 ms.
static void wait_for_tick(const struct files_before *before)
{
    const struct timespec pause = {.tv_nsec = 500000};
    struct timespec now;
    for (int i = 0; i < 40; i++) {
        (void)clock_gettime(CLOCK_REALTIME_COARSE, &now);
        if (!has_stamp(before, &now))
            return;
        (void)nanosleep(&pause, NULL);
    }
}

// What the files of path, which may be a pattern, are like now. Waits for the next tick
// of the kernel's clock (at most 10 ms) where one was written in this one.
void files_note(struct files_before *before, const char *path)
{
    glob_t found;
    files_forget(before);
    before->unknown = !files_find(path, &found);
    if (found.gl_pathc > 0) {
        before->status = calloc(found.gl_pathc, sizeof *before->status);
        before->unknown = !before->status;
    }
    for (size_t i = 0; before->status && i < found.gl_pathc; i++)
        if (stat(found.gl_pathv[i], &before->status[before->count]) == 0)
            before->count++;
    globfree(&found);
    wait_for_tick(before);
}

// Whether the run wrote the file. That its time differs from before is asked,
// not that it is later than some clock of ours: a file server has another one.
static bool is_written(const struct files_before *before, const struct stat *now)
{
    for (size_t i = 0; i < before->count; i++) {
        const struct stat *old = &before->status[i];
        if (old->st_ino == now->st_ino && old->st_dev == now->st_dev &&
            old->st_size == now->st_size && is_same(&old->st_mtim, &now->st_mtim) &&
            is_same(&old->st_ctim, &now->st_ctim))
            return false;
    }
    return true;
}

// Opens a file that has to be a regular one, and written since. -1 with *why set to
// what is wrong with it: "was not written by this run".
int files_open(const struct files_before *before, const char *path, const char **why)
{
    struct stat status;
    // A FIFO must not hold us up.
    const int fd = file_above_stderr(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd < 0 || fstat(fd, &status) != 0)
        *why = strerror(errno);
    else if (!S_ISREG(status.st_mode))
        *why = "is no regular file";
    else if (before->unknown)
        *why = "no memory to know whether this run wrote it";
    else if (!is_written(before, &status))
        *why = "was not written by this run";
    else
        return fd;
    if (fd >= 0)
        (void)close(fd);
    return -1;
}
