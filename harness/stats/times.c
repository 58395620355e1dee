// Finds where one run's time went, as far as its record says.
#include "record.h"
#include "shares.h"

#include "common/record_json.h"
#include "harness/record/figure.h"

#include <math.h>
#include <string.h>

// Where one run's time went, as far as its record says.

// A target that gives the CPU away this rarely waits for no disk: a start alone
// costs a few switches.
static const double few_switches = 3;

// With more CPU time than this, or so much of it outside the main thread, a target
// has several threads.
static const double one_cpu = 1.05, main_part = 0.95;

double known_or_0(double value)
{
    return isnan(value) ? 0 : value;
}

// The kernel takes the mean of a stall over the CPUs that are not idle, so one
// that waits is seen in full by itself, and as 1/n among n - 1 busy CPUs.
static double dilution(const json_t *record, double cpus)
{
    const json_t *machine = json_object_get(record, "machine");
    const double known = json_number_at(machine, "cpus"), all = known > 0 ? known : cpus;
    const double busy = json_number_at(machine, "busy_s") / json_number_at(record, "wall_s");
    return isfinite(busy) ? fmin(1 + busy, all) : all;
}

static void read_machine(struct times *times, const json_t *record, double cpus)
{
    const json_t *pressure = json_object_get(record, "pressure");
    const double times_seen = dilution(record, cpus);
    times->at_most_s[CPU] = json_number_at(pressure, "cpu_some_s") * times_seen;
    times->at_most_s[MEMORY] = json_number_at(pressure, "memory_some_s") * times_seen;
    const bool may_block = !(json_number_at(record, "voluntary_switches") <= few_switches) ||
                           json_number_at(record, "major_faults") >= 1;
    times->at_most_s[IO] = may_block ? json_number_at(pressure, "io_some_s") * times_seen : 0;
    if (!isnan(times->at_most_s[CPU]))
        times->source = SOURCE_MACHINE;
}

static void read_own(struct times *times, const json_t *record)
{
    const json_t *stalls = json_object_get(record, "stalls");
    const char *source = json_text_at(stalls, "source");
    times->main_s = json_number_at(stalls, "run_s");
    times->main_delay_s = json_number_at(stalls, "run_delay_s");
    times->throttled_s = json_number_at(stalls, "throttled_s");
    if (!source || isnan(json_number_at(stalls, "cpu_s")))
        return;
    times->source = strcmp(source, "cgroup") == 0 ? SOURCE_CGROUP : SOURCE_SCHEDSTAT;
    // While one of its tasks runs the others lose nothing to other programs. Of what its main
    // thread waited, the others may have had as much as they computed.
    const double full_s = json_number_at(stalls, "cpu_full_s");
    times->own_s[CPU] = json_number_at(stalls, "cpu_s");
    times->queued_s = times->own_s[CPU] - full_s;
    if (!isnan(full_s))
        times->own_s[CPU] = fmax(full_s, times->main_delay_s - (times->cpu_s - times->main_s));
    times->own_s[MEMORY] = json_number_at(stalls, "memory_s");
    // A wait for a page that memory pressure evicted is counted as both.
    times->own_s[IO] = fmax(json_number_at(stalls, "io_s") - known_or_0(times->own_s[MEMORY]), 0);
    if (isnan(json_number_at(stalls, "io_s")))
        times->own_s[IO] = NAN;
}

static struct times times_of(const json_t *record, const struct run *is, double cpus)
{
    struct times times = {
        .wall_s = json_number_at(record, "wall_s"),
        .cpu_s = json_number_at(record, "user_s") + json_number_at(record, "system_s"),
        .throttled_s = NAN,
        .alone_wait_s = figure_alone_wait_s(node_of_json(record)),
        .queued_s = NAN,
        .source = SOURCE_NONE,
    };
    for (enum cause i = 0; i < CAUSES; i++)
        times.own_s[i] = times.at_most_s[i] = NAN;
    read_machine(&times, record, cpus);
    read_own(&times, record);
    times.cpus = run_cpus(is);
    times.own_s[HOST] = run_stolen_s(is);
    return times;
}

const char *const mean_names[MEANS] = {
    [WALL] = "wall_s",
    [USER] = "user_s",
    [SYSTEM] = "system_s",
    [STEAL] = "steal_s",
    [CPU_SOME] = "cpu_some_s",
    [MEMORY_SOME] = "memory_some_s",
    [MEMORY_FULL] = "memory_full_s",
    [IO_SOME] = "io_some_s",
    [IO_FULL] = "io_full_s",
    [OWN_CPU] = "own_cpu_s",
    [OWN_MEMORY] = "own_memory_s",
    [OWN_IO] = "own_io_s",
    [INVOLUNTARY] = "involuntary_switches",
    [VOLUNTARY] = "voluntary_switches",
    [MAJOR_FAULTS] = "major_faults",
    [INSTRUCTIONS] = "instructions",
    [CYCLES] = "cycles",
    [REFERENCES] = "cache_references",
    [MISSES] = "cache_misses",
};

struct account account_of(const json_t *record, const struct run *is, double cpus)
{
    const json_t *pressure = json_object_get(record, "pressure"),
                 *stalls = json_object_get(record, "stalls"),
                 *counters = json_object_get(record, "counters");
    struct account account = {.times = times_of(record, is, cpus),
                              .user_only = json_text_is(counters, "scope", "user")};
    for (enum mean i = 0; i < MEANS; i++) {
        const bool is_own = i >= OWN_CPU && i <= OWN_IO;
        const json_t *object = record;
        if (is_own)
            object = stalls;
        else if (i >= CPU_SOME && i <= IO_FULL)
            object = pressure;
        else if (i >= INSTRUCTIONS && i <= MISSES)
            object = counters;
        account.value[i] = json_number_at(object, mean_names[i] + (is_own ? strlen("own_") : 0));
    }
    return account;
}

struct sums times_sum(const struct account *const *runs, size_t n)
{
    struct sums sums = {0};
    for (size_t i = 0; i < n; i++) {
        const struct times *times = &runs[i]->times;
        sums.wall_s += times->wall_s;
        sums.cpu_s += times->cpu_s;
        sums.main_s += times->main_s;
        sums.main_delay_s += times->main_delay_s;
        for (enum cause k = CPU; k <= IO; k++)
            sums.waits_s += known_or_0(times->own_s[k]);
        sums.cpus = times->cpus > sums.cpus ? times->cpus : sums.cpus;
    }
    return sums;
}

double threads_busy(const struct sums *sums)
{
    const double here_s = sums->wall_s - sums->waits_s;
    const double most = sums->cpus > 0 ? (double)sums->cpus : (double)INFINITY;
    return fmax(fmin(sums->cpu_s / (here_s > 0 ? here_s : sums->wall_s), most), 1);
}

// With a main thread that is not known (NAN) both are false for a target that uses one CPU.
struct threads threads_of(const struct sums *sums)
{
    const bool several =
        sums->cpu_s > one_cpu * sums->wall_s || sums->main_s < main_part * sums->cpu_s;
    return (struct threads){
        .one = !several && sums->main_s >= main_part * sums->cpu_s && !isnan(sums->main_delay_s),
        .several = several,
        .busy = several ? threads_busy(sums) : 1,
    };
}

// Unlike fmin(), what is not known stays so.
static double at_most(double value, double bound)
{
    return value > bound ? bound : value;
}

// What one thread waited, exact for the CPU: pressure counts a little more than its
// run delay where it waits often. What is left of its time is all that it can have
// waited for the rest: pressure of memory also counts reclaim, which is CPU time.
static double one_threads_wait_s(const struct times *times, enum cause cause)
{
    const double blocked_s = fmax(times->wall_s - times->cpu_s - times->main_delay_s, 0);
    const double memory_s = at_most(times->own_s[MEMORY], blocked_s);
    if (cause == CPU)
        return times->main_delay_s;
    if (cause == MEMORY)
        return memory_s;
    return at_most(times->own_s[IO], blocked_s - (isnan(memory_s) ? 0 : memory_s));
}

double times_part_s(const struct times *times, enum cause cause, const struct threads *threads)
{
    // Stolen time is CPU time that the target did not get.
    if (cause == EXECUTION || cause == HOST)
        return (cause == HOST ? times->own_s[HOST] : times->cpu_s) / threads->busy;
    return threads->one ? one_threads_wait_s(times, cause) : times->own_s[cause];
}
