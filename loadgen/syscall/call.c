#include "syscall/call.h"

#include <stddef.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

const char *const call_names[] = {"getppid", "clock_gettime", "read", "write", "stat", NULL};

static bool make_getppid(int fd, uint64_t times)
{
    (void)fd;
    while (times-- > 0)
        if (syscall(SYS_getppid) < 0)
            return false;
    return true;
}

/* By number: the C library's never enters the kernel. */
static bool make_clock_gettime(int fd, uint64_t times)
{
    struct timespec now;
    (void)fd;
    while (times-- > 0)
        if (syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &now) != 0)
            return false;
    return true;
}

static bool make_read(int fd, uint64_t times)
{
    char byte;
    while (times-- > 0)
        if (read(fd, &byte, 1) != 1)
            return false;
    return true;
}

static bool make_write(int fd, uint64_t times)
{
    const char byte = 0;
    while (times-- > 0)
        if (write(fd, &byte, 1) != 1)
            return false;
    return true;
}

static bool make_stat(int fd, uint64_t times)
{
    struct stat status;
    (void)fd;
    while (times-- > 0)
        if (stat("/", &status) != 0)
            return false;
    return true;
}

const struct call calls[] = {
    {.make = make_getppid},
    {.make = make_clock_gettime},
    {.file = "/dev/zero", .make = make_read, .counted = "syscr"},
    {.file = "/dev/null", .make = make_write, .counted = "syscw"},
    {.make = make_stat},
};
