#include "neighbour/hold.h"

#include "common/file.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* One pipe: reading ends that signal, one for each member, and a plain one in front of them. */
struct wire {
    int writing;
    int *reading;
    size_t count;
};

static void close_all(int *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        (void)close(list[i]);
    free(list);
}

/* Another opening of the same end, which signals to `pid`; -1 with errno. */
static int open_signalling(int reading, pid_t pid)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", reading);
    const int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0 && fcntl(fd, F_SETOWN, pid) == 0 && fcntl(fd, F_SETSIG, SIGCONT) == 0 &&
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        return fd;
    const int error = errno;
    if (fd >= 0)
        (void)close(fd);
    errno = error;
    return -1;
}

static bool wire_open(struct wire *wire, const struct neighbour *neighbour)
{
    int ends[2];
    *wire = (struct wire){.writing = -1,
                          .reading = calloc(neighbour->count + 1, sizeof *wire->reading)};
    if (wire->reading == NULL || pipe2(ends, O_CLOEXEC) != 0)
        return false;
    wire->writing = ends[1];
    wire->reading[wire->count++] = ends[0];
    for (size_t i = 0; i < neighbour->count; i++) {
        const int fd = open_signalling(ends[0], neighbour->member[i].pid);
        if (fd < 0 && errno != ESRCH) /* it has just ended */
            return false;
        if (fd >= 0)
            wire->reading[wire->count++] = fd;
    }
    return true;
}

static void wire_close(struct wire *wire)
{
    const int error = errno;
    if (wire->writing >= 0)
        (void)close(wire->writing);
    close_all(wire->reading, wire->count);
    errno = error;
}

/* The guard's whole life: in a session of its own, so that no signal to ours reaches it. It needs
 * do nothing: that it is there, and ends when we do, is all. */
static _Noreturn void guard(struct wire *from_us, struct wire *to_us, const struct hold *before)
{
    char byte;
    sigset_t all;
    const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    sigfillset(&all);
    (void)sigprocmask(SIG_SETMASK, &all, NULL);
    (void)setsid();
    (void)prctl(PR_SET_NAME, "neighbour-guard");
    /* Who waits for the end of what we hold by accident would wait for ever. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        (void)dup2(nothing, fd);
    if (before->guard != 0)
        (void)close(before->alive);
    (void)close(from_us->writing);
    close_all(to_us->reading, to_us->count);
    while (read(from_us->reading[0], &byte, 1) < 0 && errno == EINTR)
        ;
    _exit(0);
}

/* *hold is that of before, and becomes the new one. */
static bool start(struct hold *hold, struct wire *to_guard, struct wire *from_guard,
                  const struct neighbour *neighbour)
{
    struct member *member = calloc(neighbour->count + 1, sizeof *member);
    const pid_t child = member == NULL ? -1 : fork();
    if (child == 0)
        guard(to_guard, from_guard, hold);
    if (child < 0) {
        free(member);
        return false;
    }
    memcpy(member, neighbour->member, neighbour->count * sizeof *member);
    (void)close(from_guard->writing);
    close_all(to_guard->reading, to_guard->count);
    *hold = (struct hold){.guard = child,
                          .alive = to_guard->writing,
                          .reading = from_guard->reading,
                          .count = from_guard->count,
                          .member = member,
                          .members = neighbour->count};
    return true;
}

bool hold_take(struct hold *hold, const struct neighbour *neighbour)
{
    struct wire to_guard = {.writing = -1}, from_guard = {.writing = -1};
    struct hold taken = *hold;
    if (!wire_open(&to_guard, neighbour) || !wire_open(&from_guard, neighbour) ||
        !start(&taken, &to_guard, &from_guard, neighbour)) {
        wire_close(&to_guard);
        wire_close(&from_guard);
        return false;
    }
    hold_release(hold);
    *hold = taken;
    return true;
}

bool hold_has(const struct hold *hold, const struct neighbour *neighbour)
{
    for (size_t i = 0; i < neighbour->count; i++) {
        bool has = false;
        for (size_t k = 0; k < hold->members && !has; k++)
            has = hold->member[k].pid == neighbour->member[i].pid &&
                  hold->member[k].started == neighbour->member[i].started;
        if (!has)
            return false;
    }
    return true;
}

int hold_descriptor(const struct hold *hold)
{
    return hold->guard == 0 ? -1 : hold->reading[0];
}

bool hold_is_there(const struct hold *hold)
{
    struct pollfd file = {.fd = hold_descriptor(hold), .events = POLLIN};
    return file.fd >= 0 && poll(&file, 1, 0) == 0;
}

void hold_release(struct hold *hold)
{
    if (hold->guard == 0)
        return;
    (void)close(hold->alive);
    while (waitpid(hold->guard, NULL, 0) < 0 && errno == EINTR)
        ;
    close_all(hold->reading, hold->count);
    free(hold->member);
    *hold = HOLD_OF_NONE;
}
