#include "common/setting.h"

#include "common/cgroup.h"
#include "common/file.h"
#include "common/group.h"
#include "common/machine.h"
#include "common/units.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PREFIX "jostle-set" /* of the names of our groups; behind it the process that made one */

/* ioprio_set(2), which glibc has not. */
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_SHIFT 13

#define PERIOD_US 100000 /* of cpu.max, the kernel's own */

/* How a value is given, and how the kernel has it. */
enum form {
    FORM_WEIGHT, /* 1 to 10000, 100 is what others have */
    FORM_QUOTA,  /* percent of one CPU */
    FORM_SIZE,   /* bytes */
    FORM_CPUS,
    FORM_SWITCH, /* 0 or 1 */
    FORM_WORDS,  /* as the kernel reads it, with commas for blanks */
};

struct setting_kind {
    const char *name, *argument, *help;
    /* Of the process itself: sets it, and says whether it is set. */
    bool (*check)(const char *value);
    bool (*set)(const char *value);
    bool (*has)(const char *value, pid_t process);
    /* Of a control group: the controller, and the file in v1 (NULL: v2 alone has it). */
    const char *controller, *v1_file;
    enum form form;
};

/* Processes. */

static bool read_whole(const char *value, int64_t low, int64_t high, int64_t *number)
{
    return units_integer(value, number) == 0 && *number >= low && *number <= high;
}

static bool nice_check(const char *value)
{
    int64_t nice;
    return read_whole(value, -20, 19, &nice);
}

static bool nice_set(const char *value)
{
    return setpriority(PRIO_PROCESS, 0, (int)strtol(value, NULL, 10)) == 0;
}

static bool nice_has(const char *value, pid_t process)
{
    errno = 0;
    const int nice = getpriority(PRIO_PROCESS, (id_t)process);
    return errno == 0 && nice == (int)strtol(value, NULL, 10);
}

/* "idle", "batch", "fifo:10", "rr:10". */
static bool sched_read(const char *value, int *policy, struct sched_param *param)
{
    static const struct {
        const char *name;
        int policy;
        bool real_time;
    } known[] = {{"idle", SCHED_IDLE, false},
                 {"batch", SCHED_BATCH, false},
                 {"fifo:", SCHED_FIFO, true},
                 {"rr:", SCHED_RR, true}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const size_t length = strlen(known[i].name);
        int64_t priority = 0;
        if (strncmp(value, known[i].name, length) != 0)
            continue;
        if (known[i].real_time ? !read_whole(value + length, 1, 99, &priority)
                               : value[length] != '\0')
            return false;
        *policy = known[i].policy;
        *param = (struct sched_param){.sched_priority = (int)priority};
        return true;
    }
    return false;
}

static bool sched_check(const char *value)
{
    struct sched_param param;
    int policy;
    return sched_read(value, &policy, &param);
}

static bool sched_set(const char *value)
{
    struct sched_param param;
    int policy;
    return sched_read(value, &policy, &param) && sched_setscheduler(0, policy, &param) == 0;
}

static bool sched_has(const char *value, pid_t process)
{
    struct sched_param param, now;
    int policy;
    return sched_read(value, &policy, &param) && sched_getscheduler(process) == policy &&
           sched_getparam(process, &now) == 0 && now.sched_priority == param.sched_priority;
}

/* "idle", "best-effort:7", "realtime:0", as the number of ioprio_set(2); -1: none of these. */
static int ionice_read(const char *value)
{
    static const char *const classes[] = {"realtime:", "best-effort:", "idle"};
    int64_t level = 0;
    for (int i = 0; i < 3; i++) {
        const size_t length = strlen(classes[i]);
        if (strncmp(value, classes[i], length) != 0)
            continue;
        if (i < 2 ? !read_whole(value + length, 0, 7, &level) : value[length] != '\0')
            return -1;
        return (i + 1) << IOPRIO_CLASS_SHIFT | (int)level;
    }
    return -1;
}

static bool ionice_check(const char *value)
{
    return ionice_read(value) >= 0;
}

static bool ionice_set(const char *value)
{
    return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, ionice_read(value)) == 0;
}

static bool ionice_has(const char *value, pid_t process)
{
    return syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, process) == ionice_read(value);
}

static bool cpus_check(const char *value)
{
    struct cpu_list list;
    return cpus_parse(value, &list) == 0;
}

static bool cpus_set(const char *value)
{
    struct cpu_list list;
    return cpus_parse(value, &list) == 0 && cpus_pin_list(&list) == 0;
}

/* A program may choose among them. */
static bool cpus_has(const char *value, pid_t process)
{
    struct cpu_list list, now;
    return cpus_parse(value, &list) == 0 && cpus_of_thread(process, &now) &&
           cpus_missing(&now, &list) < 0;
}

static bool group_check(const char *value)
{
    return strcmp(value, "same") == 0 || strcmp(value, "session") == 0 ||
           strcmp(value, "cgroup") == 0;
}

/* Of a group of its own, settings_apply() makes it. */
static bool group_set(const char *value)
{
    return strcmp(value, "session") != 0 || setsid() >= 0;
}

static bool group_has(const char *value, pid_t process)
{
    return strcmp(value, "session") != 0 || getsid(process) == process;
}

static const struct setting_kind kinds[] = {
    {.name = "nice",
     .argument = "N",
     .help = "priority, -20 (first) to 19 (last)",
     .check = nice_check,
     .set = nice_set,
     .has = nice_has},
    {.name = "sched",
     .argument = "idle, batch, fifo:N or rr:N",
     .help =
         "scheduling policy: idle runs when nobody else wants to, fifo and rr before all others",
     .check = sched_check,
     .set = sched_set,
     .has = sched_has},
    {.name = "ionice",
     .argument = "idle, best-effort:N or realtime:N",
     .help = "priority at the disk, where its scheduler has any",
     .check = ionice_check,
     .set = ionice_set,
     .has = ionice_has},
    {.name = "cpus",
     .argument = "LIST",
     .help = "affinity: only these CPUs, such as 0-3,8",
     .check = cpus_check,
     .set = cpus_set,
     .has = cpus_has},
    {.name = "group",
     .argument = "same, session or cgroup",
     .help = "how far from the others: threads beside threads, a session of its own (as another "
             "terminal), a control group of its own (as a container or a job)",
     .check = group_check,
     .set = group_set,
     .has = group_has},
    {.name = "cpu.weight",
     .argument = "N",
     .help = "share of the CPUs, 1 to 10000, where others have 100",
     .controller = "cpu",
     .v1_file = "cpu.shares",
     .form = FORM_WEIGHT},
    {.name = "cpu.max",
     .argument = "P%",
     .help = "no more CPU time than that, in percent of one CPU",
     .controller = "cpu",
     .v1_file = "cpu.cfs_quota_us",
     .form = FORM_QUOTA},
    {.name = "cpu.idle",
     .argument = "0 or 1",
     .help = "1: the group runs when nobody else wants to",
     .controller = "cpu",
     .v1_file = "cpu.idle",
     .form = FORM_SWITCH},
    {.name = "cpu.uclamp.max",
     .argument = "PERCENT",
     .help = "how fast a clock it may ask for",
     .controller = "cpu",
     .v1_file = "cpu.uclamp.max",
     .form = FORM_WORDS},
    {.name = "cpuset.cpus",
     .argument = "LIST",
     .help = "only these CPUs, which it cannot leave",
     .controller = "cpuset",
     .v1_file = "cpuset.cpus",
     .form = FORM_CPUS},
    {.name = "cpuset.cpus.partition",
     .argument = "root or isolated",
     .help = "the CPUs of cpuset.cpus are for nobody else",
     .controller = "cpuset",
     .form = FORM_WORDS},
    {.name = "memory.min",
     .argument = "SIZE",
     .help = "memory that is never taken from it",
     .controller = "memory",
     .form = FORM_SIZE},
    {.name = "memory.low",
     .argument = "SIZE",
     .help = "memory that is taken from others first",
     .controller = "memory",
     .form = FORM_SIZE},
    {.name = "memory.high",
     .argument = "SIZE",
     .help = "memory beyond which it is slowed down",
     .controller = "memory",
     .form = FORM_SIZE},
    {.name = "memory.max",
     .argument = "SIZE",
     .help = "memory that it cannot exceed",
     .controller = "memory",
     .v1_file = "memory.limit_in_bytes",
     .form = FORM_SIZE},
    {.name = "io.weight",
     .argument = "N",
     .help = "share of the disk, 1 to 1000, where others have 100 (needs BFQ or iocost)",
     .controller = "io",
     .v1_file = "blkio.bfq.weight",
     .form = FORM_WEIGHT},
    {.name = "io.max",
     .argument = "MAJ:MIN,wbps=N,...",
     .help = "no more of that disk",
     .controller = "io",
     .form = FORM_WORDS},
    {.name = "io.latency",
     .argument = "MAJ:MIN,target=N",
     .help = "others are slowed down when its accesses to that disk take longer",
     .controller = "io",
     .form = FORM_WORDS},
    {.name = "resctrl",
     .argument = "L3:0=f;MB:0=50,...",
     .help = "its part of the last-level cache and of the memory bandwidth, a schema of resctrl",
     .controller = "resctrl",
     .v1_file = "schemata",
     .form = FORM_WORDS},
};

#define KINDS (sizeof kinds / sizeof *kinds)

bool setting_entry(size_t index, const char **name, const char **argument, const char **help)
{
    if (index >= KINDS)
        return false;
    *name = kinds[index].name;
    *argument = kinds[index].argument;
    *help = kinds[index].help;
    return true;
}

static bool form_check(const struct setting_kind *kind, const char *value)
{
    uint64_t bytes;
    int64_t number;
    double percent;
    switch (kind->form) {
    case FORM_WEIGHT:
        return read_whole(value, 1, strcmp(kind->controller, "io") == 0 ? 1000 : 10000, &number);
    case FORM_QUOTA:
        return units_percent(value, &percent) == 0 && percent >= 1;
    case FORM_SIZE:
        return units_size(value, &bytes) == 0;
    case FORM_CPUS:
        return cpus_check(value);
    case FORM_SWITCH:
        return strcmp(value, "0") == 0 || strcmp(value, "1") == 0;
    case FORM_WORDS:
        break;
    }
    return value[0] != '\0';
}

bool setting_read(struct setting *setting, const char *text, char *error, size_t size)
{
    const size_t length = strcspn(text, "=");
    for (size_t i = 0; i < KINDS; i++) {
        const struct setting_kind *kind = &kinds[i];
        if (strlen(kind->name) != length || strncmp(kind->name, text, length) != 0)
            continue;
        const char *value = text[length] == '=' ? text + length + 1 : "";
        *setting = (struct setting){.kind = kind, .value = value};
        if (kind->check != NULL ? kind->check(value) : form_check(kind, value))
            return true;
        snprintf(error, size, "%s: not a value of %s: give %s=%s", text, kind->name, kind->name,
                 kind->argument);
        return false;
    }
    snprintf(error, size, "%s: no such setting: jostle protect --help lists them", text);
    return false;
}

/* Control groups. */

/* Where a group for a controller can be made, and how files are named in it. */
struct place {
    char folder[CGROUP_PATH];
    bool v1;
};

static const char *members_file(const struct place *place, const struct setting_kind *kind)
{
    return place->v1 && strcmp(kind->controller, "resctrl") == 0 ? "tasks" : "cgroup.procs";
}

#define RESCTRL "/sys/fs/resctrl"

static const char *v1_controller(const struct setting_kind *kind)
{
    return strcmp(kind->controller, "io") == 0 ? "blkio" : kind->controller;
}

static bool place_resctrl(struct place *place, char *error, size_t size)
{
    place->v1 = true;
    snprintf(place->folder, sizeof place->folder, RESCTRL);
    if (access(RESCTRL "/schemata", F_OK) == 0)
        return true;
    snprintf(error, size,
             "resctrl is not mounted: mount -t resctrl resctrl " RESCTRL ", where the CPU has it");
    return false;
}

static bool place_find(struct place *place, const struct setting_kind *kind, char *error,
                       size_t size)
{
    if (strcmp(kind->controller, "resctrl") == 0)
        return place_resctrl(place, error, size);
    const char *v1 = v1_controller(kind);
    place->v1 = cgroup_of(getpid(), v1, place->folder);
    if (place->v1 && kind->v1_file == NULL) {
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

/* The folder of the group that this process has there. */
static void folder_of(const struct place *place, pid_t process, char path[CGROUP_PATH])
{
    snprintf(path, CGROUP_PATH, "%.*s/" PREFIX ".%ld", CGROUP_PATH - 64, place->folder,
             (long)process);
}

/* A weight as the scheduler of v1 counts it. */
static int64_t v1_weight(const struct setting_kind *kind, int64_t weight)
{
    if (strcmp(kind->controller, "io") == 0)
        return weight;
    const int64_t shares = weight * 1024 / 100;
    return shares < 2 ? 2 : shares;
}

/* What is written to the file, and what it says then. */
static void encode(const struct place *place, const struct setting_kind *kind, const char *value,
                   char *text, size_t size)
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
        bytes -= bytes % (uint64_t)sysconf(_SC_PAGESIZE); /* as the kernel does */
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

static const char *file_of(const struct place *place, const struct setting_kind *kind)
{
    return place->v1 ? kind->v1_file : kind->name;
}

/* Whether the file says what was asked for; several lines or words may be around it. */
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

/* In v1 a group without nodes of memory takes nobody. */
static bool take_memory_nodes(const struct place *place, const char *folder)
{
    char nodes[1024];
    return !file_get(place->folder, "cpuset.mems", nodes, sizeof nodes) ||
           file_put(folder, "cpuset.mems", nodes);
}

static bool is_cpuset_v1(const struct place *place, const struct setting_kind *kind)
{
    return place->v1 && strcmp(kind->controller, "cpuset") == 0;
}

/* Makes our group there, unless it is there already, and gives it the value (NULL: none). */
static bool group_make_with(const struct setting_kind *kind, const char *value, struct place *place,
                            char *error, size_t size)
{
    char folder[CGROUP_PATH], text[4096];
    const char *failed = NULL;
    if (!place_find(place, kind, error, size))
        return false;
    folder_of(place, getpid(), folder);
    if (mkdir(folder, 0755) != 0 && errno != EEXIST)
        failed = "a group cannot be made";
    else if (is_cpuset_v1(place, kind) && !take_memory_nodes(place, folder))
        failed = "its nodes of memory cannot be set";
    else if (value != NULL) {
        encode(place, kind, value, text, sizeof text);
        if (!file_put(folder, file_of(place, kind), text))
            failed = "the kernel refuses the value";
    }
    if (failed == NULL)
        return true;
    snprintf(error, size, "%s (%.300s: %s)", failed, folder, strerror(errno));
    return false;
}

static bool group_enter_at(const struct setting_kind *kind, const struct place *place, char *error,
                           size_t size)
{
    char folder[CGROUP_PATH];
    folder_of(place, getpid(), folder);
    if (file_put(folder, members_file(place, kind), "0"))
        return true;
    snprintf(error, size, "the group cannot be entered (%.300s: %s)", folder, strerror(errno));
    return false;
}

/* The group in which the process is; false: it is not in the one that was made for it. */
static bool group_of(const struct setting_kind *kind, pid_t process, struct place *place)
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

/* As much of a line as a message has room for. */
static int most(size_t length)
{
    return length < 100 ? (int)length : 100;
}

/* Whether the process is in the group that was made for it, and that has the value. */
static bool group_verify(const struct setting_kind *kind, const char *value, pid_t process,
                         char *error, size_t size)
{
    struct place place;
    char text[4096], wanted[4096];
    if (!group_of(kind, process, &place)) {
        snprintf(error, size, "process %ld is not in the group that was made for it",
                 (long)process);
        return false;
    }
    if (value == NULL)
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

/* group=cgroup is a group of the CPU's controller with nothing set. */
static bool is_plain_group(const struct setting *setting)
{
    return setting->kind->set == group_set && strcmp(setting->value, "cgroup") == 0;
}

static const struct setting_kind *group_kind(const struct setting *setting)
{
    static const struct setting_kind plain = {
        .name = "group", .controller = "cpu", .v1_file = "cpu.shares"};
    if (is_plain_group(setting))
        return &plain;
    return setting->kind->controller != NULL ? setting->kind : NULL;
}

static bool name_error(const struct setting *setting, const char *why, char *error, size_t size)
{
    snprintf(error, size, "%s=%s: %s", setting->kind->name, setting->value, why);
    return false;
}

static bool verify_one(const struct setting *setting, pid_t process, char *error, size_t size)
{
    const struct setting_kind *group = group_kind(setting);
    const char *value = is_plain_group(setting) ? NULL : setting->value;
    char why[SETTING_ERROR];
    if (setting->kind->has != NULL && !setting->kind->has(setting->value, process))
        return name_error(setting, "it has taken no effect, or was changed since", error, size);
    if (group != NULL && !group_verify(group, value, process, why, sizeof why))
        return name_error(setting, why, error, size);
    return true;
}

/* Groups are made before any is entered: where one can be made is told by where we are. */
static bool apply_groups(const struct setting *settings, size_t count, char *error, size_t size)
{
    struct place place[SETTINGS_MOST];
    char why[SETTING_ERROR];
    for (size_t i = 0; i < count; i++) {
        const struct setting_kind *group = group_kind(&settings[i]);
        const char *value = is_plain_group(&settings[i]) ? NULL : settings[i].value;
        if (group != NULL && !group_make_with(group, value, &place[i], why, sizeof why))
            return name_error(&settings[i], why, error, size);
    }
    for (size_t i = 0; i < count; i++) {
        const struct setting_kind *group = group_kind(&settings[i]);
        if (group != NULL && !group_enter_at(group, &place[i], why, sizeof why))
            return name_error(&settings[i], why, error, size);
    }
    return true;
}

bool settings_verify(const struct setting *settings, size_t count, pid_t process, char *error,
                     size_t size)
{
    for (size_t i = 0; i < count; i++)
        if (!verify_one(&settings[i], process, error, size))
            return false;
    return true;
}

bool settings_apply(const struct setting *settings, size_t count, char *error, size_t size)
{
    settings_sweep();
    for (size_t i = 0; i < count; i++)
        if (settings[i].kind->set != NULL && !settings[i].kind->set(settings[i].value))
            return name_error(&settings[i], strerror(errno), error, size);
    return apply_groups(settings, count, error, size) &&
           settings_verify(settings, count, getpid(), error, size);
}

bool settings_try(const struct setting *settings, size_t count, char *error, size_t size)
{
    int ends[2], status = 0;
    ssize_t got = 0;
    snprintf(error, size, "it cannot be tried: %s", strerror(errno));
    if (pipe(ends) != 0)
        return false;
    const pid_t child = fork();
    if (child == 0) {
        char why[SETTING_ERROR] = "";
        const bool good = settings_apply(settings, count, why, sizeof why);
        _exit(good || write(ends[1], why, strlen(why)) < 0 ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    close(ends[1]);
    if (child > 0) {
        got = read(ends[0], error, size - 1);
        error[got > 0 ? got : 0] = '\0';
        (void)waitpid(child, &status, 0);
    }
    close(ends[0]);
    settings_sweep();
    return child > 0 && status == 0;
}

void settings_sweep(void)
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
