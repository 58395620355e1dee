#include "schedstat.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

int schedstat_open(pid_t pid)
{
    char path[64];
    if (pid == 0)
        return open("/proc/self/schedstat", O_RDONLY | O_CLOEXEC);
    (void)snprintf(path, sizeof path, "/proc/%ld/schedstat", (long)pid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool schedstat_read(int fd, struct schedstat *schedstat)
{
    char text[96];
    const ssize_t length = fd < 0 ? -1 : pread(fd, text, sizeof text - 1, 0);
    if (length <= 0)
        return false;
    text[length] = '\0';
    int64_t slices;
    return sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64, &schedstat->run_ns,
                  &schedstat->delay_ns, &slices) == 3 &&
           slices > 0;
}

bool schedstat_of(pid_t pid, struct schedstat *schedstat)
{
    const int fd = schedstat_open(pid);
    const bool known = schedstat_read(fd, schedstat);
    if (fd >= 0)
        (void)close(fd);
    return known;
}
