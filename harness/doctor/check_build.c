#include "doctor.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/child.h"
#include "common/units.h"
#include "common/version.h"

// How this jostle was built.

void check_libraries(struct findings *findings)
{
    char missing[256];
    if (optional_missing(missing, sizeof missing))
        findings_add(findings, STATUS_OK,
                     "install them, and build again with make WITHOUT= (docs/install.md), where "
                     "that is needed",
                     "built without %s", missing);
    else
        found_ok(findings, "built with jemalloc and liburing");
}

// The programs that the commands in bash need.

#define DIGITS "0123456789"

// Whether the first "MAJOR.MINOR" of the text is at least that; false where there is none.
static bool is_at_least(const char *text, unsigned major, unsigned minor)
{
    unsigned have_major, have_minor;
    if (sscanf(text + strcspn(text, DIGITS), "%u.%u", &have_major, &have_minor) != 2)
        return false;
    return have_major > major || (have_major == major && have_minor >= minor);
}

static void add_version(struct findings *findings, const char *program, const char *version,
                        unsigned major, unsigned minor)
{
    char advice[96];
    (void)snprintf(advice, sizeof advice, "install %s %u.%u or newer, and put it first in PATH",
                   program, major, minor);
    if (is_at_least(version, major, minor))
        found_ok(findings, "%s %.*s (needed: %u.%u or newer)", program, (int)strcspn(version, "("),
                 version, major, minor);
    else
        findings_add(findings, STATUS_WARN, advice, "%s %.*s is too old", program,
                     (int)strcspn(version, "("), version);
}

// harness/jostle, which is bash, says which one; an older one does not come so far.
void check_bash(struct findings *findings)
{
    const char *version = getenv("JOSTLE_BASH_VERSION");
    if (!version)
        found_unknown(findings, "started without jostle, which says which bash it has");
    else
        add_version(findings, "bash", version, 4, 4);
}

void check_jq(struct findings *findings)
{
    char path[PATH_MAX], *said = NULL;
    const char *const argv[] = {"jq", "--version", NULL};
    if (!child_find("jq", path)) {
        findings_add(findings, STATUS_WARN, "install jq 1.5 or newer",
                     "jq is not installed: records are written, but no tables and reports");
        return;
    }
    if (child_run(argv, -1, &said) == 0) {
        said[strcspn(said, "\n")] = '\0';
        add_version(findings, "jq", strncmp(said, "jq-", 3) == 0 ? said + 3 : said, 1, 5);
    } else {
        findings_add(findings, STATUS_WARN, "install jq 1.5 or newer",
                     "%s does not run: no tables and reports", path);
    }
    free(said);
}

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
    char path[PATH_MAX], word[128];
    const char *own = getenv("container");
    size_t used = 0;
    int next;
    snprintf(kind, size, "%s", own ?: "");
    FILE *file = *kind == '\0' ? fopen(machine_path("/proc/1/environ", path), "re") : NULL;
    while (file && (next = getc(file)) != EOF) {
        if (next != '\0') {
            word[used] = (char)next;
            used += used < sizeof word - 1;
            continue;
        }
        word[used] = '\0';
        used = 0;
        if (strncmp(word, "container=", 10) == 0)
            snprintf(kind, size, "%s", word + 10);
    }
    if (file)
        fclose(file);
    return *kind != '\0';
}

static bool group_has(const char *word)
{
    char path[PATH_MAX], line[PATH_MAX + 64];
    bool found = false;
    FILE *file = fopen(machine_path("/proc/self/cgroup", path), "re");
    while (file && !found && fgets(line, sizeof line, file))
        found = strstr(line, word) != NULL;
    if (file)
        fclose(file);
    return found;
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

void check_container(struct findings *findings)
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

// What an affinity or a cpuset leaves of the CPUs.
void check_cpus(struct findings *findings)
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

void check_memory_limit(struct findings *findings)
{
    char folder[CGROUP_PATH], limit[32], left[32];
    const struct cache_room room = cache_room();
    const struct headroom headroom = headroom_left(-1);
    if (!cgroup_own("memory", folder) && !cgroup_own("", folder)) {
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

void check_system_calls(struct findings *findings)
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
    size_t used = 0;
    const int64_t off = machine_number("/proc/sys/kernel/io_uring_disabled");
    const bool filtered =
        machine_field("/proc/self/status", "Seccomp", ": \t", mode, sizeof mode) &&
        strcmp(mode, "0") != 0;
    for (size_t i = 0; (filtered || off > 0) && i < sizeof calls / sizeof *calls; i++)
        if (is_refused(calls[i].number) && used < sizeof text)
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s (%s)",
                                     used == 0 ? "" : ", ", calls[i].name, calls[i].effect);
    if (used == 0)
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
