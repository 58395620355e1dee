#include "attribution.h"

#include "causes.h"
#include "json.h"
#include "judge.h"
#include "shares.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The means of a condition's runs. The order is that of the result's `extra`.
enum mean {
    WALL,
    USER,
    SYSTEM,
    STEAL,
    CPU_SOME,
    MEMORY_SOME,
    MEMORY_FULL,
    IO_SOME,
    IO_FULL,
    OWN_CPU,
    OWN_MEMORY,
    OWN_IO,
    INVOLUNTARY,
    VOLUNTARY,
    MAJOR_FAULTS,
    INSTRUCTIONS,
    CYCLES,
    REFERENCES,
    MISSES,
    MEANS,
};

static const struct {
    const char *name, *object, *member;
} means[MEANS] = {
    [WALL] = {"wall_s", NULL, "wall_s"},
    [USER] = {"user_s", NULL, "user_s"},
    [SYSTEM] = {"system_s", NULL, "system_s"},
    [STEAL] = {"steal_s", NULL, "steal_s"},
    [CPU_SOME] = {"cpu_some_s", "pressure", "cpu_some_s"},
    [MEMORY_SOME] = {"memory_some_s", "pressure", "memory_some_s"},
    [MEMORY_FULL] = {"memory_full_s", "pressure", "memory_full_s"},
    [IO_SOME] = {"io_some_s", "pressure", "io_some_s"},
    [IO_FULL] = {"io_full_s", "pressure", "io_full_s"},
    [OWN_CPU] = {"own_cpu_s", "stalls", "cpu_s"},
    [OWN_MEMORY] = {"own_memory_s", "stalls", "memory_s"},
    [OWN_IO] = {"own_io_s", "stalls", "io_s"},
    [INVOLUNTARY] = {"involuntary_switches", NULL, "involuntary_switches"},
    [VOLUNTARY] = {"voluntary_switches", NULL, "voluntary_switches"},
    [MAJOR_FAULTS] = {"major_faults", NULL, "major_faults"},
    [INSTRUCTIONS] = {"instructions", "counters", "instructions"},
    [CYCLES] = {"cycles", "counters", "cycles"},
    [REFERENCES] = {"cache_references", "counters", "cache_references"},
    [MISSES] = {"cache_misses", "counters", "cache_misses"},
};

// Mean over the runs that know the figure; NAN when none does.
static double mean_of(const json_t *records, enum mean which)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *record = json_array_get(records, i);
        if (means[which].object)
            record = json_object_get(record, means[which].object);
        const double value = judge_number(record, means[which].member);
        if (isnan(value))
            continue;
        sum += value;
        count++;
    }
    return count > 0 ? sum / count : NAN;
}

static double ratio_of(double before, double after)
{
    return before > 0 && after > 0 ? after / before : NAN;
}

static struct hardware count_hardware(const double *before, const double *after, bool user_only)
{
    const double base_s = before[USER] + (user_only ? 0 : before[SYSTEM]);
    const double loaded_s = after[USER] + (user_only ? 0 : after[SYSTEM]);
    const double instructions = ratio_of(before[INSTRUCTIONS], after[INSTRUCTIONS]);
    const double cycles = ratio_of(before[CYCLES], after[CYCLES]);
    return (struct hardware){
        .instructions = instructions,
        .cycles_per_instruction = ratio_of(instructions, cycles),
        .cycles_per_s = ratio_of(ratio_of(base_s, loaded_s), cycles),
        .cpu_time = ratio_of(base_s, loaded_s),
        .misses_per_instruction = ratio_of(instructions, ratio_of(before[MISSES], after[MISSES])),
    };
}

static bool counts_user_only(const json_t *records)
{
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *counters = json_object_get(json_array_get(records, i), "counters");
        const char *scope = json_string_value(json_object_get(counters, "scope"));
        if (scope && strcmp(scope, "user") == 0)
            return true;
    }
    return false;
}

static json_t *causes_json(const double *values)
{
    json_t *object = json_object();
    for (enum cause i = 0; i < CAUSES; i++)
        json_object_set_new(object, cause_names[i], json_figure(values[i]));
    return object;
}

static json_t *means_json(const double *values)
{
    json_t *object = json_object();
    for (enum mean i = 0; i < MEANS; i++)
        json_object_set_new(object, means[i].name, json_figure(values[i]));
    return object;
}

static json_t *hardware_json(const struct hardware *hardware)
{
    if (!causes_has_hardware(hardware))
        return json_null();
    return json_pack("{s:o, s:o, s:o, s:o}", "instructions", json_figure(hardware->instructions),
                     "cycles_per_instruction", json_figure(hardware->cycles_per_instruction),
                     "cycles_per_s", json_figure(hardware->cycles_per_s), "misses_per_instruction",
                     json_figure(hardware->misses_per_instruction));
}

static json_t *absent_json(const double *before, const double *after)
{
    json_t *list = json_array();
    for (enum mean i = INSTRUCTIONS; i < MEANS; i++)
        if (isnan(before[i]) || isnan(after[i]))
            json_array_append_new(list, json_string(means[i].name));
    return list;
}

static json_t *intervals_json(const struct shares *shares)
{
    json_t *object = json_object();
    for (enum cause i = 0; i < CAUSES; i++) {
        const struct interval *interval = &shares->interval[i];
        const bool known = isfinite(interval->low) && isfinite(interval->high);
        json_object_set_new(
            object, cause_names[i],
            known ? json_pack("[o, o]", json_figure(interval->low), json_figure(interval->high))
                  : json_null());
    }
    return object;
}

static json_t *at_most_json(const struct shares *shares)
{
    json_t *object = json_object();
    for (enum cause i = CPU; i <= IO; i++)
        json_object_set_new(object, cause_names[i], json_figure(shares->at_most[i]));
    return object;
}

static json_t *source_json(enum stall_source source)
{
    static const char *const names[] = {
        [SOURCE_MACHINE] = "machine",
        [SOURCE_SCHEDSTAT] = "schedstat",
        [SOURCE_CGROUP] = "cgroup",
    };
    return source == SOURCE_NONE ? json_null() : json_string(names[source]);
}

static json_t *shares_json(const struct shares *shares, const struct hardware *hardware)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o, s:o, s:s, s:o}", "total",
                     json_figure(shares->total), "points", causes_json(shares->points), "seconds",
                     causes_json(shares->seconds), "intervals", intervals_json(shares), "source",
                     source_json(shares->source), "at_most", at_most_json(shares), "ambiguous",
                     shares->ambiguous, "attributed", shares->attributed, "present",
                     json_figure(shares->present), "threads", json_figure(shares->threads),
                     "execution", causes_execution(shares, hardware), "counters",
                     hardware_json(hardware));
}

// The times of each run; NULL if memory ran out. To be freed.
static struct times *read_times(const json_t *records, double cpus)
{
    const size_t count = json_array_size(records);
    struct times *times = calloc(count + 1, sizeof *times);
    for (size_t i = 0; times && i < count; i++)
        times[i] = times_of(json_array_get(records, i), cpus);
    return times;
}

static bool read_shares(const struct attribution_case *slowdown, struct shares *shares)
{
    const size_t count = json_array_size(slowdown->before);
    struct times *before = read_times(slowdown->before, slowdown->cpus);
    struct times *after = read_times(slowdown->after, slowdown->cpus);
    const bool good = before && after;
    if (good)
        *shares = shares_of(before, after, count, slowdown->critical);
    free(before);
    free(after);
    return good;
}

json_t *attribution_of(const struct attribution_case *slowdown)
{
    double before[MEANS], after[MEANS], extra[MEANS];
    struct shares shares;
    for (enum mean i = 0; i < MEANS; i++) {
        before[i] = mean_of(slowdown->before, i);
        after[i] = mean_of(slowdown->after, i);
        extra[i] = after[i] - before[i];
    }
    if (!(extra[WALL] > 0) || isnan(extra[USER]) || isnan(extra[SYSTEM]) ||
        !read_shares(slowdown, &shares))
        return json_null();
    const struct hardware hardware =
        count_hardware(before, after, counts_user_only(slowdown->after));
    json_t *object = shares_json(&shares, &hardware);
    char *text = causes_text(slowdown->condition, slowdown->statistic, &shares, &hardware);
    json_object_set_new(object, "pressure_known", json_boolean(shares.source != SOURCE_NONE));
    json_object_set_new(object, "extra", means_json(extra));
    json_object_set_new(object, "absent", absent_json(before, after));
    json_object_set_new(object, "text", json_string(text ? text : ""));
    free(text);
    return object;
}
