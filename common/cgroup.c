// Finds the control groups that this process is in, and what they limit: CPUs, memory,
// processes.
#include "common/cgroup.h"

#include "common/cpus.h"
#include "common/file.h"
#include "common/machine.h"
#include "common/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// Which cgroups this process is in, and the tightest limit among them: the one
// that counts may be set anywhere from its own group up to the root of what is
// visible. Sources: Linux Documentation/admin-guide/cgroup-v2.rst and
// cgroup-v1/cgroups.rst; proc(5) mountinfo.

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
    char text[PATH_MAX + 256], file_path[PATH_MAX];
    bool found = false;
    FILE *file = fopen(process_path(process, "cgroup", file_path), "re");
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

bool cgroup_of(pid_t process, const char *controller, char folder[CGROUP_PATH])
{
    char top[PATH_MAX];
    folder[0] = '\0';
    return find_of(process, controller, top, folder);
}

bool cgroup_top(const char *controller, char top[PATH_MAX])
{
    char mount[PATH_MAX], root[PATH_MAX];
    top[0] = '\0';
    if (!find_mount(controller, mount, root))
        return false;
    machine_path(mount, top);
    return true;
}

bool cgroup_shares_cpus(char folder[CGROUP_PATH])
{
    char top[PATH_MAX], text[64];
    if (find_of(0, "cpu", top, folder) && strncmp(folder + strlen(top), "/", sizeof "/") != 0)
        return true;
    // In v2 a group without the controller has no share of its own: it is in that of its parent.
    for (bool found = find_of(0, "", top, folder); found && strlen(folder) > strlen(top);
         *strrchr(folder, '/') = '\0')
        if (file_read_in(folder, "cpu.weight", text, sizeof text))
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

// The limit that one folder of a hierarchy sets; INFINITY: none.
typedef double cgroup_limit(const char *folder);

// The tightest of the limits from the own group up to the root of what is
// visible; controller "" means cgroup v2. INFINITY: none, or no such hierarchy.
static double cgroup_tightest(const char *controller, cgroup_limit *limit_of)
{
    char top[PATH_MAX], folder[CGROUP_PATH];
    double limit = INFINITY;
    if (!find_of(0, controller, top, folder))
        return INFINITY;
    do
        limit = fmin(limit, limit_of(folder));
    while (climb(folder, top));
    return limit;
}

// The first folder from the own group up that sets such a limit. False, and "": none does.
static bool cgroup_nearest(const char *controller, cgroup_limit *limit_of, char folder[CGROUP_PATH])
{
    char top[PATH_MAX];
    folder[0] = '\0';
    if (!find_of(0, controller, top, folder))
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
    if (!file_read_in(folder, "cpu.max", text, sizeof text) ||
        sscanf(text, "%lf %lf", &quota, &period) != 2 || period <= 0)
        return INFINITY; // absent, or "max 100000"
    return quota / period;
}

static double read_quota_v1(const char *folder)
{
    char quota_text[64], period_text[64];
    if (!file_read_in(folder, "cpu.cfs_quota_us", quota_text, sizeof quota_text) ||
        !file_read_in(folder, "cpu.cfs_period_us", period_text, sizeof period_text))
        return INFINITY;
    const double quota = strtod(quota_text, NULL), period = strtod(period_text, NULL);
    return quota > 0 && period > 0 ? quota / period : INFINITY;
}

static double read_pids(const char *folder)
{
    char text[64];
    uint64_t most;
    return file_read_in(folder, "pids.max", text, sizeof text) && file_number(text, "", &most)
               ? (double)most
               : INFINITY; // absent, or "max"
}

const char *limits_why(int error, char *text, size_t size)
{
    struct rlimit limit;
    const double pids = fmin(cgroup_tightest("", read_pids), cgroup_tightest("pids", read_pids));
    size_t length = (size_t)snprintf(text, size, "%s", strerror(error));
    if (error == EAGAIN && isfinite(pids) && length < size)
        length +=
            (size_t)snprintf(text + length, size - length,
                             ": the cgroup allows %.0f processes and threads (pids.max)", pids);
    // Root is not held by its own.
    if (error == EAGAIN && geteuid() != 0 && length < size &&
        getrlimit(RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        length += (size_t)snprintf(text + length, size - length, "%s %llu (ulimit -u)",
                                   isfinite(pids) ? ", the user" : ": the user may have",
                                   (unsigned long long)limit.rlim_cur);
    if (error == EMFILE && length < size && getrlimit(RLIMIT_NOFILE, &limit) == 0)
        (void)snprintf(text + length, size - length, ": raise ulimit -n, which is %llu",
                       (unsigned long long)limit.rlim_cur);
    return text;
}

int cgroup_kills_open_at(int folder_fd)
{
    const int fd = openat(folder_fd, "memory.events", O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fd : openat(folder_fd, "memory.oom_control", O_RDONLY | O_CLOEXEC);
}

static int open_kills(const char *folder)
{
    const int folder_fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (folder_fd < 0)
        return -1;
    const int fd = cgroup_kills_open_at(folder_fd);
    (void)close(folder_fd);
    return fd;
}

int cgroup_kills_open(void)
{
    char top[PATH_MAX], folder[CGROUP_PATH];
    int fd = -1;
    if (find_of(0, "", top, folder))
        do
            fd = open_kills(folder);
        while (fd < 0 && climb(folder, top));
    return fd < 0 && find_of(0, "memory", top, folder) ? open_kills(folder) : fd;
}

bool cgroup_kills(int fd, uint64_t *kills)
{
    char text[1024];
    return fd >= 0 && file_read_open(fd, text, sizeof text) &&
           file_number(text, "oom_kill ", kills);
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
    bool found = find_of(0, "", top, folder);
    while (found && above-- > 0)
        found = climb(folder, top);
    return found;
}

// Whether the words of the folder's file have that one.
static bool has_word(const char *folder, const char *name, const char *word)
{
    char text[1024], *rest = NULL;
    if (!file_read_in(folder, name, text, sizeof text))
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
           (file_read_in(folder, "memory.max", text, sizeof text) && strncmp(text, "max", 3) != 0);
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

// cgroup v1 writes a large number for "no limit".
#define NO_LIMIT_BYTES 1e18

// Kept back for the others: so much of what is available, and no less than twice what is
// left when memory counts as short.
#define KEPT_FRACTION 0.05
// Memory is short when less than this is left below a limit: page cache is thrown away by
// then, and what comes next is the OOM killer.
#define SHORT_FRACTION 0.02
#define SHORT_BYTES    (512.0 * 1048576)

// The sum of the numbers behind any of these words in a file of "NAME NUMBER ..."
// lines, each in bytes or (as /proc/meminfo) "kB". NAN: none of them is there.
static double sum_of(const char *path, const char *const *names)
{
    char text[256];
    double sum = NAN;
    FILE *file = fopen(path, "re");
    while (file && fgets(text, sizeof text, file)) {
        for (const char *const *name = names; *name; name++) {
            const char *at = strstr(text, *name);
            if (!at || (at != text && at[-1] != ' '))
                continue;
            at += strlen(*name);
            if (*at != ' ' && *at != ':')
                continue;
            const double value = strtod(at + 1, NULL) * (strstr(at, " kB") ? 1024 : 1);
            sum = isnan(sum) ? value : sum + value;
        }
    }
    if (file)
        fclose(file);
    return sum;
}

static double number_in_file(const char *folder, const char *name)
{
    char text[64], *end;
    if (!file_read_in(folder, name, text, sizeof text))
        return INFINITY;
    const double value = strtod(text, &end);
    return end == text ? INFINITY : value; // "max"
}

// What a limit leaves, in bytes; all INFINITY: there is no limit.
struct room {
    double limit, left;
    double usable; // of what is left
    double slack;  // negative: memory is short
    double unused; // of a group: without what page cache would give back
    double cached; // of a group: that page cache
};

static const struct room no_limit = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};

static double short_below(double limit)
{
    return fmin(limit * SHORT_FRACTION, SHORT_BYTES);
}

static struct room room_of(double limit, double left)
{
    const double kept = fmax(left * KEPT_FRACTION, 2 * short_below(limit));
    return (struct room){.limit = limit,
                         .left = left,
                         .usable = fmax(left - kept, 0),
                         .slack = left - short_below(limit)};
}

// By which files a version of cgroups tells a group's memory.
struct memory_files {
    const char *controller, *usage, *limit;
    const char *high;           // above it a group is slowed down without end: as good as a limit
    const char *const pages[3]; // of files, in memory.stat, with those of the groups below
};

static const struct memory_files versions[] = {
    {"memory",
     "memory.usage_in_bytes",
     "memory.limit_in_bytes",
     NULL,
     {"total_active_file", "total_inactive_file", NULL}},
    {"", "memory.current", "memory.max", "memory.high", {"active_file", "inactive_file", NULL}},
};

static struct room room_in(const char *folder, const struct memory_files *files)
{
    char path[CGROUP_PATH + sizeof "/memory.stat"];
    const double limit = fmin(number_in_file(folder, files->limit),
                              files->high ? number_in_file(folder, files->high) : INFINITY);
    if (limit >= NO_LIMIT_BYTES)
        return no_limit;
    const double used = number_in_file(folder, files->usage);
    snprintf(path, sizeof path, "%s/memory.stat", folder);
    const double pages = sum_of(path, files->pages), cached = isnan(pages) ? 0 : pages;
    // Page cache is given back when memory is short.
    const double left = limit - (isinf(used) ? 0 : used) + cached;
    struct room room = room_of(limit, fmax(fmin(left, limit), 0));
    room.unused = fmax(limit - used, 0);
    room.cached = cached;
    return room;
}

// The least of each among all groups that this process is in.
static struct room room_of_groups(void)
{
    struct room least = no_limit;
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        char top[PATH_MAX], folder[CGROUP_PATH];
        if (!find_of(0, versions[i].controller, top, folder))
            continue;
        do {
            const struct room room = room_in(folder, &versions[i]);
            least.limit = fmin(least.limit, room.limit);
            least.left = fmin(least.left, room.left);
            least.usable = fmin(least.usable, room.usable);
            least.slack = fmin(least.slack, room.slack);
            least.unused = fmin(least.unused, room.unused);
            least.cached = fmin(least.cached, room.cached);
        } while (climb(folder, top));
    }
    return least;
}

static const char meminfo[] = "/proc/meminfo";
static const char *const all_memory[] = {"MemTotal", NULL};

static struct room room_by(const char *path, const char *const *available)
{
    const double limit = sum_of(path, all_memory), left = sum_of(path, available);
    return isnan(limit) || isnan(left) ? no_limit : room_of(limit, left);
}

static struct room room_of_machine(void)
{
    static const char *const available[] = {"MemAvailable", NULL};
    return room_by(meminfo, available);
}

static struct room room_of_node(int node)
{
    static const char *const free_there[] = {"MemFree", "Active(file)", "Inactive(file)", NULL};
    char path[96];
    snprintf(path, sizeof path, "/sys/devices/system/node/node%d/meminfo", node);
    return node < 0 ? no_limit : room_by(path, free_there);
}

struct headroom headroom_left(int node)
{
    const double machine = room_of_machine().usable, there = room_of_node(node).usable;
    const double group = room_of_groups().usable;
    const double least = fmin(fmin(machine, group), there);
    return (struct headroom){
        .bytes = least < NO_LIMIT_BYTES ? (uint64_t)least : (uint64_t)NO_LIMIT_BYTES,
        .whose = least == group   ? "the cgroup"
                 : least == there ? "the NUMA node"
                                  : "this machine",
    };
}

double headroom_slack(struct headroom *left)
{
    const struct room machine = room_of_machine(), groups = room_of_groups();
    const bool group = groups.slack < machine.slack;
    const struct room *least = group ? &groups : &machine;
    if (least->slack < 0) {
        left->whose = group ? "the cgroup" : "this machine";
        left->bytes = (uint64_t)least->left;
    }
    return least->slack;
}

double headroom_short_bytes(void)
{
    return short_below(fmin(room_of_groups().limit, room_of_machine().limit));
}

// ---- limits of this process (getrlimit(2)) ----

// What it has mapped now, in bytes, by a field of /proc/self/statm; 0: unknown.
static double mapped_bytes(int resource)
{
    unsigned long long size, resident, shared, text, library, data;
    FILE *file = fopen("/proc/self/statm", "re");
    const bool read = file && fscanf(file, "%llu %llu %llu %llu %llu %llu", &size, &resident,
                                     &shared, &text, &library, &data) == 6;
    if (file)
        fclose(file);
    if (!read)
        return 0;
    return (double)(resource == RLIMIT_AS ? size : data) * (double)sysconf(_SC_PAGESIZE);
}

static double left_of(int resource)
{
    struct rlimit limit;
    if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
        return INFINITY;
    return fmax((double)limit.rlim_cur - mapped_bytes(resource), 0);
}

struct headroom headroom_of_process(void)
{
    const double address = left_of(RLIMIT_AS), data = left_of(RLIMIT_DATA);
    const double least = fmin(address, data);
    return (struct headroom){
        .bytes = least < NO_LIMIT_BYTES ? (uint64_t)least : (uint64_t)NO_LIMIT_BYTES,
        .whose = least == address ? "the limit of address space (ulimit -v)"
                                  : "the limit of data (ulimit -d)",
    };
}

// ---- page cache ----

struct cache_room cache_room(void)
{
    static const char *const unused[] = {"MemFree", NULL};
    static const char *const cached[] = {"Active(file)", "Inactive(file)", NULL};
    const struct room groups = room_of_groups();
    const double machine = sum_of(meminfo, all_memory);
    if (groups.limit < machine)
        return (struct cache_room){.memory_bytes = groups.limit,
                                   .free_bytes = groups.unused,
                                   .cached_bytes = groups.cached,
                                   .group = true};
    return (struct cache_room){.memory_bytes = machine,
                               .free_bytes = sum_of(meminfo, unused),
                               .cached_bytes = sum_of(meminfo, cached)};
}

// ---- out of memory ----

void headroom_volunteer(void)
{
    FILE *file = fopen("/proc/self/oom_score_adj", "we");
    if (!file)
        return; // then it is as likely as any other
    fputs("1000\n", file);
    fclose(file);
}
