#include "common/setting.h"

#include "common/machine.h"
#include "common/setting_group.h"
#include "common/units.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

// ioprio_set(2), which glibc has not.
#define IOPRIO_WHO_PROCESS 1
#define IOPRIO_CLASS_SHIFT 13

// Processes.

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

// A program may choose among them.
static bool cpus_has(const char *value, pid_t process)
{
    struct cpu_list list, now = {.count = 0};
    return cpus_parse(value, &list) == 0 && cpus_of_thread(process, &now) &&
           cpus_missing(&now, &list) < 0;
}

static bool group_check(const char *value)
{
    return strcmp(value, "same") == 0 || strcmp(value, "session") == 0 ||
           strcmp(value, "cgroup") == 0;
}

// Of a group of its own, settings_apply() makes it.
static bool group_set(const char *value)
{
    return strcmp(value, "session") != 0 || setsid() >= 0;
}

static bool group_has(const char *value, pid_t process)
{
    return strcmp(value, "session") != 0 || getsid(process) == process;
}

static const struct setting_kind kinds[] = {
    {.name = "nice", .argument = "N", .check = nice_check, .set = nice_set, .has = nice_has},
    {.name = "sched",
     .argument = "idle, batch, fifo:N or rr:N",
     .check = sched_check,
     .set = sched_set,
     .has = sched_has},
    {.name = "ionice",
     .argument = "idle, best-effort:N or realtime:N",
     .check = ionice_check,
     .set = ionice_set,
     .has = ionice_has},
    {.name = "cpus", .argument = "LIST", .check = cpus_check, .set = cpus_set, .has = cpus_has},
    {.name = "group",
     .argument = "same, session or cgroup",
     .check = group_check,
     .set = group_set,
     .has = group_has},
    {.name = "cpu.weight",
     .argument = "N",
     .controller = "cpu",
     .v1_file = "cpu.shares",
     .form = FORM_WEIGHT},
    {.name = "cpu.max",
     .argument = "P%",
     .controller = "cpu",
     .v1_file = "cpu.cfs_quota_us",
     .form = FORM_QUOTA},
    {.name = "cpu.idle",
     .argument = "0 or 1",
     .controller = "cpu",
     .v1_file = "cpu.idle",
     .form = FORM_SWITCH},
    {.name = "cpu.uclamp.max",
     .argument = "PERCENT",
     .controller = "cpu",
     .v1_file = "cpu.uclamp.max",
     .form = FORM_WORDS},
    {.name = "cpuset.cpus",
     .argument = "LIST",
     .controller = "cpuset",
     .v1_file = "cpuset.cpus",
     .form = FORM_CPUS},
    {.name = "cpuset.cpus.partition",
     .argument = "root or isolated",
     .controller = "cpuset",
     .form = FORM_WORDS},
    {.name = "memory.min", .argument = "SIZE", .controller = "memory", .form = FORM_SIZE},
    {.name = "memory.low", .argument = "SIZE", .controller = "memory", .form = FORM_SIZE},
    {.name = "memory.high", .argument = "SIZE", .controller = "memory", .form = FORM_SIZE},
    {.name = "memory.max",
     .argument = "SIZE",
     .controller = "memory",
     .v1_file = "memory.limit_in_bytes",
     .form = FORM_SIZE},
    {.name = "io.weight",
     .argument = "N",
     .controller = "io",
     .v1_file = "blkio.bfq.weight",
     .form = FORM_WEIGHT},
    {.name = "io.max", .argument = "MAJ:MIN,wbps=N,...", .controller = "io", .form = FORM_WORDS},
    {.name = "io.latency", .argument = "MAJ:MIN,target=N", .controller = "io", .form = FORM_WORDS},
    {.name = "resctrl",
     .argument = "L3:0=f;1=f,MB:0=50",
     .controller = "resctrl",
     .v1_file = "schemata",
     .form = FORM_WORDS},
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
        if (kind->check ? kind->check(value) : setting_group_takes(kind, value))
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
    return setting->kind->set == group_set && strcmp(setting->value, "cgroup") == 0;
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

static bool verify_one(const struct setting *setting, pid_t process, char *error, size_t size)
{
    const struct setting_kind *group = group_kind(setting);
    const char *value = is_plain_group(setting) ? NULL : setting->value;
    char why[SETTING_ERROR];
    if (setting->kind->has && !setting->kind->has(setting->value, process))
        return name_error(setting, "it has taken no effect, or was changed since", error, size);
    if (group && !setting_group_has(group, value, process, why, sizeof why))
        return name_error(setting, why, error, size);
    return true;
}

// Before Linux 6.2 who enters a group of v2 with the cpuset controller loses the CPUs that it was
// bound to. Where none of those is left (cpuset.cpus), the group's are what was asked for.
static void keep_cpus(const struct cpu_list *cpus)
{
    struct cpu_list now = {.count = 0};
    if (cpus_of_thread(0, &now) && cpus_overlap(cpus, &now))
        (void)cpus_pin_list(cpus);
}

// Groups are made before any is entered: where one can be made is told by where we are.
static bool apply_groups(const struct setting *settings, size_t count, char *error, size_t size)
{
    struct setting_place place[SETTINGS_MOST];
    char why[SETTING_ERROR];
    for (size_t i = 0; i < count; i++)
        if (group_kind(&settings[i]))
            setting_group_forget(group_kind(&settings[i]));
    for (size_t i = 0; i < count; i++) {
        const struct setting_kind *group = group_kind(&settings[i]);
        const char *value = is_plain_group(&settings[i]) ? NULL : settings[i].value;
        if (group && !setting_group_make(group, value, &place[i], why, sizeof why))
            return name_error(&settings[i], why, error, size);
    }
    for (size_t i = 0; i < count; i++) {
        const struct setting_kind *group = group_kind(&settings[i]);
        if (group && !setting_group_enter(group, &place[i], why, sizeof why))
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
    struct cpu_list cpus = {.count = 0};
    for (size_t i = 0; i < count; i++)
        if (settings[i].kind->set && !settings[i].kind->set(settings[i].value))
            return name_error(&settings[i], strerror(errno), error, size);
    const bool known = cpus_of_thread(0, &cpus);
    if (!apply_groups(settings, count, error, size))
        return false;
    if (known)
        keep_cpus(&cpus);
    return settings_verify(settings, count, getpid(), error, size);
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
    setting_groups_sweep();
    return child > 0 && status == 0;
}
