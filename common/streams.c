#include "common/streams.h"

#include "common/messages.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static bool reader_is_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};
    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* At exit(). Why an earlier write failed nobody knows any more. */
static void close_stdout(void)
{
    const bool failed = ferror(stdout) != 0;
    errno = 0;
    if (fflush(stdout) == 0 && !failed)
        return;
    if (!reader_is_gone())
        complain("cannot write to stdout: %s: the output is incomplete",
                 errno != 0 ? strerror(errno) : "is the disk full?");
    _exit(1);
}

/* The lowest free number is given: in this order it is the one that is closed. */
static bool fill(int fd)
{
    if (fcntl(fd, F_GETFD) != -1 || errno != EBADF)
        return true;
    return open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) == fd;
}

void streams_open(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (!fill(fd))
            _exit(1); /* there may be no stderr to say so */
    if (atexit(close_stdout) != 0)
        _exit(1);
}
