/* Clock frequency, sharing and kinds of cores. Sources: Linux
 * Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst,
 * Documentation/admin-guide/cputopology.rst. */

#include "checks.h"
#include "common/core_kinds.h"

#include "common/machine.h"
#include "common/machine_json.h"
#include "common/units.h"

#include <stdio.h>
#include <stdlib.h>
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

/* "CPU 4-5: Arm Cortex-A72, capacity 1024; CPU 0-3: ..." */
static void describe_kinds(const struct core_kinds *kinds, char *text, size_t size)
{
    char kind[CORE_KIND_TEXT];
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < kinds->count && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s", i == 0 ? "" : "; ",
                                 core_kind_describe(&kinds->kind[i], kind, sizeof kind));
}

void check_core_kinds(struct findings *findings)
{
    struct core_kinds *kinds = core_kinds_read();
    struct cpu_list allowed;
    char text[400], advice[200], cpus[128];
    if (kinds == NULL || kinds->count == 0)
        findings_add(findings, "core-kinds", STATUS_UNKNOWN, NULL,
                     "whether cores differ in speed is not shown here");
    else if (kinds->count == 1)
        findings_add(findings, "core-kinds", STATUS_OK, NULL,
                     "no CPU differs from another in name, capacity or highest frequency");
    else if (cpus_allowed(&allowed) == 0 && core_kinds_among(kinds, &allowed) == 1)
        findings_add(findings, "core-kinds", STATUS_OK, NULL,
                     "cores differ in speed, but only those of one kind are allowed here");
    else {
        describe_kinds(kinds, text, sizeof text);
        snprintf(advice, sizeof advice, "keep target and loads on cores of one kind: taskset -c %s",
                 cpus_format(&kinds->kind[0].cpus, cpus, sizeof cpus));
        findings_add(findings, "core-kinds", STATUS_WARN, advice,
                     "cores differ in speed, so a run depends on where the kernel puts it: %s",
                     text);
    }
    free(kinds);
}

void check_caches(struct findings *findings)
{
    struct caches caches;
    char l1[32], l2[32], l3[32];
    caches_read(-1, &caches);
    if (caches.l1_bytes == 0)
        findings_add(findings, "caches", STATUS_UNKNOWN,
                     "give memory loads a --footprint; loadgen cache and the probe's l2 and l3 "
                     "cannot be had",
                     "the sizes of the caches are not stated here");
    else
        findings_add(
            findings, "caches", STATUS_OK, NULL, "L1d %s, L2 %s, L3 %s",
            units_format_size((double)caches.l1_bytes, l1, sizeof l1),
            caches.l2_bytes == 0 ? "none stated"
                                 : units_format_size((double)caches.l2_bytes, l2, sizeof l2),
            caches.l3_bytes == 0 ? "none stated"
                                 : units_format_size((double)caches.l3_bytes, l3, sizeof l3));
}
