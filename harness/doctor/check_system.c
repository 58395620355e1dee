#include "doctor.h"

#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/core_kinds.h"
#include "common/machine_json.h"
#include "common/units.h"

// How the system is set up. Sources: Linux Documentation/admin-guide/mm/
// transhuge.rst, admin-guide/sysctl/kernel.rst, timers/highres.rst.

#define COARSE_TIMER_NS 1000000

// How many files there are that the pattern names.
static size_t count_files(const char *pattern)
{
    char path[PATH_MAX];
    glob_t found;
    if (glob(machine_path(pattern, path), GLOB_NOSORT | GLOB_BRACE, NULL, &found) != 0)
        return 0;
    const size_t count = found.gl_pathc;
    globfree(&found);
    return count;
}

void check_thp(struct findings *findings)
{
    char choice[128];
    if (!fact_read(FACT_THP, choice, sizeof choice))
        found_unknown(findings, "transparent huge pages are not shown here");
    else if (strcmp(choice, "always") == 0)
        findings_add(findings, STATUS_WARN,
                     "echo madvise >/sys/kernel/mm/transparent_hugepage/enabled",
                     "transparent huge pages are made whenever the kernel finds some: memory-bound "
                     "runs differ by luck");
    else
        found_ok(findings, "transparent huge pages: %s", choice);
}

// A fixed layout can be a lucky one, which no number of runs shows.
void check_aslr(struct findings *findings)
{
    const long long level = fact_number(FACT_ASLR);
    if (level == UNKNOWN)
        found_unknown(findings, "address space randomisation is not shown here");
    else if (level == 2)
        found_ok(findings,
                 "addresses are random: the mean is over many layouts (setarch -R would fix one)");
    else
        findings_add(findings, STATUS_WARN, "sysctl kernel.randomize_va_space=2",
                     "addresses are not fully random (level %lld): the result holds for one "
                     "layout, which may be a lucky one",
                     level);
}

// All that jostle starts is in one session and one group: for it neither makes a difference.
void check_sharing(struct findings *findings)
{
    const long long autogroup = fact_number(FACT_AUTOGROUP);
    char folder[CGROUP_PATH];
    if (cgroup_shares_cpus(folder))
        found_ok(
            findings,
            "the CPUs are shared among control groups first: all that jostle starts is in %.200s",
            folder);
    else if (autogroup == UNKNOWN)
        found_unknown(findings,
                      "whether the CPUs are shared among sessions (autogroup) is not shown here");
    else if (autogroup == 0)
        found_ok(findings, "the CPUs are shared among all threads, whatever their session");
    else
        found_ok(findings, "the CPUs are shared among sessions first (autogroup): all that jostle "
                           "starts is in one, whoever else is here in others");
}

void check_numa(struct findings *findings)
{
    const long long nodes = fact_number(FACT_NUMA_NODES);
    const long long balancing = fact_number(FACT_NUMA_BALANCING);
    if (nodes == UNKNOWN)
        found_unknown(findings, "memory nodes are not shown here");
    else if (nodes == 1)
        found_ok(findings, "one memory node");
    else if (balancing == UNKNOWN)
        found_unknown(findings,
                      "%lld memory nodes; whether the kernel moves pages between them is not shown",
                      nodes);
    else if (balancing == 0)
        found_ok(findings, "off, %lld memory nodes", nodes);
    else
        findings_add(findings, STATUS_WARN,
                     "sysctl kernel.numa_balancing=0, and bind the target: numactl --cpunodebind=0 "
                     "--membind=0",
                     "the kernel moves pages between %lld memory nodes while a target runs", nodes);
}

void check_clock(struct findings *findings)
{
    static const char *const poor[] = {"hpet", "acpi_pm", "jiffies", "pit", "refined-jiffies"};
    char source[64];
    bool good = true;
    if (!fact_read(FACT_CLOCKSOURCE, source, sizeof source)) {
        found_unknown(findings, "the clock source is not shown here");
        return;
    }
    for (size_t i = 0; i < sizeof poor / sizeof poor[0]; i++)
        good = good && strcmp(poor[i], source) != 0;
    if (good)
        found_ok(findings, "%s", source);
    else
        findings_add(findings, STATUS_WARN,
                     "see in dmesg why the CPU's own counter was refused; clocksource=tsc",
                     "the clock source is %s: slow to read, or coarse", source);
}

// The worst of the lines "  .resolution: 1 nsecs"; UNKNOWN: none.
static int64_t timer_resolution_ns(void)
{
    char path[PATH_MAX], line[256];
    int64_t worst_ns = UNKNOWN;
    FILE *file = fopen(machine_path("/proc/timer_list", path), "re");
    if (!file)
        return UNKNOWN;
    while (fgets(line, sizeof line, file)) {
        long long resolution_ns;
        if (sscanf(line, " .resolution: %lld nsecs", &resolution_ns) == 1 &&
            resolution_ns > worst_ns)
            worst_ns = resolution_ns;
    }
    fclose(file);
    return worst_ns;
}

void check_timer(struct findings *findings)
{
    const long long resolution_ns = timer_resolution_ns();
    if (resolution_ns == UNKNOWN)
        found_unknown(findings, "the resolution of timers is shown to root only");
    else if (resolution_ns > COARSE_TIMER_NS)
        findings_add(findings, STATUS_WARN, "boot without highres=off",
                     "timers fire only every %lld us: a load's level is coarse",
                     resolution_ns / 1000);
    else
        found_ok(findings, "resolution %lld ns", resolution_ns);
}

void check_quota(struct findings *findings)
{
    char folder[CGROUP_PATH];
    const double quota_cpus = cpus_quota();
    if (!cgroup_own("cpu", folder) && !cgroup_own("", folder))
        found_unknown(
            findings,
            "control groups are not shown here, so that a limit of CPU time would not be seen");
    else if (!isfinite(quota_cpus))
        found_ok(findings, "no limit on CPU time");
    else
        findings_add(findings, STATUS_WARN, "get more CPUs, or a job without a quota",
                     "a control group allows %.2f CPUs: target and loads are stopped together when "
                     "it is used up",
                     quota_cpus);
}

void check_hardware_counters(struct findings *findings)
{
    const long long paranoid = fact_number(FACT_PERF_PARANOID);
    if (count_files("/sys/bus/event_source/devices/{cpu,cpu_core,cpu_atom,armv*}") == 0)
        found_unknown(findings, "there are no hardware counters: instructions, cycles and cache "
                                "misses cannot be known");
    else if (paranoid != UNKNOWN && paranoid > 2)
        findings_add(findings, STATUS_UNKNOWN, "sysctl kernel.perf_event_paranoid=2",
                     "hardware counters are kept from users (perf_event_paranoid is %lld)",
                     paranoid);
    else
        found_ok(
            findings,
            "there are hardware counters: every run has instructions, cycles and cache misses");
}

void check_virtual(struct findings *findings)
{
    char path[PATH_MAX], flags[4096];
    const bool has_flags = machine_field("/proc/cpuinfo", "flags", ": \t", flags, sizeof flags);
    if (access(machine_path("/proc/cpuinfo", path), R_OK) != 0)
        found_unknown(findings, "whether this is a virtual machine is not shown here");
    else if (machine_is_virtual())
        findings_add(findings, STATUS_WARN,
                     "trust slowdowns measured side by side, not absolute times; see steal",
                     "this is a virtual machine: its host may give our CPUs, caches and disks to "
                     "others, unseen");
    else if (has_flags)
        found_ok(findings, "no sign of one");
    else
        found_unknown(findings, "this CPU does not show whether it is virtual");
}

// Clock frequency, sharing and kinds of cores. Sources: Linux
// Documentation/admin-guide/pm/cpufreq.rst and intel_pstate.rst,
// Documentation/admin-guide/cputopology.rst.

#define CPU_FOLDER "/sys/devices/system/cpu"

void check_governor(struct findings *findings)
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

void check_turbo(struct findings *findings)
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

void check_throttling(struct findings *findings)
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
    char name[128], siblings[64];
    snprintf(name, sizeof name, CPU_FOLDER "/cpu%zu/topology/thread_siblings_list", cpu);
    return machine_line(name, siblings, sizeof siblings) && strpbrk(siblings, ",-");
}

// " 0 2" of those that were busy and share their core. False: none.
static bool list_busy_siblings(const struct watch *watch, char *text, size_t size)
{
    size_t used = 0;
    for (size_t cpu = 0; cpu < watch->cpus && used < size; cpu++)
        if (watch->cpu_busy_us[cpu] * 10 > watch->time_us && shares_core(cpu))
            used += (size_t)snprintf(text + used, size - used, " %zu", cpu);
    return used > 0;
}

void check_smt(struct findings *findings)
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

void check_caches(struct findings *findings)
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
