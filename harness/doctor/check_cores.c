/* Clock frequency and sharing of cores. Sources: Linux
 * Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst,
 * Documentation/admin-guide/cputopology.rst. */

#include "checks.h"

#include "common/facts.h"

#include <stdio.h>
#include <string.h>

#define CPU_FOLDER "/sys/devices/system/cpu"

void check_governor(struct findings *findings)
{
    char governors[128];
    if (!fact_read(FACT_GOVERNOR, governors, sizeof governors))
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
    char turbo[8];
    if (!fact_read(FACT_TURBO, turbo, sizeof turbo))
        findings_add(findings, "turbo", STATUS_UNKNOWN, NULL,
                     "whether the clock is boosted is not shown here");
    else if (strcmp(turbo, "off") == 0)
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
    char busy[256], active[8];
    if (!fact_read(FACT_SMT, active, sizeof active))
        findings_add(findings, "smt", STATUS_UNKNOWN, NULL,
                     "whether CPUs share a core is not shown here");
    else if (strcmp(active, "off") == 0)
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
