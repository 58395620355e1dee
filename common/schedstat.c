// Reads what the scheduler counts for a thread.
#include "common/schedstat.h"

#include "common/file.h"

#include <inttypes.h>
#include <stdio.h>

bool schedstat_read(int fd, struct schedstat *schedstat)
{
    char text[96];
    int64_t slices;
    return file_read_open(fd, text, sizeof text) &&
           sscanf(text, "%" SCNd64 " %" SCNd64 " %" SCNd64, &schedstat->run_ns,
                  &schedstat->delay_ns, &slices) == 3 &&
           slices > 0;
}
