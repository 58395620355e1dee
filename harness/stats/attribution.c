#include "attribution.h"

#include "causes.h"
#include "json.h"
#include "judge.h"

#include <math.h>
#include <stdio.h>
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
    [INVOLUNTARY] = {"involuntary_switches", NULL, "involuntary_switches"},
    [VOLUNTARY] = {"voluntary_switches", NULL, "voluntary_switches"},
    [MAJOR_FAULTS] = {"major_faults", NULL, "major_faults"},
    [INSTRUCTIONS] = {"instructions", "counters", "instructions"},
    [CYCLES] = {"cycles", "counters", "cycles"},
    [REFERENCES] = {"cache_references", "counters", "cache_references"},
    [MISSES] = {"cache_misses", "counters", "cache_misses"},
};

// A target that gives the CPU away this rarely waits for no disk: a start alone
// costs a few switches.
static const double few_switches = 3;

static double clamp(double value, double low, double high)
{
    return value < low ? low : value > high ? high : value;
}

static double or_0(double value)
{
    return isnan(value) ? 0 : value;
}

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

// Mean CPU time of the loads on the target's node.
static double loads_cpu_s(const json_t *records)
{
    double sum = 0, count = 0;
    for (size_t i = 0; i < json_array_size(records); i++) {
        const json_t *loads = json_object_get(json_array_get(records, i), "load");
        double run = 0;
        bool known = false;
        for (size_t k = 0; k < json_array_size(loads); k++) {
            const json_t *load = json_array_get(loads, k), *node = json_object_get(load, "node");
            const double cpu_s = judge_number(load, "cpu_s");
            if ((node && !json_is_null(node)) || isnan(cpu_s))
                continue;
            run += cpu_s;
            known = true;
        }
        sum += run;
        count += known;
    }
    return count > 0 ? sum / count : 0;
}

static bool may_block(const double *after)
{
    return !(after[VOLUNTARY] <= few_switches) || or_0(after[MAJOR_FAULTS]) >= 1;
}

// The larger of the two that are left without the largest.
static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

// The time off the CPU but not stolen, `rest`, shared out between CPU, memory and disk.
static void share_out(double rest, const double *extra, const double *after, double cpus,
                      struct shares *shares)
{
    const double memory = fmax(or_0(extra[MEMORY_SOME]), 0);
    const double io = may_block(after) ? fmax(or_0(extra[IO_SOME]) - memory, 0) : 0;
    const double cpu = fmax(isnan(extra[CPU_SOME]) ? rest : extra[CPU_SOME], 0);
    // The kernel averages stalls over the busy CPUs: one queue among n counts 1/n.
    const double cpu_most = fmin(cpu * cpus, rest), claims = memory + io + cpu;
    const double part = fmin(1, claims > 0 ? rest / claims : 1);
    shares->s[MEMORY] = memory * part;
    shares->s[IO] = io * part;
    shares->s[CPU] = clamp(rest - (memory + io) * part, 0, cpu_most);
    shares->ambiguous =
        memory + io + cpu_most > rest * 1.001 && middle(memory, io, cpu_most) > rest / 10;
}

// The seconds of the slowdown by cause; they add up to extra[WALL].
static struct shares share(const double *before, const double *after, const double *extra,
                           double cpus, double load_cpu_s)
{
    struct shares shares = {0};
    const double delta = extra[WALL];
    shares.threads = fmax((before[USER] + before[SYSTEM]) / before[WALL], 1);
    shares.s[EXECUTION] = clamp((extra[USER] + extra[SYSTEM]) / shares.threads, 0, delta);
    const double off = delta - shares.s[EXECUTION], cpu_s = after[USER] + after[SYSTEM];
    // Stolen time hits whoever runs: the target by its part of the CPU time.
    const double stolen =
        cpu_s > 0 ? fmax(or_0(extra[STEAL]), 0) * cpu_s / (cpu_s + load_cpu_s) / shares.threads : 0;
    shares.s[HOST] = clamp(stolen, 0, off);
    share_out(off - shares.s[HOST], extra, after, cpus, &shares);
    double known = 0;
    for (enum cause i = 0; i < UNEXPLAINED; i++)
        known += shares.s[i];
    shares.s[UNEXPLAINED] = fmax(delta - known, 0);
    return shares;
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

json_t *attribution_of(const struct attribution_case *slowdown)
{
    double before[MEANS], after[MEANS], extra[MEANS], points[CAUSES];
    for (enum mean i = 0; i < MEANS; i++) {
        before[i] = mean_of(slowdown->before, i);
        after[i] = mean_of(slowdown->after, i);
        extra[i] = after[i] - before[i];
    }
    if (!(extra[WALL] > 0) || isnan(extra[USER]) || isnan(extra[SYSTEM]))
        return json_null();
    const struct shares shares =
        share(before, after, extra, slowdown->cpus, loads_cpu_s(slowdown->after));
    for (enum cause i = 0; i < CAUSES; i++)
        points[i] = shares.s[i] / extra[WALL] * (slowdown->ratio - 1) * 100;
    const struct hardware hardware =
        count_hardware(before, after, counts_user_only(slowdown->after));
    const bool pressure_known = !isnan(extra[CPU_SOME]);
    char *text = causes_text(slowdown->condition, (slowdown->ratio - 1) * 100, points, &shares,
                             &hardware, pressure_known);
    json_t *object = json_pack(
        "{s:o, s:o, s:b, s:b, s:o, s:o, s:o, s:o, s:s}", "points", causes_json(points), "seconds",
        causes_json(shares.s), "ambiguous", shares.ambiguous, "pressure_known", pressure_known,
        "threads", json_figure(shares.threads), "extra", means_json(extra), "counters",
        hardware_json(&hardware), "absent", absent_json(before, after), "text", text ? text : "");
    free(text);
    return object;
}
