#include "record.h"

#include "clock.h"
#include "file.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>

#define RECORD_LENGTH (4096 + CPUS_TEXT_LENGTH)

// The line under construction; text that does not fit sets full.
struct line {
    char text[RECORD_LENGTH];
    size_t length;
    bool full; // something did not fit
};

static void add(struct line *line, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(struct line *line, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const size_t room = sizeof line->text - line->length;
    const int length = vsnprintf(line->text + line->length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length >= room)
        line->full = true;
    else
        line->length += (size_t)length;
}

// add_name: a member's name, after a comma unless it is the first of its object.
static void add_name(struct line *line, const char *name)
{
    const bool first = line->length == 0 || line->text[line->length - 1] == '{';
    add(line, "%s\"%s\":", first ? "" : ",", name);
}

// Integers, not doubles, so that the last digit is right after years of uptime.
static void add_seconds(struct line *line, const char *name, int64_t time_ns, int digits)
{
    int64_t fraction = time_ns % NS_PER_S;
    for (int i = digits; i < 9; i++)
        fraction /= 10;
    add_name(line, name);
    add(line, "%" PRId64 ".%0*" PRId64, time_ns / NS_PER_S, digits, fraction);
}

static void add_count(struct line *line, const char *name, uint64_t count)
{
    add_name(line, name);
    add(line, "%" PRIu64, count);
}

static void add_count_if(struct line *line, const char *name, bool known, uint64_t count)
{
    if (known) {
        add_count(line, name, count);
        return;
    }
    add_name(line, name);
    add(line, "null");
}

static void add_flag(struct line *line, const char *name, bool value)
{
    add_name(line, name);
    add(line, "%s", value ? "true" : "false");
}

static void add_start(struct line *line, const struct timespec *start)
{
    struct tm utc;
    char date[40];
    if (gmtime_r(&start->tv_sec, &utc) == NULL ||
        strftime(date, sizeof date, "%Y-%m-%dT%H:%M:%S", &utc) == 0) {
        line->full = true;
        return;
    }
    add(line, ",\"start\":\"%s.%09ldZ\"", date, start->tv_nsec);
}

static void add_usage(struct line *line, const struct usage *usage, const struct group_usage *group)
{
    add_seconds(line, "user_s", usage->user_ns, 6);
    add_seconds(line, "system_s", usage->system_ns, 6);
    add_count(line, "max_rss_bytes", usage->max_rss_bytes);
    add_count_if(line, "tree_peak_bytes", group->has_peak, group->peak_bytes);
    add_count(line, "major_faults", usage->major_faults);
    add_count(line, "minor_faults", usage->minor_faults);
    add_count(line, "voluntary_switches", usage->voluntary_switches);
    add_count(line, "involuntary_switches", usage->involuntary_switches);
    add_count(line, "blocks_in", usage->blocks_in);
    add_count(line, "blocks_out", usage->blocks_out);
}

static void add_end(struct line *line, const struct outcome *outcome, int exec_error)
{
    const int status = outcome->status;
    const bool exited = WIFEXITED(status);
    add_count_if(line, "exit_code", exited, exited ? (uint64_t)WEXITSTATUS(status) : 0);
    add_count_if(line, "signal", !exited, exited ? 0 : (uint64_t)WTERMSIG(status));
    add_flag(line, "core_dumped", !exited && WCOREDUMP(status));
    add_flag(line, "timed_out", outcome->timed_out);
    if (exec_error == 0)
        add(line, ",\"start_error\":null");
    else
        add(line, ",\"start_error\":\"%s\"", exec_error == ENOENT ? "not found" : "not executable");
}

// grown_ns: growth of a total of microseconds, never below 0.
static int64_t grown_ns(uint64_t before_us, uint64_t after_us)
{
    return after_us > before_us ? (int64_t)(after_us - before_us) * NS_PER_US : 0;
}

static void add_pressure(struct line *line, const struct system_totals *before,
                         const struct system_totals *after)
{
    if (!before->has_pressure || !after->has_pressure) {
        add(line, ",\"pressure\":null");
        return;
    }
    const struct {
        const char *name;
        int64_t grown_ns;
    } kinds[] = {
        {"cpu_some_s", grown_ns(before->cpu_some_us, after->cpu_some_us)},
        {"memory_some_s", grown_ns(before->memory_some_us, after->memory_some_us)},
        {"memory_full_s", grown_ns(before->memory_full_us, after->memory_full_us)},
        {"io_some_s", grown_ns(before->io_some_us, after->io_some_us)},
        {"io_full_s", grown_ns(before->io_full_us, after->io_full_us)},
    };
    add(line, ",\"pressure\":{");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        add_seconds(line, kinds[i].name, kinds[i].grown_ns, 6);
    add(line, "}");
}

static void add_system(struct line *line, const struct record *record)
{
    const struct system_totals *after = &record->outcome->after;
    const uint64_t before_ns = record->before->steal_ns;
    char cpus[CPUS_TEXT_LENGTH];
    cpus_format(&record->report->cpus, cpus);
    add_pressure(line, record->before, after);
    add_seconds(line, "steal_s",
                after->steal_ns > before_ns ? (int64_t)(after->steal_ns - before_ns) : 0, 6);
    add(line, ",\"cpus\":\"%s\"", cpus);
}

// add_growth: of a count, null where the kernel has none.
static void add_growth(struct line *line, const char *name, bool known, uint64_t before,
                       uint64_t after)
{
    add_count_if(line, name, known, after > before ? after - before : 0);
}

// add_machine: what all that ran on the machine took meanwhile.
static void add_machine(struct line *line, const struct record *record)
{
    const struct system_totals *before = record->before;
    const struct system_totals *after = &record->outcome->after;
    add(line, ",\"machine\":{");
    if (before->has_busy && after->has_busy)
        add_seconds(
            line, "busy_s",
            after->busy_ns > before->busy_ns ? (int64_t)(after->busy_ns - before->busy_ns) : 0, 6);
    else
        add(line, "\"busy_s\":null");
    add_flag(line, "busy_exact", record->sources->busy[0] != '\0');
    add_growth(line, "swap_in_pages", before->has_swap_in && after->has_swap_in,
               before->swap_in_pages, after->swap_in_pages);
    add_growth(line, "throttle_count", before->has_throttle && after->has_throttle,
               before->throttle_count, after->throttle_count);
    add_count(line, "cpus", record->sources->cpus);
    add(line, "}");
}

// add_counters: null, without --counters; else each, and who is missing.
static void add_counters(struct line *line, const struct counters *counters)
{
    bool any = false;
    add_name(line, "counters");
    if (counters->counter[0].name == NULL) {
        add(line, "null");
        return;
    }
    add(line, "{");
    for (size_t i = 0; i < COUNTERS_MAX && counters->counter[i].name != NULL; i++) {
        const struct counter *counter = &counters->counter[i];
        add_count_if(line, counter->name, counter->known, counter->value);
        any = any || counter->known;
    }
    add(line, ",\"scope\":%s,\"running\":%.3f,\"absent\":[",
        !any                  ? "null"
        : counters->user_only ? "\"user\""
                              : "\"all\"",
        counters->running);
    for (size_t i = 0; i < COUNTERS_MAX && counters->counter[i].name != NULL; i++)
        if (!counters->counter[i].known)
            add(line, "%s\"%s\"", line->text[line->length - 1] == '[' ? "" : ",",
                counters->counter[i].name);
    add(line, "]}");
}

bool record_write(const struct record *record, int fd)
{
    struct line line = {.length = 0};
    const struct outcome *outcome = record->outcome;
    add(&line, "{\"schema\":\"jostle.meter/1\"");
    add_start(&line, &record->report->start);
    add_seconds(&line, "wall_s", outcome->end_ns - record->report->start_ns, 9);
    add_usage(&line, &outcome->usage, record->group);
    add_end(&line, outcome, record->report->exec_error);
    add_system(&line, record);
    add(&line, ",\"accounting\":\"%s\"", accounting_name(outcome->usage.accounting));
    add_count(&line, "survivors", outcome->survivors);
    add_count_if(&line, "interrupted", outcome->interrupted != 0, (uint64_t)outcome->interrupted);
    add_counters(&line, record->counters);
    add_machine(&line, record);
    add(&line, "}\n");
    if (line.full) {
        errno = EOVERFLOW;
        return false;
    }
    return file_write_all(fd, line.text, line.length);
}
