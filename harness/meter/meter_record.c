// Writes the record of a run, jostle.meter/1.
#include "meter_record.h"

#include "accounting.h"
#include "command_line.h"
#include "extract.h"
#include "fields.h"
#include "kept_output.h"
#include "launch.h"
#include "perf_counters.h"
#include "run.h"
#include "sought.h"
#include "stalls.h"
#include "stops.h"

#include "common/clock.h"
#include "common/counters.h"
#include "common/cpus.h"
#include "common/group.h"
#include "common/json.h"
#include "common/machine.h"
#include "common/metric.h"
#include "common/save.h"
#include "common/schemas.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

// The longest tick that a kernel is built with (CONFIG_HZ=100).
#define TICK_NS (10 * NS_PER_MS)

static bool add_start(struct line *line, const struct launch_report *report)
{
    const struct timespec *start = &report->start, *uptime = &report->uptime;
    struct tm utc;
    char date[40], text[64];
    if (!gmtime_r(&start->tv_sec, &utc) ||
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc) == 0)
        return false;
    (void)snprintf(text, sizeof text, "%s.%09ldZ", date, start->tv_nsec);
    line_text(line, "start", text);
    line_seconds(line, "uptime_s", (int64_t)uptime->tv_sec * NS_PER_S + uptime->tv_nsec, 6);
    return true;
}

static void add_usage(struct line *line, const struct usage *usage, const struct group_usage *group)
{
    line_seconds(line, "user_s", usage->user_ns, 6);
    line_seconds(line, "system_s", usage->system_ns, 6);
    line_count(line, "max_rss_bytes", usage->max_rss_bytes);
    field_count(line, "tree_peak_bytes", group->has_peak, group->peak_bytes);
    line_count(line, "major_faults", usage->major_faults);
    line_count(line, "minor_faults", usage->minor_faults);
    line_count(line, "voluntary_switches", usage->voluntary_switches);
    line_count(line, "involuntary_switches", usage->involuntary_switches);
    line_count(line, "blocks_in", usage->blocks_in);
    line_count(line, "blocks_out", usage->blocks_out);
}

static void add_stops(struct line *line, const struct stops *stops)
{
    field_seconds(line, "stopped_s", stops->total_known, stops->total_ns, 9);
    line_count(line, "stops", stops->count);
}

// Why the target could not do its work; NULL if it could.
static const char *start_error(const struct launch_report *report, const struct stops *stops)
{
    if (stops->terminal != 0)
        return stops->terminal == SIGTTIN ? "reads the terminal" : "writes to the terminal";
    return report->exec_error == 0 ? NULL : report->exec_why;
}

static void add_end(struct line *line, const struct outcome *outcome,
                    const struct launch_report *report)
{
    const int status = outcome->status;
    const bool exited = WIFEXITED(status);
    field_count(line, "exit_code", exited, exited ? (uint64_t)WEXITSTATUS(status) : 0);
    field_count(line, "signal", !exited, exited ? 0 : (uint64_t)WTERMSIG(status));
    line_bool(line, "core_dumped", !exited && WCOREDUMP(status));
    line_bool(line, "timed_out", outcome->timed_out);
    field_seconds(line, "timed_out_s", outcome->timed_out, outcome->timed_out_ns, 9);
    line_text(line, "start_error", start_error(report, &outcome->stops));
}

// By how much a total has grown: 0 where it was not known, and never less.
static int64_t growth(int64_t before, int64_t after)
{
    return before != UNKNOWN && after > before ? after - before : 0;
}

// A total of microseconds, in seconds.
static void add_grown_us(struct line *line, const char *name, int64_t before_us, int64_t after_us)
{
    line_seconds(line, name, growth(before_us, after_us) * NS_PER_US, 6);
}

static bool has_pressure(const struct counters *counters)
{
    return counters->cpu_some_us != UNKNOWN && counters->memory_some_us != UNKNOWN &&
           counters->io_some_us != UNKNOWN;
}

// How much a count has grown; null where it is not known.
static void add_grown_count(struct line *line, const char *name, int64_t before, int64_t after)
{
    field_count(line, name, before != UNKNOWN && after != UNKNOWN, (uint64_t)growth(before, after));
}

static void add_pressure(struct line *line, const struct counters *before,
                         const struct counters *after)
{
    if (!has_pressure(before) || !has_pressure(after)) {
        line_null(line, "pressure");
        return;
    }
    line_object(line, "pressure");
    add_grown_us(line, "cpu_some_s", before->cpu_some_us, after->cpu_some_us);
    add_grown_us(line, "memory_some_s", before->memory_some_us, after->memory_some_us);
    add_grown_us(line, "memory_full_s", before->memory_full_us, after->memory_full_us);
    add_grown_us(line, "io_some_s", before->io_some_us, after->io_some_us);
    add_grown_us(line, "io_full_s", before->io_full_us, after->io_full_us);
    line_close(line);
}

static void add_stalls(struct line *line, const struct run *run, int64_t wall_ns)
{
    const struct stall_totals *from = &run->launch->report->stalls, *to = &run->outcome.stalls;
    const struct counters *before = &run->before, *after = &run->outcome.after;
    const bool grouped = from->has_group && to->has_group;
    // A total of what is there steps back where some of it has gone.
    const bool delayed = from->has_delay && to->has_delay && to->delay_ns >= from->delay_ns &&
                         to->run_ns >= from->run_ns;
    const int64_t delay_ns = delayed ? to->delay_ns - from->delay_ns : -1;
    if (!stalls_write(line, grouped ? from->group_us : NULL, to->group_us, delay_ns, wall_ns,
                      TICK_NS))
        return;
    field_seconds(line, "run_delay_s", delayed, delay_ns, 6);
    field_seconds(line, "run_s", delayed, to->run_ns - from->run_ns, 6);
    field_seconds(line, "throttled_s",
                  before->throttled_ns != UNKNOWN && after->throttled_ns != UNKNOWN,
                  growth(before->throttled_ns, after->throttled_ns), 6);
    line_close(line);
}

static void add_system(struct line *line, const struct run *run)
{
    const struct counters *after = &run->outcome.after;
    char cpus[CPUS_TEXT];
    add_pressure(line, &run->before, after);
    add_grown_us(line, "steal_s", run->before.steal_us, after->steal_us);
    line_text(line, "cpus", cpus_format(&run->launch->report->cpus, cpus, sizeof cpus));
    if (run->outcome.cpus.count > 0)
        line_text(line, "end_cpus", cpus_format(&run->outcome.cpus, cpus, sizeof cpus));
}

// What all that ran on the machine took meanwhile.
static void add_machine(struct line *line, const struct run *run)
{
    const struct counters *before = &run->before;
    const struct counters *after = &run->outcome.after;
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    line_object(line, "machine");
    field_seconds(line, "busy_s", before->busy_ns != UNKNOWN && after->busy_ns != UNKNOWN,
                  growth(before->busy_ns + run->launch->drain.cpu_ns, after->busy_ns), 6);
    line_bool(line, "busy_exact", run->kernel->fd[COUNTER_BUSY] >= 0);
    add_grown_count(line, "swap_in_pages", before->swap_in_pages, after->swap_in_pages);
    add_grown_count(line, "throttle_count", before->throttle_count, after->throttle_count);
    add_grown_count(line, "network_bytes", before->network.bytes, after->network.bytes);
    add_grown_count(line, "loopback_bytes", before->network.loopback_bytes,
                    after->network.loopback_bytes);
    line_integer(line, "cpus", cpus > 0 ? cpus : 1);
    line_close(line);
}

// Processes that were killed for want of memory meanwhile: of the target, of the cgroup that we are
// in, of the machine.
static void add_memory_kills(struct line *line, const struct run *run)
{
    const struct counters *before = &run->before, *after = &run->outcome.after;
    line_object(line, "memory_kills");
    add_grown_count(line, "target", run->kills_before, run->kills_after);
    add_grown_count(line, "cgroup", before->cgroup_kills, after->cgroup_kills);
    add_grown_count(line, "machine", before->machine_kills, after->machine_kills);
    line_close(line);
}

// Each counter, and which are absent; null without --counters.
static void add_counters(struct line *line, const struct perf_counters *counters)
{
    bool any = false;
    if (!counters->counter[0].name) {
        line_null(line, "counters");
        return;
    }
    line_object(line, "counters");
    for (size_t i = 0; i < COUNTERS_MAX && counters->counter[i].name; i++) {
        const struct counter *counter = &counters->counter[i];
        field_count(line, counter->name, counter->known, counter->value);
        any = any || counter->known;
    }
    line_text(line, "scope", !any ? NULL : counters->user_only ? "user" : "all");
    line_fixed(line, "running", counters->running, 3);
    line_array(line, "absent");
    for (size_t i = 0; i < COUNTERS_MAX && counters->counter[i].name; i++)
        if (!counters->counter[i].known)
            line_text(line, NULL, counters->counter[i].name);
    line_close(line);
    line_close(line);
}

// Writes the metrics that were found in the output, and the first that was not.
static void add_metrics(struct line *line, const struct extractor *extractor)
{
    const size_t failed = extract_failure(extractor);
    line_object(line, "metrics");
    for (size_t i = 0; i < extractor->count; i++) {
        const struct sought *sought = &extractor->sought[i];
        const struct metric *metric = &sought->metric;
        if (!sought->applies)
            continue;
        line_object(line, metric->name);
        line_real(line, "value", sought->figure.value);
        line_text(line, "unit", metric->unit);
        line_text(line, "better", metric_better_names[metric->higher_is_better]);
        if (metric->source == METRIC_PERF) {
            line_fixed(line, "running", sought->share, 3);
            line_text(line, "scope", sought->user_only ? "user" : "all");
        }
        line_close(line);
    }
    line_close(line);
    if (failed == extractor->count) {
        line_null(line, "metric_failure");
        return;
    }
    line_object(line, "metric_failure");
    line_text(line, "metric", extractor->sought[failed].metric.name);
    line_text(line, "reason", extractor->sought[failed].figure.reason);
    line_close(line);
}

// Where the output of a failed run was put.
static void add_output(struct line *line, const struct kept_paths *kept)
{
    if (kept->out[0] == '\0' && kept->errors[0] == '\0') {
        line_null(line, "output");
        return;
    }
    line_object(line, "output");
    line_text(line, "stdout", kept->out[0] == '\0' ? NULL : kept->out);
    line_text(line, "stderr", kept->errors[0] == '\0' ? NULL : kept->errors);
    line_close(line);
}

static bool fill(struct line *line, const struct run *run)
{
    const struct outcome *outcome = &run->outcome;
    const int64_t wall_ns = outcome->end_ns - run->launch->report->start_ns;
    line_object(line, NULL);
    line_text(line, "schema", SCHEMA_METER);
    if (!add_start(line, run->launch->report))
        return false;
    line_seconds(line, "wall_s", wall_ns, 9);
    add_usage(line, &outcome->usage, &run->group_usage);
    add_end(line, outcome, run->launch->report);
    add_system(line, run);
    line_text(line, "accounting", accounting_name(outcome->usage.accounting));
    line_count(line, "survivors", outcome->survivors);
    field_count(line, "interrupted", outcome->interrupted != 0, (uint64_t)outcome->interrupted);
    add_counters(line, &run->counters);
    add_machine(line, run);
    add_memory_kills(line, run);
    add_stalls(line, run, wall_ns);
    add_stops(line, &outcome->stops);
    add_metrics(line, run->extractor);
    add_output(line, &run->kept);
    return true;
}

bool meter_record_write(const struct run *run, int fd)
{
    struct line line = {0};
    const char *text = fill(&line, run) ? line_end(&line) : NULL;
    if (!text)
        errno = EOVERFLOW;
    const bool written = text && save_append(fd, text, line.used);
    const int error = errno;
    line_free(&line);
    errno = error;
    return written;
}
