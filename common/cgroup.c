#include "cgroup.h"

#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "file.h"
#include "machine.h"

// Which cgroups this process is in, and the tightest limit among them: the one
// that counts may be set anywhere from its own group up to the root of what is
// visible. Sources: Linux Documentation/admin-guide/cgroup-v2.rst and
// cgroup-v1/cgroups.rst; proc(5) mountinfo.

bool cgroup_read(const char *folder, const char *name, char *text, size_t size)
{
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", folder, name) >= (int)sizeof path)
        return false;
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    const bool read = fgets(text, (int)size, file) != NULL;
    fclose(file);
    return read;
}

// Whether the comma-separated list has the word.
static bool lists(const char *list, const char *word)
{
    const size_t length = strlen(word);
    while (list) {
        if (strncmp(list, word, length) == 0 && (list[length] == ',' || list[length] == '\0'))
            return true;
        list = strchr(list, ',');
        list = !list ? NULL : list + 1;
    }
    return false;
}

// Path of a process (0: this one) in the hierarchy of `controller` ("": v2), from lines
// such as "3:cpu,cpuacct:/a/b" and "0::/a/b".
static bool path_of(pid_t process, const char *controller, char *path, size_t size)
{
    char text[PATH_MAX + 256], file_path[PATH_MAX], inner[64] = "/proc/self/cgroup";
    bool found = false;
    if (process != 0)
        snprintf(inner, sizeof inner, "/proc/%ld/cgroup", (long)process);
    FILE *file = fopen(machine_path(inner, file_path), "re");
    if (!file)
        return false;
    while (!found && fgets(text, sizeof text, file)) {
        text[strcspn(text, "\n")] = '\0';
        char *names = strchr(text, ':');
        char *where = !names ? NULL : strchr(names + 1, ':');
        if (!where)
            continue;
        *where++ = '\0';
        found = controller[0] == '\0' ? names[1] == '\0' : lists(names + 1, controller);
        if (found)
            snprintf(path, size, "%s", where);
    }
    fclose(file);
    return found;
}

// Mount point of a hierarchy, and which folder of it is mounted there.
static bool find_mount(const char *controller, char *mount, char *root)
{
    char text[2 * PATH_MAX + 512], file_path[PATH_MAX];
    bool found = false;
    FILE *file = fopen(machine_path("/proc/self/mountinfo", file_path), "re");
    if (!file)
        return false;
    while (!found && fgets(text, sizeof text, file)) {
        char type[64], options[1024];
        const char *rest = strstr(text, " - ");
        if (!rest || sscanf(text, "%*s %*s %*s %4095s %4095s", root, mount) != 2 ||
            sscanf(rest, " - %63s %*s %1023s", type, options) != 2)
            continue;
        found = controller[0] == '\0' ? strcmp(type, "cgroup2") == 0
                                      : strcmp(type, "cgroup") == 0 && lists(options, controller);
    }
    fclose(file);
    return found;
}

// The top of what is visible of a hierarchy, and the process's folder in it.
static bool find_of(pid_t process, const char *controller, char top[PATH_MAX],
                    char folder[CGROUP_PATH])
{
    char mount[PATH_MAX], root[PATH_MAX], path[PATH_MAX];
    if (!find_mount(controller, mount, root) || !path_of(process, controller, path, sizeof path))
        return false;
    // In a container the path may be given from the host's root while only a
    // part of it is mounted.
    const size_t skip = strcmp(root, "/") == 0 ? 0 : strlen(root);
    const bool below = skip > 0 && strncmp(path, root, skip) == 0;
    machine_path(mount, top);
    snprintf(folder, CGROUP_PATH, "%s%s", top, below ? path + skip : skip > 0 ? "" : path);
    return true;
}

static bool find_own(const char *controller, char top[PATH_MAX], char folder[CGROUP_PATH])
{
    return find_of(0, controller, top, folder);
}

bool cgroup_own(const char *controller, char folder[CGROUP_PATH])
{
    char top[PATH_MAX];
    folder[0] = '\0';
    return find_own(controller, top, folder);
}

bool cgroup_of(pid_t process, const char *controller, char folder[CGROUP_PATH])
{
    char top[PATH_MAX];
    folder[0] = '\0';
    return find_of(process, controller, top, folder);
}

bool cgroup_shares_cpus(char folder[CGROUP_PATH])
{
    char top[PATH_MAX], text[64];
    if (find_own("cpu", top, folder) && strncmp(folder + strlen(top), "/", sizeof "/") != 0)
        return true;
    // In v2 a group without the controller has no share of its own: it is in that of its parent.
    for (bool found = find_own("", top, folder); found && strlen(folder) > strlen(top);
         *strrchr(folder, '/') = '\0')
        if (cgroup_read(folder, "cpu.weight", text, sizeof text))
            return true;
    folder[0] = '\0';
    return false;
}

// To the folder above; false at the top.
static bool climb(char *folder, const char *top)
{
    char *slash = strrchr(folder, '/');
    if (!slash || (size_t)(slash - folder) < strlen(top))
        return false;
    *slash = '\0';
    return true;
}

double cgroup_tightest(const char *controller, cgroup_limit *limit_of)
{
    char top[PATH_MAX], folder[CGROUP_PATH];
    double limit = INFINITY;
    if (!find_own(controller, top, folder))
        return INFINITY;
    do
        limit = fmin(limit, limit_of(folder));
    while (climb(folder, top));
    return limit;
}

bool cgroup_nearest(const char *controller, cgroup_limit *limit_of, char folder[CGROUP_PATH])
{
    char top[PATH_MAX];
    folder[0] = '\0';
    if (!find_own(controller, top, folder))
        return false;
    do
        if (isfinite(limit_of(folder)))
            return true;
    while (climb(folder, top));
    folder[0] = '\0';
    return false;
}

// The CPU bandwidth that cgroups leave to this process. Sources: Linux
// Documentation/admin-guide/cgroup-v2.rst (cpu.max) and
// Documentation/scheduler/sched-bwc.rst (cpu.cfs_quota_us), and both of cpu.stat.

static double read_quota_v2(const char *folder)
{
    char text[128];
    double quota, period;
    if (!cgroup_read(folder, "cpu.max", text, sizeof text) ||
        sscanf(text, "%lf %lf", &quota, &period) != 2 || period <= 0)
        return INFINITY; // absent, or "max 100000"
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
        return file_number(text, "throttled_time ", throttled_ns); // of v1
    *throttled_ns = throttled_us * 1000;
    return true;
}

bool cgroup_above(unsigned above, char folder[CGROUP_PATH])
{
    char top[PATH_MAX];
    bool found = find_own("", top, folder);
    while (found && above-- > 0)
        found = climb(folder, top);
    return found;
}

// Whether the words of the folder's file have that one.
static bool has_word(const char *folder, const char *name, const char *word)
{
    char text[1024], *rest = NULL;
    if (!cgroup_read(folder, name, text, sizeof text))
        return false;
    for (char *at = strtok_r(text, " \n", &rest); at; at = strtok_r(NULL, " \n", &rest))
        if (strcmp(at, word) == 0)
            return true;
    return false;
}

static bool has_limit(const char *folder)
{
    char text[64];
    return isfinite(read_quota_v2(folder)) ||
           (cgroup_read(folder, "memory.max", text, sizeof text) && strncmp(text, "max", 3) != 0);
}

enum cgroup_delegation cgroup_delegated(const char *controller, char folder[CGROUP_PATH])
{
    bool limited = false;
    for (unsigned above = 0; cgroup_above(above, folder); above++) {
        if (has_word(folder, "cgroup.subtree_control", controller) && access(folder, W_OK) == 0)
            return limited ? CGROUP_LIMITED : CGROUP_DELEGATED;
        limited = limited || has_limit(folder);
    }
    return CGROUP_NOT_DELEGATED;
}
