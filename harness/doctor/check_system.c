// Checks how the system is set up: pages, address space, timers, and other programs.

#include "doctor.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cgroup.h"
#include "common/child.h"
#include "common/left_on.h"
#include "common/machine.h"
#include "common/machine_json.h"
#include "common/text.h"
#include "common/version.h"

// How the system is set up. Sources: Linux Documentation/admin-guide/mm/
// transhuge.rst, admin-guide/sysctl/kernel.rst, timers/highres.rst.

#define COARSE_TIMER_NS 1000000

static void check_thp(struct findings *findings)
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
static void check_aslr(struct findings *findings)
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
static void check_sharing(struct findings *findings)
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

static void check_numa(struct findings *findings)
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

static void check_clock(struct findings *findings)
{
    static const char *const poor[] = {"hpet", "acpi_pm",         "jiffies",
                                       "pit",  "refined-jiffies", NULL};
    char source[64];
    if (!fact_read(FACT_CLOCKSOURCE, source, sizeof source))
        found_unknown(findings, "the clock source is not shown here");
    else if (text_is_among(source, poor))
        findings_add(findings, STATUS_WARN,
                     "see in dmesg why the CPU's own counter was refused; clocksource=tsc",
                     "the clock source is %s: slow to read, or coarse", source);
    else
        found_ok(findings, "%s", source);
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

static void check_timer(struct findings *findings)
{
    const long long resolution_ns = timer_resolution_ns();
    if (resolution_ns == UNKNOWN)
        found_unknown(findings, "the resolution of timers is shown to root only");
    else if (resolution_ns > COARSE_TIMER_NS)
        findings_add(findings, STATUS_WARN, "boot without highres=off",
                     "timers fire only every %lld µs: a load's level is coarse",
                     resolution_ns / 1000);
    else
        found_ok(findings, "resolution %lld ns", resolution_ns);
}

static void add_left_on(const struct left_on *left, void *with)
{
    char advice[PATH_MAX + 64];
    (void)snprintf(advice, sizeof advice, "turn it off: bash '%s'", left->path);
    findings_add(with, STATUS_WARN, advice,
                 "jostle has left the setting %s on, as this has failed or was killed: %s",
                 left->name, left->off);
}

static void check_settings(struct findings *findings)
{
    const size_t before = findings->count;
    left_on_each(add_left_on, findings);
    if (findings->count == before)
        found_ok(findings, "no --setting was left on");
}

const struct check checks_of_system[] = {
    {"thp", .make = check_thp},
    {"aslr", .make = check_aslr},
    {"cpu-sharing", .make = check_sharing},
    {"numa-balancing", .make = check_numa},
    {"clock", .make = check_clock},
    {"timer", .make = check_timer},
    {"settings", .make = check_settings, .gates = true},
    {0},
};

// What this jostle, and the programs that it needs, can do here.

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

static void check_hardware_counters(struct findings *findings)
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

static void check_virtual(struct findings *findings)
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

static void check_libraries(struct findings *findings)
{
    char missing[256];
    if (optional_missing(missing, sizeof missing))
        findings_add(findings, STATUS_OK,
                     "install them, and build again with make WITHOUT= (docs/install.md), where "
                     "that is needed",
                     "built without %s", missing);
    else
        found_ok(findings, "built with jemalloc and liburing");
}

#define DIGITS "0123456789"

// Whether the first "MAJOR.MINOR" of the text is at least that; false where there is none.
static bool is_at_least(const char *text, unsigned major, unsigned minor)
{
    unsigned have_major, have_minor;
    if (sscanf(text + strcspn(text, DIGITS), "%u.%u", &have_major, &have_minor) != 2)
        return false;
    return have_major > major || (have_major == major && have_minor >= minor);
}

static void add_version(struct findings *findings, const char *program, const char *version,
                        unsigned major, unsigned minor)
{
    char advice[96];
    (void)snprintf(advice, sizeof advice, "install %s %u.%u or newer, and put it first in PATH",
                   program, major, minor);
    if (is_at_least(version, major, minor))
        found_ok(findings, "%s %.*s (needed: %u.%u or newer)", program, (int)strcspn(version, "("),
                 version, major, minor);
    else
        findings_add(findings, STATUS_WARN, advice, "%s %.*s is too old", program,
                     (int)strcspn(version, "("), version);
}

// harness/jostle, which is bash, says which one; an older one does not come so far.
static void check_bash(struct findings *findings)
{
    const char *version = getenv("JOSTLE_BASH_VERSION");
    if (!version)
        found_unknown(findings, "started without jostle, which says which bash it has");
    else
        add_version(findings, "bash", version, 4, 4);
}

static void check_jq(struct findings *findings)
{
    char path[PATH_MAX], *said = NULL;
    const char *const argv[] = {"jq", "--version", NULL};
    if (!child_find("jq", path)) {
        findings_add(findings, STATUS_WARN, "install jq 1.5 or newer",
                     "jq is not installed: records are written, but no tables and reports");
        return;
    }
    if (child_run(argv, -1, &said) == 0) {
        said[strcspn(said, "\n")] = '\0';
        add_version(findings, "jq", strncmp(said, "jq-", 3) == 0 ? said + 3 : said, 1, 5);
    } else {
        findings_add(findings, STATUS_WARN, "install jq 1.5 or newer",
                     "%s does not run: no tables and reports", path);
    }
    free(said);
}

const struct check checks_of_build[] = {
    {"counters", .make = check_hardware_counters},
    {"virtual-machine", .make = check_virtual},
    {"libraries", .make = check_libraries},
    {"bash", .make = check_bash},
    {"jq", .make = check_jq},
    {0},
};
