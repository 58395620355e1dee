#include "schedstat.h"

#include "common/file.h"

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
    if (!file_read_open(fd, text, sizeof text))
        return false;
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
