// Finds a control group, of a path or of a Slurm job, and reads what the kernel has counted for it.

#include "control_group.h"

#include "common/file.h"
#include "common/machine.h"
#include "common/memory.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEEPEST 12 // levels of groups that are looked into

// ---- where it is ----

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

// The folder `inner` below the top of a hierarchy ("": v2) into folder; "": there is none.
static bool below_top(const char *controller, const char *inner, char folder[CGROUP_PATH])
{
    char top[PATH_MAX];
    folder[0] = '\0';
    if (!cgroup_top(controller, top))
        return false;
    snprintf(folder, CGROUP_PATH, "%s%s%s", top, *inner == '/' || *inner == '\0' ? "" : "/", inner);
    if (is_folder(folder))
        return true;
    folder[0] = '\0';
    return false;
}

static const char *const hierarchies[] = {"",        "cpuacct", "cpu",  "memory",      "blkio",
                                          "freezer", "cpuset",  "pids", "name=systemd"};
#define HIERARCHIES (sizeof hierarchies / sizeof *hierarchies)

// The other folders of a group that has that folder.
static bool complete(struct control_group *group, const char *folder)
{
    char top[PATH_MAX];
    *group = (struct control_group){0};
    snprintf(group->procs, sizeof group->procs, "%s", folder);
    if (!file_is_in(folder, "cgroup.procs", R_OK))
        return false;
    for (size_t i = 0; i < HIERARCHIES; i++) {
        const size_t length = cgroup_top(hierarchies[i], top) ? strlen(top) : 0;
        if (length == 0 || strncmp(folder, top, length) != 0 ||
            (folder[length] != '/' && folder[length] != '\0'))
            continue;
        group->v2 = i == 0;
        const char *inner = folder + length;
        (void)below_top(group->v2 ? "" : "cpuacct", inner, group->cpu);
        (void)below_top(group->v2 ? "" : "memory", inner, group->memory);
        (void)below_top(group->v2 ? "" : "blkio", inner, group->io);
        return true;
    }
    // Not below a top that is known, as in a test: cgroup v2 alone has all in one folder.
    group->v2 = true;
    snprintf(group->cpu, sizeof group->cpu, "%s", folder);
    snprintf(group->memory, sizeof group->memory, "%s", folder);
    snprintf(group->io, sizeof group->io, "%s", folder);
    return true;
}

bool control_group_find(struct control_group *group, const char *path)
{
    char folder[CGROUP_PATH];
    char *real = realpath(path, NULL);
    bool found = real && complete(group, real);
    free(real);
    for (size_t i = 0; i < HIERARCHIES && !found; i++)
        found = below_top(hierarchies[i], path, folder) && complete(group, folder);
    return found;
}

// Calls each() for a folder and all groups below it until it returns true.
static bool walk(const char *folder, int deep, bool (*each)(const char *folder, void *with),
                 void *with)
{
    char inner[CGROUP_PATH];
    if (each(folder, with))
        return true;
    DIR *open = deep < DEEPEST ? opendir(folder) : NULL;
    if (!open)
        return false;
    bool found = false;
    for (const struct dirent *entry; !found && (entry = readdir(open)) != NULL;)
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.' &&
            snprintf(inner, sizeof inner, "%s/%s", folder, entry->d_name) < (int)sizeof inner)
            found = walk(inner, deep + 1, each, with);
    closedir(open);
    return found;
}

struct search {
    char name[64]; // of the folder
    char folder[CGROUP_PATH];
};

static bool is_searched(const char *folder, void *with)
{
    struct search *search = with;
    const char *name = strrchr(folder, '/');
    if (!name || strcmp(name + 1, search->name) != 0)
        return false;
    snprintf(search->folder, sizeof search->folder, "%s", folder);
    return true;
}

bool control_group_find_job(struct control_group *group, const char *job)
{
    char top[PATH_MAX];
    struct search search;
    snprintf(search.name, sizeof search.name, "job_%.32s", job);
    for (size_t i = 0; i < HIERARCHIES; i++)
        if (cgroup_top(hierarchies[i], top) && walk(top, 0, is_searched, &search) &&
            complete(group, search.folder))
            return true;
    return false;
}

// ---- its processes ----

struct pids {
    size_t count, allocated;
    pid_t *item;
};

static bool add_pids(const char *folder, void *with)
{
    struct pids *pids = with;
    char path[CGROUP_PATH + 16];
    int pid;
    snprintf(path, sizeof path, "%s/cgroup.procs", folder);
    FILE *file = fopen(path, "re");
    while (file && fscanf(file, "%d", &pid) == 1)
        MORE(pids) = pid;
    if (file)
        fclose(file);
    return false;
}

static int by_number(const void *a, const void *b)
{
    const pid_t *one = a, *other = b;
    return (*one > *other) - (*one < *other);
}

pid_t *control_group_pids(const struct control_group *group, size_t *count)
{
    struct pids pids = {0};
    (void)walk(group->procs, 0, add_pids, &pids);
    if (pids.count > 0)
        qsort(pids.item, pids.count, sizeof *pids.item, by_number);
    *count = pids.count;
    return pids.item;
}

// ---- what was counted ----

// The number behind a key in a file of the folder, times unit; key "": the only one. NAN: none.
static double number_in(const char *folder, const char *name, const char *key, double unit)
{
    char text[8192];
    uint64_t value;
    if (*folder == '\0' || !file_read_in(folder, name, text, sizeof text) ||
        !file_number(text, key, &value))
        return NAN;
    return (double)value * unit;
}

static struct group_disk *disk_of(struct group_counts *counts, unsigned major, unsigned minor)
{
    for (size_t i = 0; i < counts->disk_count; i++)
        if (counts->disk[i].major == major && counts->disk[i].minor == minor)
            return &counts->disk[i];
    counts->disk =
        grown(counts->disk, counts->disk_count, &counts->allocated, sizeof *counts->disk);
    struct group_disk *disk = &counts->disk[counts->disk_count++];
    *disk = (struct group_disk){.major = major, .minor = minor, .busy_ms = NAN, .queued_ms = NAN};
    return disk;
}

// What the device did for all programs (Linux Documentation/block/stat.rst), and its name.
static void read_device(struct group_disk *disk)
{
    char path[PATH_MAX], inner[64], text[512], link[PATH_MAX];
    snprintf(inner, sizeof inner, "/sys/dev/block/%u:%u", disk->major, disk->minor);
    machine_path(inner, path);
    const ssize_t length = readlink(path, link, sizeof link - 1);
    if (length > 0) {
        link[length] = '\0';
        const char *slash = strrchr(link, '/');
        snprintf(disk->name, sizeof disk->name, "%.31s", slash ? slash + 1 : link);
    }
    if (file_read_in(path, "stat", text, sizeof text))
        (void)sscanf(text, "%*u %*u %*u %*u %*u %*u %*u %*u %*u %lf %lf", &disk->busy_ms,
                     &disk->queued_ms);
}

// Lines "254:0 rbytes=1 wbytes=2 rios=3 wios=4 ...".
static void read_io_stat(const struct control_group *group, struct group_counts *counts)
{
    char text[16384];
    unsigned major, minor;
    double value[4];
    if (!file_read_in(group->io, "io.stat", text, sizeof text))
        return;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (sscanf(line, "%u:%u rbytes=%lf wbytes=%lf rios=%lf wios=%lf", &major, &minor, &value[0],
                   &value[1], &value[2], &value[3]) != 6)
            continue;
        struct group_disk *disk = disk_of(counts, major, minor);
        disk->read_bytes = value[0], disk->write_bytes = value[1];
        disk->reads = value[2], disk->writes = value[3];
    }
}

// Lines "254:0 Read 4096" of cgroup v1.
static void read_blkio(const struct control_group *group, struct group_counts *counts, bool bytes)
{
    char text[16384], word[16];
    unsigned major, minor;
    double value;
    const char *recursive = bytes ? "blkio.throttle.io_service_bytes_recursive"
                                  : "blkio.throttle.io_serviced_recursive";
    const char *own = bytes ? "blkio.throttle.io_service_bytes" : "blkio.throttle.io_serviced";
    if (!file_read_in(group->io, recursive, text, sizeof text) &&
        !file_read_in(group->io, own, text, sizeof text))
        return;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n")) != NULL;) {
        if (sscanf(line, "%u:%u %15s %lf", &major, &minor, word, &value) != 4)
            continue;
        struct group_disk *disk = disk_of(counts, major, minor);
        if (strcmp(word, "Read") == 0)
            *(bytes ? &disk->read_bytes : &disk->reads) = value;
        if (strcmp(word, "Write") == 0)
            *(bytes ? &disk->write_bytes : &disk->writes) = value;
    }
}

bool control_group_read(const struct control_group *group, struct group_counts *counts)
{
    static const char *const pressures[] = {"cpu.pressure", "io.pressure", "memory.pressure"};
    const bool v2 = group->v2;
    counts->disk_count = 0;
    if (!is_folder(group->procs))
        return false;
    counts->cpu_ns = v2 ? number_in(group->cpu, "cpu.stat", "usage_usec ", 1e3)
                        : number_in(group->cpu, "cpuacct.usage", "", 1);
    counts->throttled_ns = v2 ? number_in(group->cpu, "cpu.stat", "throttled_usec ", 1e3) : NAN;
    counts->memory_bytes =
        number_in(group->memory, v2 ? "memory.current" : "memory.usage_in_bytes", "", 1);
    counts->anonymous_bytes =
        number_in(group->memory, "memory.stat", v2 ? "anon " : "total_rss ", 1);
    counts->file_bytes =
        number_in(group->memory, "memory.stat", v2 ? "\nfile " : "total_cache ", 1);
    for (size_t i = 0; i < GROUP_PRESSURES; i++)
        counts->waited_us[i] = v2 ? number_in(group->procs, pressures[i], "total=", 1) : NAN;
    if (*group->io != '\0' && v2)
        read_io_stat(group, counts);
    for (int bytes = 0; *group->io != '\0' && !v2 && bytes < 2; bytes++)
        read_blkio(group, counts, bytes == 1);
    for (size_t i = 0; i < counts->disk_count; i++)
        read_device(&counts->disk[i]);
    return true;
}
