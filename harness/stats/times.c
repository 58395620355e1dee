#include "times.h"

#include "judge.h"

#include <math.h>
#include <string.h>

// A target that gives the CPU away this rarely waits for no disk: a start alone
// costs a few switches.
static const double few_switches = 3;

static bool may_block(const json_t *record)
{
    return !(judge_number(record, "voluntary_switches") <= few_switches) ||
           judge_number(record, "major_faults") >= 1;
}

static double known_or_0(double value)
{
    return isnan(value) ? 0 : value;
}

// The kernel takes the mean of a stall over the CPUs that are not idle, so one
// that waits is seen in full by itself, and as 1/n among n - 1 busy CPUs.
static double dilution(const json_t *record, double cpus)
{
    const json_t *machine = json_object_get(record, "machine");
    const double known = judge_number(machine, "cpus"), all = known > 0 ? known : cpus;
    const double busy = judge_number(machine, "busy_s") / judge_number(record, "wall_s");
    return isfinite(busy) ? fmin(1 + busy, all) : all;
}

static void read_machine(struct times *times, const json_t *record, double cpus)
{
    const json_t *pressure = json_object_get(record, "pressure");
    const double times_seen = dilution(record, cpus);
    times->at_most_s[CPU] = judge_number(pressure, "cpu_some_s") * times_seen;
    times->at_most_s[MEMORY] = judge_number(pressure, "memory_some_s") * times_seen;
    times->at_most_s[IO] = may_block(record) ? judge_number(pressure, "io_some_s") * times_seen : 0;
    if (!isnan(times->at_most_s[CPU]))
        times->source = SOURCE_MACHINE;
}

static void read_own(struct times *times, const json_t *record)
{
    const json_t *stalls = json_object_get(record, "stalls");
    const char *source = json_string_value(json_object_get(stalls, "source"));
    times->main_s = judge_number(stalls, "run_s");
    times->main_delay_s = judge_number(stalls, "run_delay_s");
    if (!source || isnan(judge_number(stalls, "cpu_s")))
        return;
    times->source = strcmp(source, "cgroup") == 0 ? SOURCE_CGROUP : SOURCE_SCHEDSTAT;
    times->own_s[CPU] = judge_number(stalls, "cpu_s");
    times->own_s[MEMORY] = judge_number(stalls, "memory_s");
    // A wait for a page that memory pressure evicted is counted as both.
    times->own_s[IO] = fmax(judge_number(stalls, "io_s") - known_or_0(times->own_s[MEMORY]), 0);
    if (isnan(judge_number(stalls, "io_s")))
        times->own_s[IO] = NAN;
}

struct times times_of(const json_t *record, double cpus)
{
    struct times times = {
        .wall_s = judge_number(record, "wall_s"),
        .cpu_s = judge_number(record, "user_s") + judge_number(record, "system_s"),
        .source = SOURCE_NONE,
    };
    for (enum cause i = 0; i < CAUSES; i++)
        times.own_s[i] = times.at_most_s[i] = NAN;
    read_machine(&times, record, cpus);
    read_own(&times, record);
    times.cpus = judge_cpus(record);
    times.own_s[HOST] = judge_stolen_s(record);
    return times;
}
