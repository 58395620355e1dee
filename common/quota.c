/* The CPU bandwidth that cgroups leave to this process. Sources: Linux
 * Documentation/admin-guide/cgroup-v2.rst (cpu.max) and
 * Documentation/scheduler/sched-bwc.rst (cpu.cfs_quota_us). */

#include "common/cgroup.h"
#include "common/cpus.h"

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
