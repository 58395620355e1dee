/* The CPU bandwidth that cgroups leave to this process. Sources: Linux
 * Documentation/admin-guide/cgroup-v2.rst (cpu.max) and
 * Documentation/scheduler/sched-bwc.rst (cpu.cfs_quota_us), and both of cpu.stat. */

#include "common/cgroup.h"
#include "common/cpus.h"
#include "common/file.h"

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static double read_quota_v2(const char *folder)
{
    char text[128];
    double quota, period;
    if (!cgroup_read(folder, "cpu.max", text, sizeof text) ||
        sscanf(text, "%lf %lf", &quota, &period) != 2 || period <= 0)
        return INFINITY; /* absent, or "max 100000" */
    return quota / period;
}

static double read_quota_v1(const char *folder)
{
    char quota_text[64], period_text[64];
    if (!cgroup_read(folder, "cpu.cfs_quota_us", quota_text, sizeof quota_text) ||
        !cgroup_read(folder, "cpu.cfs_period_us", period_text, sizeof period_text))
        return INFINITY;
    const double quota = strtod(quota_text, NULL), period = strtod(period_text, NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

double cpus_quota(void)
{
    return fmin(cgroup_tightest("", read_quota_v2), cgroup_tightest("cpu", read_quota_v1));
}

int cpus_throttled_open(void)
{
    char folder[CGROUP_PATH], path[CGROUP_PATH + sizeof "/cpu.stat"];
    if (!cgroup_nearest("", read_quota_v2, folder) && !cgroup_nearest("cpu", read_quota_v1, folder))
        return -1;
    (void)snprintf(path, sizeof path, "%s/cpu.stat", folder);
    return open(path, O_RDONLY | O_CLOEXEC);
}

bool cpus_throttled_ns(int fd, uint64_t *throttled_ns)
{
    char text[1024];
    uint64_t throttled_us;
    if (fd < 0 || !file_read_open(fd, text, sizeof text))
        return false;
    if (!file_number(text, "throttled_usec ", &throttled_us))
        return file_number(text, "throttled_time ", throttled_ns); /* of v1 */
    *throttled_ns = throttled_us * 1000;
    return true;
}
