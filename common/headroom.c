#include "common/headroom.h"

#include "common/cgroup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* cgroup v1 writes a large number for "no limit". */
#define NO_LIMIT_BYTES 1e18

#define LEFT_FRACTION 0.05 /* of what is available, for the others */

/* Pages of files, in memory.stat of a group with those below it. */
static const char *const files_v1[] = {"total_active_file", "total_inactive_file", NULL};
static const char *const files_v2[] = {"active_file", "inactive_file", NULL};

/* The sum of the numbers behind any of these words in a file of "NAME NUMBER ..."
 * lines, each in bytes or (as /proc/meminfo) "kB". NAN: none of them is there. */
static double sum_of(const char *path, const char *const *names)
{
    char text[256];
    double sum = NAN;
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(text, sizeof text, file) != NULL) {
        for (const char *const *name = names; *name != NULL; name++) {
            const char *at = strstr(text, *name);
            if (at == NULL || (at != text && at[-1] != ' '))
                continue;
            at += strlen(*name);
            if (*at != ' ' && *at != ':')
                continue;
            const double value = strtod(at + 1, NULL) * (strstr(at, " kB") != NULL ? 1024 : 1);
            sum = isnan(sum) ? value : sum + value;
        }
    }
    if (file != NULL)
        fclose(file);
    return sum;
}

static double number_in(const char *folder, const char *name)
{
    char text[64], *end;
    if (!cgroup_read(folder, name, text, sizeof text))
        return INFINITY;
    const double value = strtod(text, &end);
    return end == text ? INFINITY : value; /* "max" */
}

/* What is left below a limit: page cache is given back when memory is short. */
static double left_below(const char *folder, double limit, const char *usage,
                         const char *const *reclaimable)
{
    char path[4096 + 16];
    if (isinf(limit))
        return INFINITY;
    const double used = number_in(folder, usage);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    const double cache = sum_of(path, reclaimable);
    const double left = limit - (isinf(used) ? 0 : used) + (isnan(cache) ? 0 : cache);
    return fmax(fmin(left, limit), 0);
}

static double left_v1(const char *folder)
{
    return left_below(folder, number_in(folder, "memory.limit_in_bytes"), "memory.usage_in_bytes",
                      files_v1);
}

/* Above memory.high a group is slowed down without end: as good as a limit. */
static double left_v2(const char *folder)
{
    const double limit = fmin(number_in(folder, "memory.max"), number_in(folder, "memory.high"));
    return left_below(folder, limit, "memory.current", files_v2);
}

static double left_on_node(int node)
{
    static const char *const free_there[] = {"MemFree", "Active(file)", "Inactive(file)", NULL};
    char path[96];
    if (node < 0)
        return INFINITY;
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/meminfo", node);
    const double left = sum_of(path, free_there);
    return isnan(left) ? INFINITY : left;
}

struct headroom headroom_left(int node)
{
    static const char *const available[] = {"MemAvailable", NULL};
    const double machine = sum_of("/proc/meminfo", available);
    const double group = fmin(cgroup_tightest("", left_v2), cgroup_tightest("memory", left_v1));
    const double there = left_on_node(node);
    const double least = fmin(fmin(isnan(machine) ? INFINITY : machine, group), there);
    return (struct headroom){
        .bytes = least < 1e18 ? (uint64_t)(least * (1 - LEFT_FRACTION)) : (uint64_t)1e18,
        .whose = least == group   ? "the cgroup"
                 : least == there ? "the NUMA node"
                                  : "this machine",
    };
}

/* ---- page cache ---- */

static double limit_v1(const char *folder)
{
    const double limit = number_in(folder, "memory.limit_in_bytes");
    return limit < NO_LIMIT_BYTES ? limit : INFINITY;
}

static double limit_v2(const char *folder)
{
    return fmin(number_in(folder, "memory.max"), number_in(folder, "memory.high"));
}

/* Of groups with a limit; INFINITY: this is none. */
static double unused_v1(const char *folder)
{
    const double limit = limit_v1(folder);
    return isinf(limit) ? limit : fmax(limit - number_in(folder, "memory.usage_in_bytes"), 0);
}

static double unused_v2(const char *folder)
{
    const double limit = limit_v2(folder);
    return isinf(limit) ? limit : fmax(limit - number_in(folder, "memory.current"), 0);
}

static double cached_in(const char *folder, const char *const *names)
{
    char path[4096 + 16];
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    const double cached = sum_of(path, names);
    return isnan(cached) ? 0 : cached;
}

static double cached_v1(const char *folder)
{
    return isinf(limit_v1(folder)) ? INFINITY : cached_in(folder, files_v1);
}

static double cached_v2(const char *folder)
{
    return isinf(limit_v2(folder)) ? INFINITY : cached_in(folder, files_v2);
}

struct cache_room cache_room(void)
{
    static const char *const total[] = {"MemTotal", NULL};
    static const char *const unused[] = {"MemFree", NULL};
    static const char *const cached[] = {"Active(file)", "Inactive(file)", NULL};
    const double limit = fmin(cgroup_tightest("", limit_v2), cgroup_tightest("memory", limit_v1));
    const double machine = sum_of("/proc/meminfo", total);
    if (limit < machine)
        return (struct cache_room){
            .memory_bytes = limit,
            .free_bytes =
                fmin(cgroup_tightest("", unused_v2), cgroup_tightest("memory", unused_v1)),
            .cached_bytes =
                fmin(cgroup_tightest("", cached_v2), cgroup_tightest("memory", cached_v1)),
            .group = true,
        };
    return (struct cache_room){
        .memory_bytes = machine,
        .free_bytes = sum_of("/proc/meminfo", unused),
        .cached_bytes = sum_of("/proc/meminfo", cached),
    };
}

/* ---- out of memory ---- */

void headroom_volunteer(void)
{
    FILE *file = fopen("/proc/self/oom_score_adj", "we");
    if (file == NULL)
        return; /* then it is as likely as any other */
    fputs("1000\n", file);
    fclose(file);
}
