#include "common/setting_group.h"

#include "common/file.h"
#include "common/group.h"
#include "common/machine.h"
#include "common/units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PREFIX "jostle-set" // of the names of our groups; behind it the process that made one

#define PERIOD_US 100000 // of cpu.max, the kernel's own

bool setting_group_takes(const struct setting_kind *kind, const char *value)
{
    uint64_t bytes;
    int64_t number;
    struct cpu_list cpus;
    double percent;
    switch (kind->form) {
    case FORM_WEIGHT:
        return units_integer(value, &number) == 0 && number >= 1 &&
               number <= (strcmp(kind->controller, "io") == 0 ? 1000 : 10000);
    case FORM_QUOTA:
        return units_percent(value, &percent) == 0 && percent >= 1;
    case FORM_SIZE:
        return units_size(value, &bytes) == 0;
    case FORM_CPUS:
        return cpus_parse(value, &cpus) == 0;
    case FORM_SWITCH:
        return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
    case FORM_WORDS:
        break;
    }
    return value[0] != '\0';
}

static const char *members_file(const struct setting_place *place, const struct setting_kind *kind)
{
    return place->v1 && strcmp(kind->controller, "resctrl") == 0 ? "tasks" : "cgroup.procs";
}

#define RESCTRL "/sys/fs/resctrl"

static const char *v1_controller(const struct setting_kind *kind)
{
    return strcmp(kind->controller, "io") == 0 ? "blkio" : kind->controller;
}

static bool place_resctrl(struct setting_place *place, char *error, size_t size)
{
    place->v1 = true;
    snprintf(place->folder, sizeof place->folder, RESCTRL);
    if (access(RESCTRL "/schemata", F_OK) == 0)
        return true;
    snprintf(error, size,
             "resctrl is not mounted: mount -t resctrl resctrl " RESCTRL ", where the CPU has it");
    return false;
}

static bool place_find(struct setting_place *place, const struct setting_kind *kind, char *error,
                       size_t size)
{
    if (strcmp(kind->controller, "resctrl") == 0)
        return place_resctrl(place, error, size);
    const char *v1 = v1_controller(kind);
    place->v1 = cgroup_of(getpid(), v1, place->folder);
    if (place->v1 && !kind->v1_file) {
        snprintf(error, size, "%s needs cgroup v2, and this machine has the %s controller in v1",
                 kind->name, v1);
        return false;
    }
    if (place->v1)
        return true;
    switch (cgroup_delegated(kind->controller, place->folder)) {
    case CGROUP_DELEGATED:
        return true;
    case CGROUP_LIMITED:
        snprintf(error, size,
                 "the %s controller is above a limit of our own group, which would be escaped: "
                 "start jostle outside of it",
                 kind->controller);
        return false;
    case CGROUP_NOT_DELEGATED:
        break;
    }
    snprintf(error, size,
             "the %s controller is not delegated to us: be root, or start jostle with systemd-run "
             "--user --scope -p Delegate=yes",
             kind->controller);
    return false;
}

// The folder of the group that this process has there.
static void folder_of(const struct setting_place *place, pid_t process, char path[CGROUP_PATH])
{
    const size_t length = strlen(place->folder);
    const int kept = (int)length - (length > 0 && place->folder[length - 1] == '/');
    snprintf(path, CGROUP_PATH, "%.*s/" PREFIX ".%ld",
             kept < CGROUP_PATH - 64 ? kept : CGROUP_PATH - 64, place->folder, (long)process);
}

// A weight as the scheduler of v1 counts it.
static int64_t v1_weight(const struct setting_kind *kind, int64_t weight)
{
    if (strcmp(kind->controller, "io") == 0)
        return weight;
    const int64_t shares = weight * 1024 / 100;
    return shares < 2 ? 2 : shares;
}

// What is written to the file, and what it says then.
static void encode(const struct setting_place *place, const struct setting_kind *kind,
                   const char *value, char *text, size_t size)
{
    uint64_t bytes = 0;
    double percent = 0;
    switch (kind->form) {
    case FORM_WEIGHT: {
        const int64_t weight = strtol(value, NULL, 10);
        snprintf(text, size, "%" PRId64, place->v1 ? v1_weight(kind, weight) : weight);
        return;
    }
    case FORM_QUOTA:
        (void)units_percent(value, &percent);
        snprintf(text, size, place->v1 ? "%.0f" : "%.0f %d", percent / 100 * PERIOD_US, PERIOD_US);
        return;
    case FORM_SIZE:
        (void)units_size(value, &bytes);
        bytes -= bytes % (uint64_t)sysconf(_SC_PAGESIZE); // as the kernel does
        snprintf(text, size, "%" PRIu64, bytes);
        return;
    case FORM_CPUS:
    case FORM_SWITCH:
        snprintf(text, size, "%s", value);
        return;
    case FORM_WORDS:
        snprintf(text, size, "%s", value);
        for (char *at = text; *at != '\0'; at++)
            if (*at == ',')
                *at = strcmp(kind->controller, "resctrl") == 0 ? '\n' : ' ';
        return;
    }
}

static const char *file_of(const struct setting_place *place, const struct setting_kind *kind)
{
    return place->v1 ? kind->v1_file : kind->name;
}

// Whether the file says what was asked for; several lines or words may be around it.
static bool says(const struct setting_kind *kind, const char *now, const char *wanted)
{
    struct cpu_list is, asked;
    char text[4096];
    snprintf(text, sizeof text, "%.*s", (int)strcspn(now, "\n"), now);
    if (kind->form == FORM_CPUS)
        return cpus_parse(text, &is) == 0 && cpus_parse(wanted, &asked) == 0 &&
               cpus_missing(&is, &asked) < 0 && cpus_missing(&asked, &is) < 0;
    if (kind->form == FORM_WORDS) {
        snprintf(text, sizeof text, "%.*s", (int)strcspn(wanted, " \n"), wanted);
        return strstr(now, text) != NULL;
    }
    return strcmp(text, wanted) == 0 || (strncmp(text, "default ", strlen("default ")) == 0 &&
                                         strcmp(text + strlen("default "), wanted) == 0);
}

static bool file_put(const char *folder, const char *name, const char *text)
{
    char path[CGROUP_PATH + 64];
    snprintf(path, sizeof path, "%.*s/%s", CGROUP_PATH - 1, folder, name);
    return file_write(AT_FDCWD, path, text);
}

static bool file_get(const char *folder, const char *name, char *text, size_t size)
{
    char path[CGROUP_PATH + 64];
    snprintf(path, sizeof path, "%.*s/%s", CGROUP_PATH - 1, folder, name);
    return file_read(AT_FDCWD, path, text, size);
}

// In v1 a group without nodes of memory takes nobody.
static bool take_memory_nodes(const struct setting_place *place, const char *folder)
{
    char nodes[1024];
    return !file_get(place->folder, "cpuset.mems", nodes, sizeof nodes) ||
           file_put(folder, "cpuset.mems", nodes);
}

static bool is_cpuset_v1(const struct setting_place *place, const struct setting_kind *kind)
{
    return place->v1 && strcmp(kind->controller, "cpuset") == 0;
}

void setting_group_forget(const struct setting_kind *kind)
{
    struct setting_place place;
    char folder[CGROUP_PATH], ignored[256];
    if (!place_find(&place, kind, ignored, sizeof ignored))
        return;
    folder_of(&place, getpid(), folder);
    (void)rmdir(folder);
}

bool setting_group_make(const struct setting_kind *kind, const char *value,
                        struct setting_place *place, char *error, size_t size)
{
    char folder[CGROUP_PATH], text[4096];
    const char *failed = NULL;
    if (!place_find(place, kind, error, size))
        return false;
    folder_of(place, getpid(), folder);
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        failed = errno == EACCES ? "a group cannot be made without root or delegation"
                                 : "a group cannot be made";
    else if (is_cpuset_v1(place, kind) && !take_memory_nodes(place, folder))
        failed = "its nodes of memory cannot be set";
    else if (value) {
        encode(place, kind, value, text, sizeof text);
        if (!file_put(folder, file_of(place, kind), text))
            failed =
                errno == ENOENT ? "this kernel has no such file" : "the kernel refuses the value";
        // BFQ has a file of its own in v2; io.weight is that of iocost.
        if (!failed && kind->form == FORM_WEIGHT && !place->v1)
            (void)file_put(folder, "io.bfq.weight", text);
    }
    if (!failed)
        return true;
    snprintf(error, size, "%s (%.300s: %s)", failed, folder, strerror(errno));
    return false;
}

bool setting_group_enter(const struct setting_kind *kind, const struct setting_place *place,
                         char *error, size_t size)
{
    char folder[CGROUP_PATH];
    folder_of(place, getpid(), folder);
    if (file_put(folder, members_file(place, kind), "0"))
        return true;
    snprintf(error, size, "the group cannot be entered (%.300s: %s)", folder, strerror(errno));
    return false;
}

// The group in which the process is; false: it is not in the one that was made for it.
static bool group_of(const struct setting_kind *kind, pid_t process, struct setting_place *place)
{
    char name[64];
    snprintf(name, sizeof name, "/" PREFIX ".%ld", (long)process);
    if (strcmp(kind->controller, "resctrl") == 0) {
        place->v1 = true;
        snprintf(place->folder, sizeof place->folder, RESCTRL "%s", name);
        return true;
    }
    place->v1 = cgroup_of(process, v1_controller(kind), place->folder);
    if (!place->v1 && !cgroup_of(process, "", place->folder))
        return false;
    const size_t length = strlen(place->folder), tail = strlen(name);
    return length > tail && strcmp(place->folder + length - tail, name) == 0;
}

// As much of a line as a message has room for.
static int most(size_t length)
{
    return length < 100 ? (int)length : 100;
}

bool setting_group_has(const struct setting_kind *kind, const char *value, pid_t process,
                       char *error, size_t size)
{
    struct setting_place place;
    char text[4096], wanted[4096];
    if (!group_of(kind, process, &place)) {
        snprintf(error, size, "process %ld is not in the group that was made for it",
                 (long)process);
        return false;
    }
    if (!value)
        return true;
    encode(&place, kind, value, wanted, sizeof wanted);
    if (!file_get(place.folder, file_of(&place, kind), text, sizeof text))
        text[0] = '\0';
    if (says(kind, text, wanted))
        return true;
    snprintf(error, size, "the kernel has '%.*s' for '%.100s'", most(strcspn(text, "\n")), text,
             wanted);
    return false;
}

void setting_groups_sweep(void)
{
    static const char *const v1[] = {"cpu", "cpuset", "memory", "blkio"};
    char folder[CGROUP_PATH];
    for (size_t i = 0; i < sizeof v1 / sizeof *v1; i++)
        if (cgroup_own(v1[i], folder))
            group_sweep_in(folder, PREFIX);
    for (unsigned above = 0; cgroup_above(above, folder); above++)
        group_sweep_in(folder, PREFIX);
    group_sweep_in(RESCTRL, PREFIX);
}
