// Checks the CPUs: clock frequency, what they share, and kinds of cores.

#include "doctor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/caches.h"
#include "common/core_kinds.h"
#include "common/machine.h"
#include "common/machine_json.h"
#include "common/text.h"
#include "common/units.h"

// Clock frequency, sharing and kinds of cores. Sources: Linux
// Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst,
// Documentation/admin-guide/cputopology.rst.

#define CPU_FOLDER "/sys/devices/system/cpu"

static void check_governor(struct findings *findings)
{
    char governors[128];
    if (!fact_read(FACT_GOVERNOR, governors, sizeof governors))
        found_unknown(findings, "the frequency governor is not shown here");
    else if (strcmp(governors, "performance") == 0)
        found_ok(findings, "performance");
    else
        findings_add(findings, STATUS_WARN, "cpupower frequency-set -g performance",
                     "the frequency governor is %s: the clock follows the load, so runs differ",
                     governors);
}

static void check_turbo(struct findings *findings)
{
    char turbo[8];
    if (!fact_read(FACT_TURBO, turbo, sizeof turbo))
        found_unknown(findings, "whether the clock is boosted is not shown here");
    else if (strcmp(turbo, "off") == 0)
        found_ok(findings, "off");
    else
        findings_add(findings, STATUS_WARN,
                     "echo 1 >" CPU_FOLDER "/intel_pstate/no_turbo, or echo 0 >" CPU_FOLDER
                     "/cpufreq/boost",
                     "turbo is on: the clock depends on heat and on how many cores work, so a load "
                     "slows a target down by its mere presence");
}

static void check_throttling(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    const int64_t count = watch_grown(watch->before.throttle_count, watch->after.throttle_count);
    if (count == UNKNOWN)
        found_unknown(findings, "thermal throttling is not counted here");
    else if (count > 0)
        findings_add(findings, STATUS_WARN, "let the machine cool down, and check its fans",
                     "the CPUs were throttled %lld times within a second", (long long)count);
    else
        found_ok(findings, "none now (%lld times since boot)",
                 (long long)watch->after.throttle_count);
}

// Whether a CPU has siblings: its list has more than one.
static bool shares_core(size_t cpu)
{
    char siblings[64];
    return machine_line(siblings, sizeof siblings,
                        CPU_FOLDER "/cpu%zu/topology/thread_siblings_list", cpu) &&
           strpbrk(siblings, ",-");
}

// " 0 2" of those that were busy and share their core. False: none.
static bool list_busy_siblings(const struct watch *watch, char *text, size_t size)
{
    text[0] = '\0';
    for (size_t cpu = 0; cpu < watch->cpus; cpu++)
        if (watch->cpu_busy_us[cpu] * 10 > watch->time_us && shares_core(cpu))
            text_append(text, size, "", " %zu", cpu);
    return text[0] != '\0';
}

static void check_smt(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    char busy[256], active[8];
    if (!fact_read(FACT_SMT, active, sizeof active))
        found_unknown(findings, "whether CPUs share a core is not shown here");
    else if (strcmp(active, "off") == 0)
        found_ok(findings, "no CPU that is visible here shares its core with another");
    else if (list_busy_siblings(watch, busy, sizeof busy))
        findings_add(
            findings, STATUS_WARN, "end what is busy there, or use other cores with --target-cpus",
            "busy CPUs share their core with another: CPU%s: what runs on the other is slowed down",
            busy);
    else
        found_ok(findings, "on, and idle: choose with --target-cpus and --load-cpus whether target "
                           "and load share a core");
}

// "CPU 4-5: Arm Cortex-A72, capacity 1024; CPU 0-3: ..."
static void describe_kinds(const struct core_kinds *kinds, char *text, size_t size)
{
    char kind[CORE_KIND_TEXT];
    text[0] = '\0';
    for (unsigned i = 0; i < kinds->count; i++)
        text_append(text, size, "; ", "%s", core_kind_describe(&kinds->kind[i], kind, sizeof kind));
}

static void check_core_kinds(struct findings *findings)
{
    struct core_kinds *kinds = core_kinds_read();
    struct cpu_list allowed;
    char text[400], advice[200], cpus[128];
    if (!kinds || kinds->count == 0)
        found_unknown(findings, "whether cores differ in speed is not shown here");
    else if (kinds->count == 1)
        found_ok(findings, "no CPU differs from another in name, capacity or highest frequency");
    else if (cpus_allowed(&allowed) == 0 && core_kinds_among(kinds, &allowed) == 1)
        found_ok(findings, "cores differ in speed, but only those of one kind are allowed here");
    else {
        describe_kinds(kinds, text, sizeof text);
        snprintf(advice, sizeof advice, "keep target and loads on cores of one kind: taskset -c %s",
                 cpus_format(&kinds->kind[0].cpus, cpus, sizeof cpus));
        findings_add(findings, STATUS_WARN, advice,
                     "cores differ in speed, so a run depends on where the kernel puts it: %s",
                     text);
    }
    free(kinds);
}

static void check_caches(struct findings *findings)
{
    struct caches caches;
    char l1[32], l2[32], l3[32];
    caches_read(-1, &caches);
    if (caches.l1_bytes == 0)
        findings_add(findings, STATUS_UNKNOWN,
                     "give memory loads a --footprint; loadgen cache and the probe's l2 and l3 "
                     "cannot be had",
                     "the sizes of the caches are not stated here");
    else
        found_ok(findings, "L1d %s, L2 %s, L3 %s",
                 units_format_size((double)caches.l1_bytes, l1, sizeof l1),
                 caches.l2_bytes == 0 ? "none stated"
                                      : units_format_size((double)caches.l2_bytes, l2, sizeof l2),
                 caches.l3_bytes == 0 ? "none stated"
                                      : units_format_size((double)caches.l3_bytes, l3, sizeof l3));
}

// Who else is at work on the machine.

// A tenth of a CPU, and half a percent of a large machine, is what its own
// daemons may take.
static void check_cpu_use(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    const int64_t busy_us = watch_grown(watch->before.busy_us, watch->after.busy_us);
    const double seconds = (double)watch->time_us, busy = (double)busy_us;
    const unsigned cpus = watch->after.cpus;
    const bool named = watch->culprit[0] != '\0';
    if (busy_us == UNKNOWN)
        found_unknown(findings, "CPU use is not shown here");
    else if (busy > seconds * (0.1 + 0.005 * cpus))
        findings_add(findings, STATUS_WARN, "end it, wait, or take a node of your own",
                     "%.2f of %u CPUs were busy over a second%s%s%s", busy / seconds, cpus,
                     named ? " (most: " : "", watch->culprit, named ? ")" : "");
    else
        found_ok(findings, "%.2f of %u CPUs were busy over a second", busy / seconds, cpus);
}

static void check_run_queue(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    const double load = watch->after.load_average[0];
    if (isnan(load))
        found_unknown(findings, "the run queue is not shown here");
    else if (watch->queue >= watch->after.cpus)
        findings_add(
            findings, STATUS_WARN, "end what runs, or wait",
            "%.2f tasks ran or waited for a CPU, load average %.2f: no CPU is left for the target",
            watch->queue, load);
    else
        found_ok(findings, "%.2f tasks ran or waited for a CPU, load average %.2f", watch->queue,
                 load);
}

// Stalls beyond 1 % of the time.
static void check_pressure(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    const char *name = findings->check->name;
    const int length = (int)strcspn(name, "-");
    const size_t at = findings->check->counter;
    const int64_t *before = (const void *)((const char *)&watch->before + at);
    const int64_t *after = (const void *)((const char *)&watch->after + at);
    const int64_t stalled_us = watch_grown(*before, *after);
    const double percent = 100 * (double)stalled_us / (double)watch->time_us;
    if (stalled_us == UNKNOWN)
        findings_add(findings, STATUS_UNKNOWN, "boot with psi=1",
                     "pressure stalls for %.*s are not shown here", length, name);
    else if (percent > 1)
        findings_add(findings, STATUS_WARN, "end what needs it, or wait",
                     "for %.1f %% of a second some task waited for %.*s", percent, length, name);
    else
        found_ok(findings, "some task waited for %.*s for %.1f %% of a second", length, name,
                 percent);
}

static void check_steal(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    const int64_t stolen_us = watch_grown(watch->before.steal_us, watch->after.steal_us);
    if (stolen_us == UNKNOWN) {
        found_unknown(findings, "stolen time is not shown here");
        return;
    }
    const double all_us = (double)watch->time_us * watch->after.cpus;
    const double percent = all_us > 0 ? 100 * (double)stolen_us / all_us : 0;
    const double wanted_us = (double)(watch->after.busy_us + watch->after.steal_us);
    const double since_boot = wanted_us > 0 ? 100 * (double)watch->after.steal_us / wanted_us : 0;
    const bool much = percent > 1;
    findings_add(findings, much ? STATUS_WARN : STATUS_OK,
                 much ? "measure at another time, or on a machine of your own" : NULL,
                 "the host took %.1f %% of the CPU time of a second, %.1f %% of the time that "
                 "tasks wanted since boot",
                 percent, since_boot);
}

static void check_swap(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    const struct counters *after = &watch->after;
    const int64_t back = watch_grown(watch->before.swap_in_pages, after->swap_in_pages);
    const long long pages = back == UNKNOWN ? 0 : (long long)back;
    if (after->swap_used_kib == UNKNOWN)
        found_unknown(findings, "swap is not shown here");
    else if (after->swap_used_kib > 0 || pages > 0)
        findings_add(findings, STATUS_WARN, "free memory, then swapoff -a",
                     "%lld MiB are swapped out, %lld pages came back within a second",
                     (long long)after->swap_used_kib / 1024, pages);
    else
        found_ok(findings,
                 after->swap_total_kib == 0 ? "there is none" : "there is some, none is used");
}

const struct check checks_of_machine[] = {
    {"governor", .make = check_governor},
    {"turbo", .make = check_turbo},
    {"throttling", .make = check_throttling, .gates = true},
    {"smt", .make = check_smt},
    {"core-kinds", .make = check_core_kinds},
    {"caches", .make = check_caches},
    {"cpu-use", .make = check_cpu_use, .gates = true},
    {"run-queue", .make = check_run_queue, .gates = true},
    {"cpu-pressure", .make = check_pressure, .counter = offsetof(struct counters, cpu_some_us)},
    {"memory-pressure", .make = check_pressure,
     .counter = offsetof(struct counters, memory_some_us), .gates = true},
    {"io-pressure", .make = check_pressure, .counter = offsetof(struct counters, io_some_us)},
    {"steal", .make = check_steal},
    {"swap", .make = check_swap, .gates = true},
    {0},
};
