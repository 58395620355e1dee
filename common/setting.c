// Reads, sets and checks settings of the kernel that decide what a program gets beside others.
#include "common/setting.h"

#include "common/cgroup.h"
#include "common/cpus.h"
#include "common/file.h"
#include "common/group.h"
#include "common/processes.h"
#include "common/units.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// How a value is given, and how the kernel has it.
enum form {
    FORM_WEIGHT, // 1 to 10000, 100 is what others have
    FORM_QUOTA,  // percent of one CPU
    FORM_SIZE,   // bytes
    FORM_CPUS,
    FORM_SWITCH, // 0 or 1
    FORM_WORDS,  // as the kernel reads it, with commas for blanks
};

// What is asked of a setting of the process itself.
enum act {
    ACT_CHECK, // whether it can have the value
    ACT_SET,   // sets it; false with errno
    ACT_HAS,   // whether the process has it
};

struct setting_kind {
    const char *name, *argument;
    bool (*of_process)(enum act act, const char *value, pid_t process);
    // Of a control group: the controller, and the file in v1 (NULL: v2 alone has it).
    const char *controller, *v1_file;
    enum form form;
};

// Where a group for a controller can be made, and how files are named in it.
struct setting_place {
    char folder[CGROUP_PATH];
    bool v1;
};

// ---- settings that are files of a control group: it is made for one process, and named by it ----

#define PREFIX "jostle-set" // of the names of our groups; behind it the process that made one

#define PERIOD_US 100000 // of cpu.max, the kernel's own

// Whether it is a value of such a file.
static bool file_takes(const struct setting_kind *kind, const char *value)
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

#define RESCTRL "/sys/fs/resctrl"

static const char *v1_controller(const struct setting_kind *kind)
{
    return strcmp(kind->controller, "io") == 0 ? "blkio" : kind->controller;
}

static bool place_find(struct setting_place *place, const struct setting_kind *kind, char *error,
                       size_t size)
{
    if (strcmp(kind->controller, "resctrl") == 0) {
        place->v1 = true;
        snprintf(place->folder, sizeof place->folder, RESCTRL);
        if (access(RESCTRL "/schemata", F_OK) == 0)
            return true;
        snprintf(error, size,
                 "resctrl is not mounted: mount -t resctrl resctrl " RESCTRL
                 ", where the CPU has it");
        return false;
    }
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

// What is written to the file, and what it says then.
static void encode(const struct setting_place *place, const struct setting_kind *kind,
                   const char *value, char *text, size_t size)
{
    uint64_t bytes = 0;
    int64_t weight;
    double percent = 0;
    switch (kind->form) {
    case FORM_WEIGHT:
        weight = strtol(value, NULL, 10);
        if (place->v1 && strcmp(kind->controller, "io") != 0) { // as the scheduler of v1 counts it
            weight = weight * 1024 / 100;
            weight = weight < 2 ? 2 : weight;
        }
        snprintf(text, size, "%" PRId64, weight);
        return;
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

// Removes an empty group of our name: that of a process which had our number before.
static void place_forget(const struct setting_kind *kind)
{
    struct setting_place place;
    char folder[CGROUP_PATH], ignored[256];
    if (!place_find(&place, kind, ignored, sizeof ignored))
        return;
    folder_of(&place, getpid(), folder);
    (void)rmdir(folder);
}

// Makes our group, unless it is there already, and gives it the value (NULL: none). False with a
// reason, as all of these.
static bool place_make(const struct setting_kind *kind, const char *value,
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
    // In v1 a group without nodes of memory takes nobody.
    else if (place->v1 && strcmp(kind->controller, "cpuset") == 0 &&
             file_read_in(place->folder, "cpuset.mems", text, sizeof text) &&
             !file_put(folder, "cpuset.mems", text))
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

// Moves this process into it.
static bool place_enter(const struct setting_kind *kind, const struct setting_place *place,
                        char *error, size_t size)
{
    char folder[CGROUP_PATH];
    folder_of(place, getpid(), folder);
    const bool resctrl = place->v1 && strcmp(kind->controller, "resctrl") == 0;
    if (file_put(folder, resctrl ? "tasks" : "cgroup.procs", "0"))
        return true;
    snprintf(error, size, "the group cannot be entered (%.300s: %s)", folder, strerror(errno));
    return false;
}

// Whether a process is in the group of `owner`, or in one within that.
static bool is_within(const struct setting_kind *kind, pid_t process, pid_t owner)
{
    char folder[CGROUP_PATH], name[64], text[65536], line[32];
    const int length = snprintf(name, sizeof name, "/" PREFIX ".%ld", (long)owner);
    if (strcmp(kind->controller, "resctrl") == 0) {
        snprintf(folder, sizeof folder, RESCTRL "%s", name);
        snprintf(line, sizeof line, "\n%ld\n", (long)process);
        text[0] = '\n';
        return file_read_in(folder, "tasks", text + 1, sizeof text - 1) && strstr(text, line);
    }
    if (!cgroup_of(process, v1_controller(kind), folder) && !cgroup_of(process, "", folder))
        return false;
    const char *found = strstr(folder, name);
    return found && (found[length] == '\0' || found[length] == '/');
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

// Whether the process is in the group that was made for it, and that has the value.
static bool place_has(const struct setting_kind *kind, const char *value, pid_t process,
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
    if (!file_read_in(place.folder, file_of(&place, kind), text, sizeof text))
        text[0] = '\0';
    if (says(kind, text, wanted))
        return true;
    text[strcspn(text, "\n")] = '\0';
    snprintf(error, size, "the kernel has '%.100s' for '%.100s'", text, wanted);
    return false;
}

void setting_groups_sweep(void)
{
    static const char *const v1[] = {"cpu", "cpuset", "memory", "blkio"};
    char folder[CGROUP_PATH];
    for (size_t i = 0; i < sizeof v1 / sizeof *v1; i++)
        if (cgroup_of(0, v1[i], folder))
            group_sweep_in(folder, PREFIX);
    for (unsigned above = 0; cgroup_above(above, folder); above++)
        group_sweep_in(folder, PREFIX);
    group_sweep_in(RESCTRL, PREFIX);
}

// ---- of the process itself ----

// ioprio_set(2), which glibc has not.
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_SHIFT 13

static bool read_whole(const char *value, int64_t low, int64_t high, int64_t *number)
{
    return units_integer(value, number) == 0 && *number >= low && *number <= high;
}

static bool act_nice(enum act act, const char *value, pid_t process)
{
    int64_t nice;
    const bool good = read_whole(value, -20, 19, &nice);
    if (act == ACT_SET)
        return good && setpriority(PRIO_PROCESS, 0, (int)nice) == 0;
    errno = 0;
    return good && (act == ACT_CHECK ||
                    (getpriority(PRIO_PROCESS, (id_t)process) == (int)nice && errno == 0));
}

// "idle", "batch", "fifo:10", "rr:10".
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

static bool act_sched(enum act act, const char *value, pid_t process)
{
    struct sched_param param, now;
    int policy;
    if (!sched_read(value, &policy, &param))
        return false;
    if (act == ACT_SET)
        return sched_setscheduler(0, policy, &param) == 0;
    return act == ACT_CHECK ||
           (sched_getscheduler(process) == policy && sched_getparam(process, &now) == 0 &&
            now.sched_priority == param.sched_priority);
}

// "idle", "best-effort:7", "realtime:0", as the number of ioprio_set(2); -1: none of these.
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

static bool act_ionice(enum act act, const char *value, pid_t process)
{
    const int wanted = ionice_read(value);
    if (act == ACT_SET)
        return syscall(SYS_ioprio_set, IOPRIO_WHO_PROCESS, 0, wanted) == 0;
    return act == ACT_CHECK ? wanted >= 0
                            : syscall(SYS_ioprio_get, IOPRIO_WHO_PROCESS, process) == wanted;
}

// A program may choose among them.
static bool act_cpus(enum act act, const char *value, pid_t process)
{
    struct cpu_list list, now = {.count = 0};
    if (cpus_parse(value, &list) != 0)
        return false;
    if (act == ACT_SET)
        return cpus_pin_list(&list) == 0;
    return act == ACT_CHECK || (cpus_of_thread(process, &now) && cpus_missing(&now, &list) < 0);
}

// A group of its own settings_apply() makes.
static bool act_group(enum act act, const char *value, pid_t process)
{
    if (strcmp(value, "session") != 0)
        return act != ACT_CHECK || strcmp(value, "same") == 0 || strcmp(value, "cgroup") == 0;
    return act == ACT_CHECK || (act == ACT_SET ? setsid() >= 0 : getsid(process) == process);
}

#define OF_GROUP(title, value, of, in_v1, kind)                                                    \
    {                                                                                              \
        .name = (title), .argument = (value), .controller = (of), .v1_file = (in_v1),              \
        .form = (kind)                                                                             \
    }

static const struct setting_kind kinds[] = {
    {.name = "nice", .argument = "N", .of_process = act_nice},
    {.name = "sched", .argument = "idle, batch, fifo:N or rr:N", .of_process = act_sched},
    {.name = "ionice", .argument = "idle, best-effort:N or realtime:N", .of_process = act_ionice},
    {.name = "cpus", .argument = "LIST", .of_process = act_cpus},
    {.name = "group", .argument = "same, session or cgroup", .of_process = act_group},
    OF_GROUP("cpu.weight", "N", "cpu", "cpu.shares", FORM_WEIGHT),
    OF_GROUP("cpu.max", "P%", "cpu", "cpu.cfs_quota_us", FORM_QUOTA),
    OF_GROUP("cpu.idle", "0 or 1", "cpu", "cpu.idle", FORM_SWITCH),
    OF_GROUP("cpu.uclamp.max", "PERCENT", "cpu", "cpu.uclamp.max", FORM_WORDS),
    OF_GROUP("cpuset.cpus", "LIST", "cpuset", "cpuset.cpus", FORM_CPUS),
    OF_GROUP("cpuset.cpus.partition", "root or isolated", "cpuset", NULL, FORM_WORDS),
    OF_GROUP("memory.min", "SIZE", "memory", NULL, FORM_SIZE),
    OF_GROUP("memory.low", "SIZE", "memory", NULL, FORM_SIZE),
    OF_GROUP("memory.high", "SIZE", "memory", NULL, FORM_SIZE),
    OF_GROUP("memory.max", "SIZE", "memory", "memory.limit_in_bytes", FORM_SIZE),
    OF_GROUP("io.weight", "N", "io", "blkio.bfq.weight", FORM_WEIGHT),
    OF_GROUP("io.max", "MAJ:MIN,wbps=N,...", "io", NULL, FORM_WORDS),
    OF_GROUP("io.latency", "MAJ:MIN,target=N", "io", NULL, FORM_WORDS),
    OF_GROUP("resctrl", "L3:0=f;1=f,MB:0=50", "resctrl", "schemata", FORM_WORDS),
};
#define KINDS (sizeof kinds / sizeof *kinds)

bool setting_read(struct setting *setting, const char *text, char *error, size_t size)
{
    const size_t length = strcspn(text, "=");
    for (size_t i = 0; i < KINDS; i++) {
        const struct setting_kind *kind = &kinds[i];
        if (strlen(kind->name) != length || strncmp(kind->name, text, length) != 0)
            continue;
        const char *value = text[length] == '=' ? text + length + 1 : "";
        *setting = (struct setting){.kind = kind, .value = value};
        if (kind->of_process ? kind->of_process(ACT_CHECK, value, 0) : file_takes(kind, value))
            return true;
        snprintf(error, size, "%s: not a value of %s: give %s=%s", text, kind->name, kind->name,
                 kind->argument);
        return false;
    }
    size_t used = (size_t)snprintf(error, size, "%s: no such setting: give one of", text);
    for (size_t i = 0; i < KINDS && used < size; i++)
        used += (size_t)snprintf(error + used, size - used, " %s", kinds[i].name);
    return false;
}

// group=cgroup is a group of the CPU's controller with nothing set.
static bool is_plain_group(const struct setting *setting)
{
    return setting->kind->of_process == act_group && strcmp(setting->value, "cgroup") == 0;
}

static const struct setting_kind *group_kind(const struct setting *setting)
{
    static const struct setting_kind plain = {
        .name = "group", .controller = "cpu", .v1_file = "cpu.shares"};
    if (is_plain_group(setting))
        return &plain;
    return setting->kind->controller ? setting->kind : NULL;
}

static bool name_error(const struct setting *setting, const char *why, char *error, size_t size)
{
    snprintf(error, size, "%s=%s: %s", setting->kind->name, setting->value, why);
    return false;
}

// Groups are made before any is entered: where one can be made is told by where we are.
static bool apply_groups(const struct setting *settings, size_t count, char *error, size_t size)
{
    struct setting_place place[SETTINGS_MOST];
    char why[SETTING_ERROR];
    for (size_t i = 0; i < count; i++)
        if (group_kind(&settings[i]))
            place_forget(group_kind(&settings[i]));
    for (size_t i = 0; i < count; i++) {
        const struct setting_kind *group = group_kind(&settings[i]);
        const char *value = is_plain_group(&settings[i]) ? NULL : settings[i].value;
        if (group && !place_make(group, value, &place[i], why, sizeof why))
            return name_error(&settings[i], why, error, size);
    }
    for (size_t i = 0; i < count; i++) {
        const struct setting_kind *group = group_kind(&settings[i]);
        if (group && !place_enter(group, &place[i], why, sizeof why))
            return name_error(&settings[i], why, error, size);
    }
    return true;
}

bool settings_verify(const struct setting *settings, size_t count, pid_t process, char *error,
                     size_t size)
{
    char why[SETTING_ERROR] = "it has taken no effect, or was changed since";
    for (const struct setting *one = settings; one < settings + count; one++) {
        const struct setting_kind *kind = one->kind, *group = group_kind(one);
        if ((kind->of_process && !kind->of_process(ACT_HAS, one->value, process)) ||
            (group &&
             !place_has(group, is_plain_group(one) ? NULL : one->value, process, why, sizeof why)))
            return name_error(one, why, error, size);
    }
    return true;
}

// Whether a thread of a descendant of `root` has it.
static bool is_inherited(const struct setting *setting, pid_t thread, pid_t root)
{
    const struct setting_kind *kind = setting->kind, *group = group_kind(setting);
    int64_t nice;
    if (group)
        return is_within(group, thread, root);
    if (kind->of_process == act_group)
        return strcmp(setting->value, "session") != 0 || getsid(thread) == getsid(root);
    if (kind->of_process == act_nice && units_integer(setting->value, &nice) == 0 && nice > 0)
        return getpriority(PRIO_PROCESS, (id_t)thread) >= nice;
    return kind->of_process(ACT_HAS, setting->value, thread);
}

// The first setting that a thread of the process has not; NULL: none, or the thread is gone.
static const struct setting *lost_by(const struct setting *settings, size_t count, pid_t process,
                                     pid_t root)
{
    char path[PATH_MAX];
    const struct setting *lost = NULL;
    struct process now;
    DIR *folder = opendir(process_path(process, "task", path));
    const struct dirent *entry;
    while (folder && !lost && (entry = readdir(folder)) != NULL) {
        const pid_t thread = (pid_t)strtol(entry->d_name, NULL, 10);
        for (const struct setting *one = settings; thread > 0 && !lost && one < settings + count;
             one++)
            if (!is_inherited(one, thread, root) && process_read(thread, &now) && now.state != 'Z')
                lost = one;
    }
    if (folder)
        closedir(folder);
    return lost;
}

bool settings_verify_tree(const struct setting *settings, size_t count, pid_t process, char *error,
                          size_t size)
{
    struct processes all = {0};
    const struct setting *lost = NULL;
    char why[SETTING_ERROR];
    processes_read_tree(&all, process);
    for (size_t i = 0; i < all.count && !lost; i++) {
        const struct process *one = &all.process[i];
        if (one->state == 'Z' || !one->descends)
            continue;
        lost = lost_by(settings, count, one->pid, process);
        snprintf(why, sizeof why, "a program that it has started (%s) has undone it", one->name);
    }
    processes_free(&all);
    return !lost || name_error(lost, why, error, size);
}

bool settings_apply(const struct setting *settings, size_t count, char *error, size_t size)
{
    struct cpu_list cpus = {.count = 0}, now = {.count = 0};
    for (size_t i = 0; i < count; i++)
        if (settings[i].kind->of_process &&
            !settings[i].kind->of_process(ACT_SET, settings[i].value, 0))
            return name_error(&settings[i], strerror(errno), error, size);
    const bool known = cpus_of_thread(0, &cpus);
    if (!apply_groups(settings, count, error, size))
        return false;
    // Before Linux 6.2 who enters a group of v2 with the cpuset controller loses the CPUs that it
    // was bound to. Where none of those is left (cpuset.cpus), the group's are what was asked for.
    if (known && cpus_of_thread(0, &now) && cpus_overlap(&cpus, &now))
        (void)cpus_pin_list(&cpus);
    return settings_verify(settings, count, getpid(), error, size);
}

bool settings_try(const struct setting *settings, size_t count, char *error, size_t size)
{
    int ends[2], status = 0;
    const bool piped = pipe(ends) == 0;
    const pid_t child = piped ? fork() : -1;
    if (child < 0)
        snprintf(error, size, "it cannot be tried: %s", strerror(errno));
    if (child == 0) {
        char why[SETTING_ERROR] = "";
        const bool good = settings_apply(settings, count, why, sizeof why);
        (void)!write(ends[1], why, strlen(why));
        _exit(good ? EXIT_SUCCESS : EXIT_FAILURE);
    }
    if (piped)
        close(ends[1]);
    if (child > 0) {
        const ssize_t got = read(ends[0], error, size - 1);
        error[got > 0 ? got : 0] = '\0';
        (void)waitpid(child, &status, 0);
    }
    if (piped)
        close(ends[0]);
    setting_groups_sweep();
    return child > 0 && status == 0;
}
