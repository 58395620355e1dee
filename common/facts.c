/* Sources: Linux Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst,
 * admin-guide/cputopology.rst, admin-guide/mm/transhuge.rst, admin-guide/sysctl/kernel.rst
 * and vm.rst, admin-guide/hw-vuln/. */

#include "common/facts.h"

#include "common/machine.h"
#include "common/record_json.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* Those that are the first line of one file. */
static const char *const files[FACTS] = {
    [FACT_CLOCKSOURCE] = "/sys/devices/system/clocksource/clocksource0/current_clocksource",
    [FACT_ASLR] = "/proc/sys/kernel/randomize_va_space",
    [FACT_SWAPPINESS] = "/proc/sys/vm/swappiness",
    [FACT_AUTOGROUP] = "/proc/sys/kernel/sched_autogroup_enabled",
    [FACT_NUMA_BALANCING] = "/proc/sys/kernel/numa_balancing",
    [FACT_PERF_PARANOID] = "/proc/sys/kernel/perf_event_paranoid",
};

/* The different first lines of the files, with blanks between. */
static bool read_governors(char *text, size_t size)
{
    static const char pattern[] = CPU_FOLDER "/cpu[0-9]*/cpufreq/scaling_governor";
    char path[PATH_MAX], line[64];
    glob_t found;
    size_t used = 0;
    if (glob(machine_path(pattern, path), 0, NULL, &found) != 0)
        return false;
    const size_t root = strlen(path) - strlen(pattern);
    for (size_t i = 0; i < found.gl_pathc && used < size; i++)
        if (machine_line(found.gl_pathv[i] + root, line, sizeof line) && strstr(text, line) == NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : " ", line);
    globfree(&found);
    return used > 0;
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

/* An empty line where there are none, which is as good as no file. */
static bool read_isolated(char *text, size_t size)
{
    if (!machine_line(CPU_FOLDER "/isolated", text, size))
        snprintf(text, size, "none");
    return true;
}

/* The file reads "always [madvise] never". */
static bool read_thp(char *text, size_t size)
{
    char line[128];
    if (!machine_line("/sys/kernel/mm/transparent_hugepage/enabled", line, sizeof line))
        return false;
    const char *choice = strchr(line, '[');
    if (choice == NULL)
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
    return machine_line(CPU_FOLDER "/cpu0/microcode/version", text, size) ||
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
    const bool shown = files[fact] != NULL ? machine_line(files[fact], text, size)
                                           : readers[fact] != NULL && readers[fact](text, size);
    if (!shown)
        text[0] = '\0';
    return shown;
}

/* True: all of the text is a whole number. */
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
        if (machine_line(found.gl_pathv[i] + root, line, sizeof line))
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

json_t *facts_to_json(void)
{
    json_t *facts = json_object();
    for (enum fact fact = 0; fact < FACTS; fact++)
        json_object_set_new(facts, fact_names[fact], fact_to_json(fact));
    return facts;
}
