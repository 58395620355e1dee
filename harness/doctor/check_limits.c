// Checks what limits programs here: containers, control groups, quotas, memory and rights.

#include "doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/cpus.h"
#include "common/device.h"
#include "common/file.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/units.h"

// Whether this is a container, and what it keeps from us. Sources: systemd's CONTAINER_INTERFACE;
// containers-common's .containerenv; the default seccomp profiles of Docker and Podman; proc(5).

// With less, a load or the page cache soon meets the limit.
#define ENOUGH_BYTES (1024.0 * 1048576)

// What shows that a container is of a kind; the innermost kind that is known comes first.
struct sign {
    const char *kind;
    const char *variable; // of the environment, set by it
    const char *file;     // made by it
    const char *group;    // in the path of a control group
    bool isolates;        // it has namespaces of its own
};

static const struct sign signs[] = {
    {"Apptainer", .variable = "APPTAINER_CONTAINER"},
    {"Apptainer", .variable = "APPTAINER_NAME"},
    {"Singularity", .variable = "SINGULARITY_CONTAINER"},
    {"Singularity", .variable = "SINGULARITY_NAME"},
    {"Apptainer or Singularity", .file = "/.singularity.d"},
    {"Charliecloud", .variable = "CH_RUNNING"},
    {"Shifter", .variable = "SHIFTER_RUNTIME"},
    {"Kubernetes", .variable = "KUBERNETES_SERVICE_HOST"},
    {"Kubernetes", .file = "/run/secrets/kubernetes.io"},
    {"Kubernetes", .group = "kubepods"},
    {"Podman", .file = "/run/.containerenv", .isolates = true},
    {"Docker", .file = "/.dockerenv", .isolates = true},
    {"Docker", .group = "/docker"},
    {"Podman", .group = "libpod"},
    {"containerd", .group = "containerd"},
    {"LXC", .group = "/lxc"},
};

// The value that systemd's interface has: container=KIND in the environment of the first process,
// which is shown to few, and which it hands on to its children.
static bool named_by_variable(char *kind, size_t size)
{
    char path[PATH_MAX], *word = NULL;
    const char *own = getenv("container"), *value;
    size_t room = 0;
    snprintf(kind, size, "%s", own ?: "");
    FILE *file = *kind == '\0' ? fopen(machine_path("/proc/1/environ", path), "re") : NULL;
    while (file && getdelim(&word, &room, '\0', file) > 0)
        if ((value = text_after(word, "container=")) != NULL)
            snprintf(kind, size, "%s", value);
    if (file)
        fclose(file);
    free(word);
    return *kind != '\0';
}

static bool group_has(const char *word)
{
    char path[PATH_MAX], text[65536];
    return file_read(AT_FDCWD, machine_path("/proc/self/cgroup", path), text, sizeof text) &&
           strstr(text, word);
}

static bool namespace_is(const char *link, const char *wanted)
{
    char path[PATH_MAX], text[64] = "";
    return readlink(machine_path(link, path), text, sizeof text - 1) > 0 &&
           strcmp(text, wanted) == 0;
}

// The namespaces that the kernel starts with have fixed numbers. In a small virtual machine that
// was made of a container's image there is a file of the container, but no container.
static bool is_isolated(void)
{
    return !namespace_is("/proc/self/ns/pid", "pid:[4026531836]") ||
           !namespace_is("/proc/self/ns/uts", "uts:[4026531838]");
}

static bool shows(const struct sign *sign)
{
    char path[PATH_MAX];
    if (sign->isolates && !is_isolated())
        return false;
    return (sign->variable && getenv(sign->variable)) ||
           (sign->file && access(machine_path(sign->file, path), F_OK) == 0) ||
           (sign->group && group_has(sign->group));
}

static void check_container(struct findings *findings)
{
    static const char advice[] = "its limits are those of cgroup-quota, cpus, memory-limit and "
                                 "system-calls; the host's other containers are neighbours";
    char kind[128];
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        const struct sign *sign = &signs[i];
        if (!shows(sign))
            continue;
        findings_add(findings, STATUS_OK, advice, "this is a container of %s (%s%s)",
                     sign->kind,
                     sign->variable ? "$"
                     : sign->group  ? "control group "
                                            : "",
                     sign->variable ?: sign->file ?: sign->group);
        return;
    }
    if (named_by_variable(kind, sizeof kind))
        findings_add(findings, STATUS_OK, advice, "this is a container of %s", kind);
    else
        found_ok(findings, "no sign of one");
}

// The schedulers that are here. Whoever starts the doctor knows them, and says so in a variable; it
// only shows them: lines JOB<TAB>VERSION, JOB empty outside of one, or JOB<TAB>NAME<TAB>COMMAND
// where that command gives no version. Without it none is named.

static void check_scheduler(struct findings *findings)
{
    OWNED char *lines = must(strdup(getenv("JOSTLE_SCHEDULERS") ?: ""));
    char names[256] = "", one[300], advice[256] = "", *rest = lines;
    enum status status = STATUS_OK;
    size_t count = 0;
    while (rest && *rest != '\0') {
        char *line = strsep(&rest, "\n");
        const char *job = strsep(&line, "\t"), *version = strsep(&line, "\t") ?: "";
        // "NAME 23.11.4", "NAME (COMMAND gives no version)"
        const char *silent = line ?: "", *ends = *silent == '\0' ? "" : " gives no version)";
        snprintf(one, sizeof one, "%.127s%s%.127s%s", version, *ends == '\0' ? "" : " (", silent,
                 ends);
        if (*job != '\0') {
            found_ok(findings, "this is job %.63s of %s", job, one);
            return;
        }
        if (*silent != '\0' && status == STATUS_OK) {
            status = STATUS_WARN;
            snprintf(advice, sizeof advice,
                     "run %.127s to see what is wrong; jostle submit --scheduler local needs none",
                     silent);
        }
        text_append(names, sizeof names, ", ", "%s", one);
        count++;
    }
    if (status == STATUS_OK && count > 1)
        snprintf(advice, sizeof advice,
                 "jostle submit takes the first: give --scheduler for another");
    findings_add(findings, status, advice, "%s",
                 count > 0 ? names : "none found: jostle submit has a queue of its own");
}

static void check_quota(struct findings *findings)
{
    char folder[CGROUP_PATH];
    const double quota_cpus = cpus_quota();
    if (!cgroup_of(0, "cpu", folder) && !cgroup_of(0, "", folder))
        found_unknown(
            findings,
            "control groups are not shown here, so that a limit of CPU time would not be seen");
    else if (!isfinite(quota_cpus))
        found_ok(findings, "no limit on CPU time");
    else
        findings_add(findings, STATUS_WARN, "get more CPUs, or a job without a quota",
                     "a control group allows %.2f CPUs: target and loads are stopped together when "
                     "it is used up",
                     quota_cpus);
}

// What an affinity or a cpuset leaves of the CPUs.
static void check_cpus(struct findings *findings)
{
    struct cpu_list allowed;
    char text[CPUS_TEXT];
    const long online = sysconf(_SC_NPROCESSORS_ONLN);
    if (cpus_allowed(&allowed) != 0 || online < 1)
        found_unknown(findings, "which CPUs may be used is not shown here");
    else if ((long)allowed.count < online)
        findings_add(findings, STATUS_OK, "target and loads share these: see --place",
                     "%u of %ld CPUs may be used: %s", allowed.count, online,
                     cpus_format(&allowed, text, sizeof text));
    else
        found_ok(findings, "all %u CPUs may be used", allowed.count);
}

static void check_memory_limit(struct findings *findings)
{
    char folder[CGROUP_PATH], limit[32], left[32];
    const struct cache_room room = cache_room();
    const struct headroom headroom = headroom_left(-1);
    if (!cgroup_of(0, "memory", folder) && !cgroup_of(0, "", folder)) {
        found_unknown(
            findings,
            "control groups are not shown here, so that a limit of memory would not be seen");
        return;
    }
    units_format_size(room.memory_bytes, limit, sizeof limit);
    units_format_size((double)headroom.bytes, left, sizeof left);
    if (!room.group)
        found_ok(findings, "no limit of memory");
    else if ((double)headroom.bytes < ENOUGH_BYTES)
        findings_add(findings, STATUS_WARN,
                     "allow more memory (docker or podman run --memory, a job's --mem)",
                     "a control group allows %s of memory, the pages of files included, of which "
                     "%s may be taken: target and loads soon meet it",
                     limit, left);
    else
        found_ok(findings,
                 "a control group allows %s of memory, the pages of files included, of which %s "
                 "may be taken",
                 limit, left);
}

// Whether the kernel refuses a call before it looks at what it is given.
static bool is_refused(long number)
{
    errno = 0;
    return syscall(number, 0, NULL, -1, NULL, 0, 0) < 0 &&
           (errno == EPERM || errno == ENOSYS || errno == EACCES);
}

static void check_system_calls(struct findings *findings)
{
    static const struct {
        long number;
        const char *name, *effect;
    } calls[] = {
        {SYS_io_uring_setup, "io_uring", "loadgen io --depth takes threads instead"},
        {SYS_perf_event_open, "perf_event_open", "no instructions, cycles and cache misses"},
        {SYS_mbind, "mbind", "loadgen mem --node is refused"},
    };
    char mode[16] = "", text[320] = "";
    const int64_t off = machine_number("/proc/sys/kernel/io_uring_disabled");
    const bool filtered =
        machine_field("/proc/self/status", "Seccomp", ": \t", mode, sizeof mode) &&
        strcmp(mode, "0") != 0;
    for (size_t i = 0; (filtered || off > 0) && i < sizeof calls / sizeof *calls; i++)
        if (is_refused(calls[i].number))
            text_append(text, sizeof text, ", ", "%s (%s)", calls[i].name, calls[i].effect);
    if (text[0] == '\0')
        found_ok(findings, "%s",
                 filtered ? "a filter (seccomp) lets pass all that jostle needs"
                          : "no filter (seccomp)");
    else
        findings_add(findings, STATUS_WARN,
                     filtered ? "docker or podman run --security-opt seccomp=unconfined, if you "
                                "may; or compare only with figures from such a container"
                              : "sysctl kernel.io_uring_disabled=0",
                     "%s refuses: %s", filtered ? "a filter (seccomp)" : "the kernel", text);
}

// What the current folder is on.

#define GIB              1073741824.0
#define LEAST_FREE_BYTES GIB

static void check_folder(struct findings *findings)
{
    struct device device;
    if (!device_of(".", &device) || device.file_system[0] == '\0' ||
        strcmp(device.file_system, "unknown") == 0)
        found_unknown(findings, "the file system of the current folder is not known");
    else if (device.memory)
        findings_add(findings, STATUS_WARN, "measure in a folder on a disk",
                     "the current folder is in memory (%s): what the target reads and writes never "
                     "reaches a disk",
                     device.file_system);
    else if (device.network || strncmp(device.file_system, "fuse", 4) == 0)
        findings_add(findings, STATUS_WARN, "measure in a folder on a local disk",
                     "the current folder is on a network or user-space file system (%s): others' "
                     "traffic is in the result",
                     device.file_system);
    else
        found_ok(findings, "the current folder is on %s", device.file_system);
}

// A nearly full file system scatters what is written to it.
static void check_space(struct findings *findings)
{
    struct statvfs status;
    if (statvfs(".", &status) != 0 || status.f_blocks == 0) {
        found_unknown(findings, "how much is free is not shown here");
        return;
    }
    const double free_bytes = (double)status.f_bavail * (double)status.f_frsize;
    const double size_bytes = (double)status.f_blocks * (double)status.f_frsize;
    if (free_bytes < LEAST_FREE_BYTES || free_bytes * 20 < size_bytes)
        findings_add(findings, STATUS_WARN, "free some",
                     "%.2f GiB are free: writes are scattered, and loads may not fit",
                     free_bytes / GIB);
    else
        found_ok(findings, "%.2f GiB are free", free_bytes / GIB);
}

const struct check checks_of_limits[] = {
    {"container", .make = check_container},
    {"scheduler", .make = check_scheduler},
    {"cgroup-quota", .make = check_quota},
    {"cpus", .make = check_cpus},
    {"memory-limit", .make = check_memory_limit},
    {"system-calls", .make = check_system_calls},
    {"folder", .make = check_folder},
    {"disk-space", .make = check_space},
    {0},
};
