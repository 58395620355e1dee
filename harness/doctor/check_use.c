/* Who else is at work on the machine. */

#include "checks.h"

#include <math.h>

/* A tenth of a CPU, and half a percent of a large machine, is what its own
 * daemons may take. */
void check_cpu_use(struct findings *findings, const struct watch *watch)
{
    const int64_t busy_us = watch_grown(watch->before.busy_us, watch->after.busy_us);
    const double seconds = (double)watch->time_us, busy = (double)busy_us;
    const unsigned cpus = watch->after.cpus;
    const bool named = watch->culprit[0] != '\0';
    if (busy_us == UNKNOWN)
        findings_add(findings, "cpu-use", STATUS_UNKNOWN, NULL, "CPU use is not shown here");
    else if (busy > seconds * (0.1 + 0.005 * cpus))
        findings_add(findings, "cpu-use", STATUS_WARN, "end it, wait, or take a node of your own",
                     "%.2f of %u CPUs were busy over a second%s%s%s", busy / seconds, cpus,
                     named ? " (most: " : "", watch->culprit, named ? ")" : "");
    else
        findings_add(findings, "cpu-use", STATUS_OK, NULL,
                     "%.2f of %u CPUs were busy over a second", busy / seconds, cpus);
}

void check_run_queue(struct findings *findings, const struct watch *watch)
{
    const double load = watch->after.load_average[0];
    if (isnan(load))
        findings_add(findings, "run-queue", STATUS_UNKNOWN, NULL,
                     "the run queue is not shown here");
    else if (watch->queue >= watch->after.cpus)
        findings_add(findings, "run-queue", STATUS_WARN, "end what runs, or wait",
                     "%.2f tasks ran or waited for a CPU, load average %.2f: no CPU is left for "
                     "the target",
                     watch->queue, load);
    else
        findings_add(findings, "run-queue", STATUS_OK, NULL,
                     "%.2f tasks ran or waited for a CPU, load average %.2f", watch->queue, load);
}

/* Stalls beyond 1 % of the time. */
static void check_pressure(struct findings *findings, const struct watch *watch, const char *check,
                           const char *resource, int64_t stalled_us)
{
    const double percent = 100 * (double)stalled_us / (double)watch->time_us;
    if (stalled_us == UNKNOWN)
        findings_add(findings, check, STATUS_UNKNOWN, "boot with psi=1",
                     "pressure stalls for %s are not shown here", resource);
    else if (percent > 1)
        findings_add(findings, check, STATUS_WARN, "end what needs it, or wait",
                     "for %.1f %% of a second some task waited for %s", percent, resource);
    else
        findings_add(findings, check, STATUS_OK, NULL,
                     "some task waited for %s for %.1f %% of a second", resource, percent);
}

void check_cpu_pressure(struct findings *findings, const struct watch *watch)
{
    check_pressure(findings, watch, "cpu-pressure", "cpu",
                   watch_grown(watch->before.cpu_some_us, watch->after.cpu_some_us));
}

void check_memory_pressure(struct findings *findings, const struct watch *watch)
{
    check_pressure(findings, watch, "memory-pressure", "memory",
                   watch_grown(watch->before.memory_some_us, watch->after.memory_some_us));
}

void check_io_pressure(struct findings *findings, const struct watch *watch)
{
    check_pressure(findings, watch, "io-pressure", "io",
                   watch_grown(watch->before.io_some_us, watch->after.io_some_us));
}

void check_steal(struct findings *findings, const struct watch *watch)
{
    const int64_t stolen_us = watch_grown(watch->before.steal_us, watch->after.steal_us);
    if (stolen_us == UNKNOWN) {
        findings_add(findings, "steal", STATUS_UNKNOWN, NULL, "stolen time is not shown here");
        return;
    }
    const double all_us = (double)watch->time_us * watch->after.cpus;
    const double percent = all_us > 0 ? 100 * (double)stolen_us / all_us : 0;
    const double wanted_us = (double)(watch->after.busy_us + watch->after.steal_us);
    const double since_boot = wanted_us > 0 ? 100 * (double)watch->after.steal_us / wanted_us : 0;
    const bool much = percent > 1;
    findings_add(findings, "steal", much ? STATUS_WARN : STATUS_OK,
                 much ? "measure at another time, or on a machine of your own" : NULL,
                 "the host took %.1f %% of the CPU time of a second, %.1f %% of the time that "
                 "tasks wanted since boot",
                 percent, since_boot);
}

void check_swap(struct findings *findings, const struct watch *watch)
{
    const struct counters *after = &watch->after;
    const int64_t back = watch_grown(watch->before.swap_in_pages, after->swap_in_pages);
    const long long pages = back == UNKNOWN ? 0 : (long long)back;
    if (after->swap_used_kib == UNKNOWN)
        findings_add(findings, "swap", STATUS_UNKNOWN, NULL, "swap is not shown here");
    else if (after->swap_used_kib > 0 || pages > 0)
        findings_add(findings, "swap", STATUS_WARN, "free memory, then swapoff -a",
                     "%lld MiB are swapped out, %lld pages came back within a second",
                     (long long)after->swap_used_kib / 1024, pages);
    else
        findings_add(findings, "swap", STATUS_OK, NULL,
                     after->swap_total_kib == 0 ? "there is none" : "there is some, none is used");
}
