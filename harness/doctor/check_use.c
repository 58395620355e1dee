#include "doctor.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/statvfs.h>

#include "common/device.h"

// Who else is at work on the machine.

// A tenth of a CPU, and half a percent of a large machine, is what its own
// daemons may take.
void check_cpu_use(struct findings *findings)
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

void check_run_queue(struct findings *findings)
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
static void check_pressure(struct findings *findings, const char *resource, int64_t stalled_us)
{
    const double percent = 100 * (double)stalled_us / (double)findings->watch->time_us;
    if (stalled_us == UNKNOWN)
        findings_add(findings, STATUS_UNKNOWN, "boot with psi=1",
                     "pressure stalls for %s are not shown here", resource);
    else if (percent > 1)
        findings_add(findings, STATUS_WARN, "end what needs it, or wait",
                     "for %.1f %% of a second some task waited for %s", percent, resource);
    else
        found_ok(findings, "some task waited for %s for %.1f %% of a second", resource, percent);
}

void check_cpu_pressure(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    check_pressure(findings, "cpu",
                   watch_grown(watch->before.cpu_some_us, watch->after.cpu_some_us));
}

void check_memory_pressure(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    check_pressure(findings, "memory",
                   watch_grown(watch->before.memory_some_us, watch->after.memory_some_us));
}

void check_io_pressure(struct findings *findings)
{
    const struct watch *watch = findings->watch;
    check_pressure(findings, "io", watch_grown(watch->before.io_some_us, watch->after.io_some_us));
}

void check_steal(struct findings *findings)
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

void check_swap(struct findings *findings)
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

// What the current folder is on.

#define GIB              1073741824.0
#define LEAST_FREE_BYTES GIB

void check_folder(struct findings *findings)
{
    struct device device;
    if (!device_of(".", &device) || device.file_system[0] == '\0' ||
        strcmp(device.file_system, "unknown") == 0)
        found_unknown(findings, "the file system of the current folder is not known");
    else if (device.memory)
        findings_add(findings, STATUS_WARN, "measure in a folder on a disk",
                     "the current folder is in memory (%s): what the target reads and writes never "
                     "reaches a disk",
                     device.file_system);
    else if (device.network || strncmp(device.file_system, "fuse", 4) == 0)
        findings_add(findings, STATUS_WARN, "measure in a folder on a local disk",
                     "the current folder is on a network or user-space file system (%s): others' "
                     "traffic is in the result",
                     device.file_system);
    else
        found_ok(findings, "the current folder is on %s", device.file_system);
}

// A nearly full file system scatters what is written to it.
void check_space(struct findings *findings)
{
    struct statvfs status;
    if (statvfs(".", &status) != 0 || status.f_blocks == 0) {
        found_unknown(findings, "how much is free is not shown here");
        return;
    }
    const double free_bytes = (double)status.f_bavail * (double)status.f_frsize;
    const double size_bytes = (double)status.f_blocks * (double)status.f_frsize;
    if (free_bytes < LEAST_FREE_BYTES || free_bytes * 20 < size_bytes)
        findings_add(findings, STATUS_WARN, "free some",
                     "%.2f GiB are free: writes are scattered, and loads may not fit",
                     free_bytes / GIB);
    else
        found_ok(findings, "%.2f GiB are free", free_bytes / GIB);
}

// The schedulers that are here. Whoever starts the doctor knows them; it only shows them.

struct scheduler {
    char job[64];      // "": we are in none of its jobs
    char version[128]; // with its name
    char silent[128];  // the command that gives no version; "": it gives one
};

// Copies a field, ends it at the first of those characters, and returns what follows it.
static const char *take_field(const char *at, const char *ends, char *to, size_t size)
{
    const size_t length = strcspn(at, ends);
    (void)snprintf(to, size, "%.*s", (int)length, at);
    return at + length + (at[length] == '\t');
}

// Reads a line, and returns the next one.
static const char *take_line(const char *line, struct scheduler *scheduler)
{
    line = take_field(line, "\t\n", scheduler->job, sizeof scheduler->job);
    line = take_field(line, "\t\n", scheduler->version, sizeof scheduler->version);
    line = take_field(line, "\n", scheduler->silent, sizeof scheduler->silent);
    return line + (*line == '\n');
}

// "NAME 23.11.4", "NAME (COMMAND gives no version)"
static const char *described(const struct scheduler *scheduler, char *text, size_t size)
{
    const bool silent = scheduler->silent[0] != '\0';
    (void)snprintf(text, size, "%s%s%s%s", scheduler->version, silent ? " (" : "",
                   scheduler->silent, silent ? " gives no version)" : "");
    return text;
}

void check_scheduler(struct findings *findings)
{
    const char *line = getenv("JOSTLE_SCHEDULERS");
    char names[256] = "", one[300], advice[256] = "";
    enum status status = STATUS_OK;
    size_t used = 0, count = 0;
    while (line && *line != '\0') {
        struct scheduler scheduler;
        line = take_line(line, &scheduler);
        (void)described(&scheduler, one, sizeof one);
        if (scheduler.job[0] != '\0') {
            found_ok(findings, "this is job %s of %s", scheduler.job, one);
            return;
        }
        if (scheduler.silent[0] != '\0' && status == STATUS_OK) {
            status = STATUS_WARN;
            (void)snprintf(
                advice, sizeof advice,
                "run %s to see what is wrong; jostle submit --scheduler local needs none",
                scheduler.silent);
        }
        if (used < sizeof names)
            used += (size_t)snprintf(names + used, sizeof names - used, "%s%s",
                                     count++ == 0 ? "" : ", ", one);
    }
    if (status == STATUS_OK && count > 1)
        (void)snprintf(advice, sizeof advice,
                       "jostle submit takes the first: give --scheduler for another");
    findings_add(findings, status, advice, "%s",
                 count > 0 ? names : "none found: jostle submit has a queue of its own");
}
