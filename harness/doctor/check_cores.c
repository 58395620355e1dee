/* Clock frequency and sharing of cores. Sources: Linux
 * Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst,
 * Documentation/admin-guide/cputopology.rst. */

#include "checks.h"

#include <glob.h>
#include <stdio.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu"

/* The different first lines of the files, with blanks between. False: no file. */
static bool distinct(const char *pattern, char *text, size_t size)
{
    char path[PATH_MAX], line[64];
    glob_t found;
    size_t used = 0;
    text[0] = '\0';
    if (glob(machine_path(pattern, path), 0, NULL, &found) != 0)
        return false;
    const size_t root = strlen(path) - strlen(pattern);
    for (size_t i = 0; i < found.gl_pathc && used < size; i++)
        if (machine_line(found.gl_pathv[i] + root, line, sizeof line) && strstr(text, line) == NULL)
            used += (size_t)snprintf(text + used, size - used, "%s%s", used == 0 ? "" : " ", line);
    globfree(&found);
    return used > 0;
}

void check_governor(struct findings *findings)
{
    char governors[128];
    if (!distinct(CPU_FOLDER "/cpu[0-9]*/cpufreq/scaling_governor", governors, sizeof governors))
        findings_add(findings, "governor", STATUS_UNKNOWN, NULL,
                     "the frequency governor is not shown here");
    else if (strcmp(governors, "performance") == 0)
        findings_add(findings, "governor", STATUS_OK, NULL, "performance");
    else
        findings_add(findings, "governor", STATUS_WARN, "cpupower frequency-set -g performance",
                     "the frequency governor is %s: the clock follows the load, so runs differ",
                     governors);
}

void check_turbo(struct findings *findings)
{
    const int64_t no_turbo = machine_number(CPU_FOLDER "/intel_pstate/no_turbo");
    const int64_t boost = machine_number(CPU_FOLDER "/cpufreq/boost");
    if (no_turbo == UNKNOWN && boost == UNKNOWN)
        findings_add(findings, "turbo", STATUS_UNKNOWN, NULL,
                     "whether the clock is boosted is not shown here");
    else if (no_turbo != UNKNOWN ? no_turbo == 1 : boost == 0)
        findings_add(findings, "turbo", STATUS_OK, NULL, "off");
    else
        findings_add(findings, "turbo", STATUS_WARN,
                     "echo 1 >" CPU_FOLDER "/intel_pstate/no_turbo, or echo 0 >" CPU_FOLDER
                     "/cpufreq/boost",
                     "turbo is on: the clock depends on heat and on how many cores work, so a "
                     "load slows a target down by its mere presence");
}

void check_throttling(struct findings *findings, const struct watch *watch)
{
    const int64_t count = watch_grown(watch->before.throttle_count, watch->after.throttle_count);
    if (count == UNKNOWN)
        findings_add(findings, "throttling", STATUS_UNKNOWN, NULL,
                     "thermal throttling is not counted here");
    else if (count > 0)
        findings_add(findings, "throttling", STATUS_WARN,
                     "let the machine cool down, and check its fans",
                     "the CPUs were throttled %lld times within a second", (long long)count);
    else
        findings_add(findings, "throttling", STATUS_OK, NULL, "none now (%lld times since boot)",
                     (long long)watch->after.throttle_count);
}

/* Whether a CPU has siblings: its list has more than one. */
static bool shares_core(size_t cpu)
{
    char name[128], siblings[64];
    snprintf(name, sizeof name, CPU_FOLDER "/cpu%zu/topology/thread_siblings_list", cpu);
    return machine_line(name, siblings, sizeof siblings) && strpbrk(siblings, ",-") != NULL;
}

/* " 0 2" of those that were busy and share their core. False: none. */
static bool list_busy_siblings(const struct watch *watch, char *text, size_t size)
{
    size_t used = 0;
    for (size_t cpu = 0; cpu < watch->cpus && used < size; cpu++)
        if (watch->cpu_busy_us[cpu] * 10 > watch->time_us && shares_core(cpu))
            used += (size_t)snprintf(text + used, size - used, " %zu", cpu);
    return used > 0;
}

void check_smt(struct findings *findings, const struct watch *watch)
{
    char busy[256];
    const int64_t active = machine_number(CPU_FOLDER "/smt/active");
    if (active == UNKNOWN)
        findings_add(findings, "smt", STATUS_UNKNOWN, NULL,
                     "whether CPUs share a core is not shown here");
    else if (active == 0)
        findings_add(findings, "smt", STATUS_OK, NULL,
                     "no CPU that is visible here shares its core with another");
    else if (list_busy_siblings(watch, busy, sizeof busy))
        findings_add(findings, "smt", STATUS_WARN,
                     "end what is busy there, or use other cores with --target-cpus",
                     "busy CPUs share their core with another: CPU%s: what runs on the other is "
                     "slowed down",
                     busy);
    else
        findings_add(findings, "smt", STATUS_OK, NULL,
                     "on, and idle: choose with --target-cpus and --load-cpus whether target and "
                     "load share a core");
}
