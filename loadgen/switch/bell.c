#include "switch/bell.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

const char *const bell_method_names[] = {"futex", "eventfd", "pipe", NULL};

static int futex_open(struct bell *bell)
{
    *bell = (struct bell){.read_fd = -1, .write_fd = -1};
    return 0;
}

static int futex_ring(struct bell *bell)
{
    atomic_store(&bell->rung, 1);
    return syscall(SYS_futex, &bell->rung, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0) < 0 ? -1 : 0;
}

static int futex_wait(struct bell *bell)
{
    while (atomic_exchange(&bell->rung, 0) == 0)
        if (syscall(SYS_futex, &bell->rung, FUTEX_WAIT_PRIVATE, 0, NULL, NULL, 0) != 0 &&
            errno != EAGAIN && errno != EINTR)
            return -1;
    return 0;
}

static int eventfd_open(struct bell *bell)
{
    const int fd = eventfd(0, EFD_CLOEXEC);
    *bell = (struct bell){.read_fd = fd, .write_fd = fd};
    return fd < 0 ? -1 : 0;
}

static int pipe_open(struct bell *bell)
{
    int fds[2];
    *bell = (struct bell){.read_fd = -1, .write_fd = -1};
    if (pipe2(fds, O_CLOEXEC) != 0)
        return -1;
    bell->read_fd = fds[0];
    bell->write_fd = fds[1];
    return 0;
}

/* An eventfd takes and gives 8 bytes; a pipe as many as it is given. */
static int fd_ring(struct bell *bell)
{
    const uint64_t one = 1;
    return write(bell->write_fd, &one, sizeof one) == (ssize_t)sizeof one ? 0 : -1;
}

static int fd_wait(struct bell *bell)
{
    uint64_t value;
    ssize_t length;
    do
        length = read(bell->read_fd, &value, sizeof value);
    while (length < 0 && errno == EINTR);
    return length == (ssize_t)sizeof value ? 0 : -1;
}

const struct bell_method bell_methods[] = {
    {.open = futex_open, .ring = futex_ring, .wait = futex_wait},
    {.open = eventfd_open, .ring = fd_ring, .wait = fd_wait},
    {.open = pipe_open, .ring = fd_ring, .wait = fd_wait},
};

void bell_close(struct bell *bell)
{
    if (bell->read_fd >= 0)
        close(bell->read_fd);
    if (bell->write_fd >= 0 && bell->write_fd != bell->read_fd)
        close(bell->write_fd);
    bell->read_fd = bell->write_fd = -1;
}
