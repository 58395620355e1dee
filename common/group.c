// Makes a control group of our own that counts what its members use, and removes it.
#include "common/group.h"

#include "common/clock.h"
#include "common/file.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#ifndef SYS_clone3
#define SYS_clone3 435 // all architectures
#endif
#define INTO_CGROUP UINT64_C(0x200000000) // CLONE_INTO_CGROUP, Linux 5.7

#define REMOVE_WAITS 1000 // of a millisecond each: the machine may be busy

static bool is_mounted(const char *path, unsigned long magic)
{
    struct statfs file_system;
    return statfs(path, &file_system) == 0 && (unsigned long)file_system.f_type == magic;
}

// The path after the line `...:CONTROLLERS:` in /proc/self/cgroup, "" for the root
// group.
static bool own_path(const char *controllers, char *path, size_t size)
{
    char text[8192];
    char key[64];
    if (!file_read(AT_FDCWD, "/proc/self/cgroup", text, sizeof text))
        return false;
    (void)snprintf(key, sizeof key, ":%s:/", controllers);
    const char *found = strstr(text, key);
    if (!found)
        return false;
    found += strlen(key) - 1;
    const size_t length = strcspn(found, "\n");
    // "/.." begins a group outside of our cgroup namespace.
    if (length >= size || strncmp(found, "/..", 3) == 0)
        return false;
    memcpy(path, found, length);
    path[length == 1 ? 0 : length] = '\0';
    return true;
}

// Our own group in the unified hierarchy, in its two usual places.
static bool parent_v2(char *path)
{
    static const char *const roots[] = {"/sys/fs/cgroup", "/sys/fs/cgroup/unified"};
    char own[PATH_MAX / 2];
    char file[PATH_MAX];
    char controllers[1024];
    if (!own_path("", own, sizeof own))
        return false;
    for (size_t i = 0; i < 2; i++) {
        if (!is_mounted(roots[i], CGROUP2_SUPER_MAGIC))
            continue;
        (void)snprintf(path, PATH_MAX, "%s%s", roots[i], own);
        if (snprintf(file, sizeof file, "%s/cgroup.subtree_control", path) >= (int)sizeof file ||
            !file_read(AT_FDCWD, file, controllers, sizeof controllers))
            return false;
        // A group with the cpu or io controller competes as one with others.
        for (char *word = strtok(controllers, " \n"); word; word = strtok(NULL, " \n")) {
            if (strcmp(word, "cpu") == 0 || strcmp(word, "io") == 0)
                return false;
        }
        return true;
    }
    return false;
}

// The hierarchy cpuacct, if it is mounted alone (together with cpu it would change the scheduling)
// and nobody, as a batch system, keeps us in a group of it.
static bool parent_v1(char *path)
{
    char own[PATH_MAX / 2];
    (void)snprintf(path, PATH_MAX, "/sys/fs/cgroup/cpuacct");
    return is_mounted(path, CGROUP_SUPER_MAGIC) && own_path("cpuacct", own, sizeof own) &&
           own[0] == '\0';
}

// A group with all groups that its members made in it.
static bool remove_folder(int parent_fd, const char *name)
{
    if (unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
        return true;
    if (errno != EBUSY && errno != ENOTEMPTY)
        return false;
    const int fd = openat(parent_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    if (!folder) {
        if (fd >= 0)
            close(fd);
        return false;
    }
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        if (entry->d_type == DT_DIR && entry->d_name[0] != '.')
            (void)remove_folder(fd, entry->d_name);
    }
    closedir(folder);
    return unlinkat(parent_fd, name, AT_REMOVEDIR) == 0;
}

// PREFIX.PID of a process that is no more.
static bool is_stale(const char *name, const char *prefix)
{
    const size_t length = strlen(prefix);
    char *end;
    if (strncmp(name, prefix, length) != 0 || name[length] != '.' ||
        !isdigit((unsigned char)name[length + 1]))
        return false;
    errno = 0;
    const long pid = strtol(name + length + 1, &end, 10);
    if (errno != 0 || *end != '\0' || pid <= 0 || pid > INT_MAX)
        return false;
    // Our own number, before we have made our group: its owner is dead, too.
    return pid == getpid() || (kill((pid_t)pid, 0) != 0 && errno == ESRCH);
}

// The kernel lets the last member go a moment after it was waited for: *waits is how many more
// milliseconds that may take in all.
static void remove_in_time(int parent_fd, const char *name, int *waits)
{
    while (!remove_folder(parent_fd, name) && (errno == EBUSY || errno == ENOTEMPTY) &&
           --*waits >= 0)
        (void)usleep(1000);
}

static void remove_stale(const char *parent, const char *prefix, int waits)
{
    DIR *folder = opendir(parent);
    if (!folder)
        return;
    for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
        // One with living members stays: the next one will try again.
        if (is_stale(entry->d_name, prefix))
            remove_in_time(dirfd(folder), entry->d_name, &waits);
    }
    closedir(folder);
}

void group_sweep_in(const char *parent, const char *prefix)
{
    remove_stale(parent, prefix, REMOVE_WAITS);
}

void group_sweep(const char *prefix)
{
    char parent[PATH_MAX];
    if (parent_v2(parent))
        remove_stale(parent, prefix, REMOVE_WAITS);
    if (parent_v1(parent))
        remove_stale(parent, prefix, REMOVE_WAITS);
}

bool group_find(struct group *group, const char *prefix, enum group_kind kind)
{
    char parent[PATH_MAX];
    *group = GROUP_OF_NONE;
    if (kind == GROUP_NONE || !(kind == GROUP_V2 ? parent_v2(parent) : parent_v1(parent)))
        return false;
    remove_stale(parent, prefix, 0);
    if (snprintf(group->path, sizeof group->path, "%s/%s.%ld", parent, prefix, (long)getpid()) >=
        (int)sizeof group->path)
        return false;
    group->kind = kind;
    if (!group_make(group))
        group->kind = GROUP_NONE;
    return group->kind != GROUP_NONE;
}

bool group_make(struct group *group)
{
    if (group->kind == GROUP_NONE || group->folder_fd >= 0)
        return true;
    if (mkdir(group->path, 0755) != 0)
        return false;
    group->folder_fd = open(group->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (group->folder_fd < 0)
        (void)rmdir(group->path);
    return group->folder_fd >= 0;
}

// struct clone_args of <linux/sched.h>, which older headers lack.
struct clone_words {
    uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
    uint64_t set_tid, set_tid_size, cgroup;
};

pid_t group_fork(const struct group *group)
{
    const struct clone_words arguments = {
        .flags = INTO_CGROUP,
        .exit_signal = SIGCHLD,
        .cgroup = (unsigned)group->folder_fd,
    };
    if (group->kind != GROUP_V2)
        return fork();
    return (pid_t)syscall(SYS_clone3, &arguments, sizeof arguments);
}

bool group_enter(const struct group *group)
{
    return group->kind != GROUP_V1 || file_write(group->folder_fd, "cgroup.procs", "0");
}

pid_t *group_list(const struct group *group, size_t *count)
{
    const int fd = group->kind == GROUP_NONE || group->folder_fd < 0
                       ? -1
                       : openat(group->folder_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
    FILE *members = fd < 0 ? NULL : fdopen(fd, "r");
    pid_t *pids = NULL;
    int pid;
    *count = 0;
    if (!members) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    while (fscanf(members, "%d", &pid) == 1) {
        if (pid <= 0) // of a PID namespace that we do not see
            continue;
        pid_t *larger = reallocarray(pids, *count + 1, sizeof *pids);
        if (!larger)
            break;
        pids = larger;
        pids[(*count)++] = pid;
    }
    fclose(members);
    return pids;
}

// One by one; those that they fork meanwhile are left to the caller's next try.
static void kill_members(const struct group *group)
{
    size_t count;
    pid_t *pids = group_list(group, &count);
    for (size_t i = 0; i < count; i++)
        (void)kill(pids[i], SIGKILL);
    free(pids);
}

void group_kill(const struct group *group)
{
    if (group->kind == GROUP_V2 && file_write(group->folder_fd, "cgroup.kill", "1"))
        return;
    if (group->kind != GROUP_NONE)
        kill_members(group);
}

static void read_v2(int folder_fd, struct group_usage *usage)
{
    char text[4096];
    uint64_t user_us;
    uint64_t system_us;
    if (file_read(folder_fd, "cpu.stat", text, sizeof text) &&
        file_number(text, "user_usec", &user_us) && file_number(text, "system_usec", &system_us)) {
        usage->has_cpu = true;
        usage->user_ns = (int64_t)user_us * NS_PER_US;
        usage->system_ns = (int64_t)system_us * NS_PER_US;
    }
    usage->has_peak = file_read(folder_fd, "memory.peak", text, sizeof text) &&
                      file_number(text, "", &usage->peak_bytes);
}

// In cpuacct, "usage" is exact but undivided; "stat" divides, in clock ticks.
// (cpuacct.usage_sys misses what ends in a blocking system call.)
static void read_v1(int folder_fd, struct group_usage *usage)
{
    char text[512];
    uint64_t total_ns;
    uint64_t user_ticks;
    uint64_t system_ticks;
    if (!file_read(folder_fd, "cpuacct.usage", text, sizeof text) ||
        !file_number(text, "", &total_ns) ||
        !file_read(folder_fd, "cpuacct.stat", text, sizeof text) ||
        !file_number(text, "user", &user_ticks) || !file_number(text, "system", &system_ticks))
        return;
    const uint64_t ticks = user_ticks + system_ticks;
    const double system_share = ticks == 0 ? 0.0 : (double)system_ticks / (double)ticks;
    usage->has_cpu = true;
    usage->system_ns = (int64_t)(system_share * (double)total_ns);
    usage->user_ns = (int64_t)total_ns - usage->system_ns;
}

void group_read(const struct group *group, struct group_usage *usage)
{
    *usage = (struct group_usage){0};
    if (group->kind == GROUP_V2)
        read_v2(group->folder_fd, usage);
    else if (group->kind == GROUP_V1)
        read_v1(group->folder_fd, usage);
}

void group_remove(struct group *group)
{
    if (group->folder_fd < 0)
        return;
    close(group->folder_fd);
    group->folder_fd = -1;
    int waits = REMOVE_WAITS;
    remove_in_time(AT_FDCWD, group->path, &waits);
}

void group_give_up(struct group *group)
{
    group_remove(group);
    group->kind = GROUP_NONE;
}
