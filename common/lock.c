// Locks files, by flock.
#include "common/lock.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define STEP_MS 20

// Not every answer of flock is about somebody else: a file system may have no locks
// (ENOSYS, EOPNOTSUPP, ENOLCK).
static enum lock_state try_lock(int file, bool shared)
{
    while (flock(file, (shared ? LOCK_SH : LOCK_EX) | LOCK_NB) != 0)
        if (errno != EINTR)
            return errno == EWOULDBLOCK ? LOCK_HELD : LOCK_IMPOSSIBLE;
    return LOCK_TAKEN;
}

enum lock_state lock_take(int file, bool shared, int wait_ms)
{
    const struct timespec step = {.tv_nsec = STEP_MS * 1000000L};
    enum lock_state state = try_lock(file, shared);
    for (int waited_ms = 0; state == LOCK_HELD && waited_ms < wait_ms; waited_ms += STEP_MS) {
        nanosleep(&step, NULL);
        state = try_lock(file, shared);
    }
    return state;
}

enum lock_state lock_wait(int file, bool shared)
{
    while (flock(file, shared ? LOCK_SH : LOCK_EX) != 0)
        if (errno != EINTR)
            return LOCK_IMPOSSIBLE;
    return LOCK_TAKEN;
}

bool lock_is_held(const char *path)
{
    const int file = file_open_regular(path, true);
    if (file < 0)
        return false;
    const bool held = try_lock(file, true) == LOCK_HELD;
    close(file);
    return held;
}

void lock_stamp(const char *path, char stamp[LOCK_STAMP_SIZE])
{
    struct stat status;
    stamp[0] = '\0';
    if (stat(path, &status) == 0)
        snprintf(stamp, LOCK_STAMP_SIZE, "%jx.%jx.%jd.%09ld", (uintmax_t)status.st_dev,
                 (uintmax_t)status.st_ino, (intmax_t)status.st_mtim.tv_sec, status.st_mtim.tv_nsec);
}
