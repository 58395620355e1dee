// Writes facts of the machine, and what the kernel counted, as JSON.
#include "machine_json.h"

#include <glob.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "common/core_kinds.h"
#include "common/machine.h"
#include "device.h"
#include "text.h"
#include "version.h"

static json_t *count(int64_t value)
{
    return value == UNKNOWN ? json_null() : json_integer(value);
}

static json_t *seconds(int64_t time_us)
{
    return number_to_json(time_us == UNKNOWN ? NAN : (double)time_us / 1e6);
}

// Not empty, or NULL.
static const char *text_or_null(const char *text)
{
    return !text || text[0] == '\0' ? NULL : text;
}

static json_t *load_average(const struct counters *counters)
{
    const double *load = counters->load_average;
    return json_pack("[o, o, o]", number_to_json(load[0]), number_to_json(load[1]),
                     number_to_json(load[2]));
}

// Calls `take` for each line "NAME<TAB>VALUE" of a variable. False: the variable
// is empty.
static bool each_line(const char *variable, void take(json_t *, const char *, const char *),
                      json_t *into)
{
    const char *value = text_or_null(getenv(variable));
    char *text = !value ? NULL : strdup(value), *rest = NULL;
    if (!text)
        return false;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        char *tab = strchr(line, '\t');
        if (!tab)
            continue;
        *tab = '\0';
        take(into, line, tab + 1);
    }
    free(text);
    return true;
}

static json_t *whole_number(const char *text)
{
    return text[0] == '\0' ? json_null() : json_integer(strtoll(text, NULL, 10));
}

static void take_neighbour(json_t *neighbours, const char *name, const char *value)
{
    if (strcmp(name, "job") == 0)
        json_array_append_new(json_object_get(neighbours, "jobs"), text_to_json(value));
    else
        json_object_set_new(neighbours, name, whole_number(value));
}

static json_t *neighbours(void)
{
    json_t *object = json_pack("{s:[], s:n, s:n}", "jobs", "cpus_allocated", "cpus_ours");
    if (each_line("JOSTLE_JOB_NEIGHBOURS", take_neighbour, object))
        return object;
    json_decref(object);
    return json_null();
}

static void take_fact(json_t *job, const char *name, const char *value)
{
    static const char *const numbers[] = {"node_count",  "array_task_id", "restarts",
                                          "time_left_s", "components",    NULL};
    json_t *fact;
    if (value[0] == '\0')
        fact = json_null();
    else if (text_is_among(name, numbers))
        fact = whole_number(value);
    else if (strcmp(name, "exclusive") == 0)
        fact = json_boolean(strcmp(value, "true") == 0);
    else
        fact = text_to_json(value);
    json_object_set_new(job, name, fact);
}

static json_t *job(void)
{
    json_t *object = json_object();
    if (each_line("JOSTLE_JOB_FACTS", take_fact, object))
        return object;
    json_decref(object);
    return json_null();
}

json_t *counters_to_json(const struct counters *counters)
{
    char time[DATE_SIZE];
    const int64_t used = counters->swap_used_kib;
    return json_pack(
        "{s:s, s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:{s:o, s:o, s:o, s:o, s:o}, s:o}", "time",
        date_utc(counters->time, time), "cpus", (int)counters->cpus, "load_average",
        load_average(counters), "busy_s", seconds(counters->busy_us), "steal_s",
        seconds(counters->steal_us), "swap_used_bytes",
        count(used == UNKNOWN ? UNKNOWN : used * 1024), "swap_in_pages",
        count(counters->swap_in_pages), "swap_out_pages", count(counters->swap_out_pages),
        "throttle_count", count(counters->throttle_count), "pressure", "cpu_some_s",
        seconds(counters->cpu_some_us), "memory_some_s", seconds(counters->memory_some_us),
        "memory_full_s", seconds(counters->memory_full_us), "io_some_s",
        seconds(counters->io_some_us), "io_full_s", seconds(counters->io_full_us), "neighbours",
        neighbours());
}

// The text, or null where it is not known.
static json_t *known_text(bool known, const char *text)
{
    return text_to_json(known ? text_or_null(text) : NULL);
}

static json_t *os_name(void)
{
    char name[128];
    const bool known = machine_field("/etc/os-release", "PRETTY_NAME", "=", name, sizeof name);
    const bool quoted = known && name[0] == '"';
    if (quoted)
        name[1 + strcspn(name + 1, "\"")] = '\0';
    return known_text(known, name + quoted);
}

// "model name", or where there is none, as on Arm, the names of the cores, each once.
static json_t *processor_name(const struct core_kinds *kinds)
{
    char text[128];
    if (machine_field("/proc/cpuinfo", "model name", ": \t", text, sizeof text))
        return text_to_json(text);
    for (unsigned i = 0; kinds && i < kinds->count; i++)
        if (!strstr(text, kinds->kind[i].name))
            text_append(text, sizeof text, " + ", "%s", kinds->kind[i].name);
    return known_text(true, text);
}

static json_t *allowed_cpus(void)
{
    struct cpu_list allowed;
    char text[CPUS_TEXT];
    return text_to_json(cpus_allowed(&allowed) == 0 ? cpus_format(&allowed, text, sizeof text)
                                                    : "");
}

static json_t *memory_bytes(void)
{
    char value[64];
    return machine_field("/proc/meminfo", "MemTotal", ": ", value, sizeof value)
               ? json_integer(strtoll(value, NULL, 10) * 1024)
               : json_null();
}

// ---- how the machine is set up

// Sources: Linux Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst,
// admin-guide/cputopology.rst, admin-guide/mm/transhuge.rst, admin-guide/sysctl/kernel.rst
// and vm.rst, admin-guide/hw-vuln/.

#define CPU_FOLDER   "/sys/devices/system/cpu"
#define FLAWS_FOLDER CPU_FOLDER "/vulnerabilities/"

const char *const fact_names[FACTS] = {
    [FACT_GOVERNOR] = "governor",
    [FACT_TURBO] = "turbo",
    [FACT_SMT] = "smt",
    [FACT_ISOLATED] = "isolated_cpus",
    [FACT_CLOCKSOURCE] = "clocksource",
    [FACT_THP] = "thp",
    [FACT_ASLR] = "aslr",
    [FACT_SWAPPINESS] = "swappiness",
    [FACT_AUTOGROUP] = "autogroup",
    [FACT_NUMA_NODES] = "numa_nodes",
    [FACT_NUMA_BALANCING] = "numa_balancing",
    [FACT_PERF_PARANOID] = "perf_event_paranoid",
    [FACT_MICROCODE] = "microcode",
    [FACT_MITIGATIONS] = "mitigations",
};

// Those that are the first line of one file.
static const char *const files[FACTS] = {
    [FACT_CLOCKSOURCE] = "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    [FACT_ASLR] = "/proc/sys/kernel/randomize_va_space",
    [FACT_SWAPPINESS] = "/proc/sys/vm/swappiness",
    [FACT_AUTOGROUP] = "/proc/sys/kernel/sched_autogroup_enabled",
    [FACT_NUMA_BALANCING] = "/proc/sys/kernel/numa_balancing",
    [FACT_PERF_PARANOID] = "/proc/sys/kernel/perf_event_paranoid",
};

// The different first lines of the files, with blanks between.
static bool read_governors(char *text, size_t size)
{
    static const char pattern[] = CPU_FOLDER "/cpu[0-9]*/cpufreq/scaling_governor";
    char path[PATH_MAX], line[64];
    glob_t found;
    if (glob(machine_path(pattern, path), 0, NULL, &found) != 0)
        return false;
    const size_t root = strlen(path) - strlen(pattern);
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (machine_line(line, sizeof line, "%s", found.gl_pathv[i] + root) && !strstr(text, line))
            text_append(text, size, " ", "%s", line);
    globfree(&found);
    return text[0] != '\0';
}

static bool say_switch(bool known, bool on, char *text, size_t size)
{
    snprintf(text, size, "%s", !known ? "" : on ? "on" : "off");
    return known;
}

static bool read_turbo(char *text, size_t size)
{
    const int64_t no_turbo = machine_number(CPU_FOLDER "/intel_pstate/no_turbo");
    const int64_t boost = machine_number(CPU_FOLDER "/cpufreq/boost");
    return say_switch(no_turbo != UNKNOWN || boost != UNKNOWN,
                      no_turbo != UNKNOWN ? no_turbo == 0 : boost != 0, text, size);
}

static bool read_smt(char *text, size_t size)
{
    const int64_t active = machine_number(CPU_FOLDER "/smt/active");
    return say_switch(active != UNKNOWN, active != 0, text, size);
}

// An empty line where there are none, which is as good as no file.
static bool read_isolated(char *text, size_t size)
{
    if (!machine_line(text, size, CPU_FOLDER "/isolated"))
        snprintf(text, size, "none");
    return true;
}

// The file reads "always [madvise] never".
static bool read_thp(char *text, size_t size)
{
    char line[128];
    if (!machine_line(line, sizeof line, "/sys/kernel/mm/transparent_hugepage/enabled"))
        return false;
    const char *choice = strchr(line, '[');
    if (!choice)
        return false;
    snprintf(text, size, "%.*s", (int)strcspn(choice + 1, "]"), choice + 1);
    return true;
}

static bool read_nodes(char *text, size_t size)
{
    char path[PATH_MAX];
    glob_t found;
    if (glob(machine_path("/sys/devices/system/node/node[0-9]*", path), GLOB_NOSORT, NULL,
             &found) != 0)
        return false;
    snprintf(text, size, "%zu", found.gl_pathc);
    globfree(&found);
    return true;
}

static bool read_microcode(char *text, size_t size)
{
    return machine_line(text, size, CPU_FOLDER "/cpu0/microcode/version") ||
           machine_field("/proc/cpuinfo", "microcode", ": \t", text, size);
}

static bool (*const readers[FACTS])(char *, size_t) = {
    [FACT_GOVERNOR] = read_governors,  [FACT_TURBO] = read_turbo, [FACT_SMT] = read_smt,
    [FACT_ISOLATED] = read_isolated,   [FACT_THP] = read_thp,     [FACT_NUMA_NODES] = read_nodes,
    [FACT_MICROCODE] = read_microcode,
};

bool fact_read(enum fact fact, char *text, size_t size)
{
    text[0] = '\0';
    const bool shown = files[fact] ? machine_line(text, size, "%s", files[fact])
                                   : readers[fact] && readers[fact](text, size);
    if (!shown)
        text[0] = '\0';
    return shown;
}

// True: all of the text is a whole number.
static bool is_number(const char *text, long long *number)
{
    char *end;
    *number = strtoll(text, &end, 10);
    return end != text && *end == '\0';
}

long long fact_number(enum fact fact)
{
    char text[64];
    long long number;
    return fact_read(fact, text, sizeof text) && is_number(text, &number) ? number : UNKNOWN;
}

static json_t *mitigations_to_json(void)
{
    char path[PATH_MAX], line[512];
    glob_t found;
    if (glob(machine_path(FLAWS_FOLDER "*", path), 0, NULL, &found) != 0)
        return json_null();
    const size_t root = strlen(path) - strlen(FLAWS_FOLDER "*");
    json_t *flaws = json_object();
    for (size_t i = 0; i < found.gl_pathc; i++)
        if (machine_line(line, sizeof line, "%s", found.gl_pathv[i] + root))
            json_object_set_new(flaws, strrchr(found.gl_pathv[i], '/') + 1, text_to_json(line));
    globfree(&found);
    return flaws;
}

static json_t *fact_to_json(enum fact fact)
{
    char text[256];
    long long number;
    if (fact == FACT_MITIGATIONS)
        return mitigations_to_json();
    if (!fact_read(fact, text, sizeof text))
        return json_null();
    return is_number(text, &number) ? json_integer(number) : text_to_json(text);
}

// All of them, by name: a number where it is one, `mitigations` an object of texts, null where it
// is not shown.
static json_t *facts_to_json(void)
{
    json_t *facts = json_object();
    for (enum fact fact = 0; fact < FACTS; fact++)
        json_object_set_new(facts, fact_names[fact], fact_to_json(fact));
    return facts;
}

// ---- all of it

json_t *environment_to_json(const struct counters *counters)
{
    struct utsname names = {0};
    struct device device;
    struct core_kinds *kinds = core_kinds_read();
    char folder[PATH_MAX], governor[64], clock[64];
    const bool governed = fact_read(FACT_GOVERNOR, governor, sizeof governor);
    const bool clocked = fact_read(FACT_CLOCKSOURCE, clock, sizeof clock);
    const bool on_device = device_of(".", &device);
    (void)uname(&names);
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:i, s:o, s:o, s:b, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:{s:s, s:o, s:o}, s:o}",
        "host", text_to_json(names.nodename), "os", os_name(), "kernel",
        json_sprintf("%s %s", names.sysname, names.release), "architecture",
        text_to_json(names.machine), "cpu", processor_name(kinds), "cpus_online",
        (int)sysconf(_SC_NPROCESSORS_ONLN), "cpus_allowed", allowed_cpus(), "governor",
        text_to_json(governed ? governor : "unknown"), "virtual_machine", machine_is_virtual(),
        "memory_bytes", memory_bytes(), "load_average", load_average(counters), "clocksource",
        known_text(clocked, clock), "folder",
        text_to_json(getcwd(folder, sizeof folder) ? folder : ""), "file_system",
        known_text(on_device, device.file_system), "device", known_text(on_device, device.name),
        "versions", "jostle", JOSTLE_VERSION, "revision", text_to_json(version_revision()), "bash",
        text_to_json(getenv("JOSTLE_BASH_VERSION")), "job", job());
    json_t *facts = facts_to_json();
    json_object_update_missing(object, facts);
    json_decref(facts);
    json_object_set_new(object, "core_kinds", core_kinds_to_json(kinds));
    free(kinds);
    return object;
}

json_t *environment_now(void)
{
    struct counters counters;
    counters_read(&counters);
    return environment_to_json(&counters);
}
