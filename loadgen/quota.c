/* The CPU bandwidth that cgroups leave to this process. The group that counts
 * may be any from its own up to the root of what is visible. Sources:
 * Linux Documentation/admin-guide/cgroup-v2.rst (cpu.max) and
 * Documentation/scheduler/sched-bwc.rst (cpu.cfs_quota_us); proc(5) mountinfo. */

#include "cpus.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Quota in CPUs that one folder of a hierarchy sets. */
typedef double read_quota(const char *folder);

static bool read_file(const char *folder, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return false;
    const bool read = fgets(text, (int)size, file) != NULL;
    fclose(file);
    return read;
}

static double read_quota_v2(const char *folder)
{
    char text[128];
    double quota, period;
    if (!read_file(folder, "cpu.max", text, sizeof text) ||
        sscanf(text, "%lf %lf", &quota, &period) != 2 || period <= 0)
        return INFINITY; /* absent, or "max 100000" */
    return quota / period;
}

static double read_quota_v1(const char *folder)
{
    char quota_text[64], period_text[64];
    if (!read_file(folder, "cpu.cfs_quota_us", quota_text, sizeof quota_text) ||
        !read_file(folder, "cpu.cfs_period_us", period_text, sizeof period_text))
        return INFINITY;
    const double quota = strtod(quota_text, NULL), period = strtod(period_text, NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

/* Whether the comma-separated list has the word. */
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    while (list != NULL) {
        if (strncmp(list, word, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
        list = strchr(list, ',');
        list = list == NULL ? NULL : list + 1;
    }
    return false;
}

/* Path of this process in the hierarchy of `controller` ("": v2), from lines
 * such as "3:cpu,cpuacct:/a/b" and "0::/a/b". */
static bool own_path(const char *controller, char *path, size_t size)
{
    char text[PATH_MAX + 256];
    bool found = false;
    FILE *file = fopen("/proc/self/cgroup", "re");
    if (file == NULL)
        return false;
    while (!found && fgets(text, sizeof text, file) != NULL) {
        text[strcspn(text, "\n")] = '\0';
        char *names = strchr(text, ':');
        char *where = names == NULL ? NULL : strchr(names + 1, ':');
        if (where == NULL)
            continue;
        *where++ = '\0';
        found = controller[0] == '\0' ? names[1] == '\0' : lists(names + 1, controller);
        if (found)
            snprintf(path, size, "%s", where);
    }
    fclose(file);
    return found;
}

/* Mount point of a hierarchy, and which folder of it is mounted there. */
static bool find_mount(const char *controller, char *mount, char *root)
{
    char text[2 * PATH_MAX + 512];
    bool found = false;
    FILE *file = fopen("/proc/self/mountinfo", "re");
    if (file == NULL)
        return false;
    while (!found && fgets(text, sizeof text, file) != NULL) {
        char type[64], options[1024];
        const char *rest = strstr(text, " - ");
        if (rest == NULL || sscanf(text, "%*s %*s %*s %4095s %4095s", root, mount) != 2 ||
            sscanf(rest, " - %63s %*s %1023s", type, options) != 2)
            continue;
        found = controller[0] == '\0' ? strcmp(type, "cgroup2") == 0
                                      : strcmp(type, "cgroup") == 0 && lists(options, controller);
    }
    fclose(file);
    return found;
}

static double tightest(const char *controller, read_quota *quota_of)
{
    char mount[PATH_MAX], root[PATH_MAX], path[PATH_MAX], folder[2 * PATH_MAX];
    double quota = INFINITY;
    if (!find_mount(controller, mount, root) || !own_path(controller, path, sizeof path))
        return INFINITY;
    /* In a container the path may be given from the host's root while only a
     * part of it is mounted. */
    const size_t skip = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const bool below = skip > 0 && strncmp(path, root, skip) == 0;
    snprintf(folder, sizeof folder, "%s%s", mount, below ? path + skip : skip > 0 ? "" : path);
    const size_t top = strlen(mount);
    for (;;) {
        quota = fmin(quota, quota_of(folder));
        char *slash = strrchr(folder, '/');
        if (slash == NULL || (size_t)(slash - folder) < top)
            return quota;
        *slash = '\0';
    }
}

double cpus_quota(void)
{
    return fmin(tightest("", read_quota_v2), tightest("cpu", read_quota_v1));
}
