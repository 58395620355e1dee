/* loadgen cpu: takes a share of each CPU, exactly; burst.h has how. */

#include "cpu/burst.h"
#include "cpu/cpu-state.h"

#include <stdio.h>
#include <stdlib.h>

enum counter { DROPPED_NS };

static const char *const kernels[] = {"int", "float", "double", "mixed", NULL};

#define FIELD(name) offsetof(struct cpu_settings, name)
static const struct option_row settings[] = {
    {.name = "percent",
     .argument = "P",
     .type = OPTION_PERCENT,
     .offset = FIELD(percent),
     .minimum = 0,
     .maximum = 100,
     .preset = "100",
     .help = "share of one CPU that each worker takes"},
    {.name = "period",
     .argument = "TIME",
     .type = OPTION_TIME,
     .offset = FIELD(period_ns),
     .minimum = 1e5,
     .maximum = 1e9,
     .preset = "5ms",
     .help =
         "length of one busy burst and the rest after it; workers are shifted against each other"},
    {.name = "kernel",
     .argument = "KIND",
     .type = OPTION_CHOICE,
     .offset = FIELD(kernel),
     .preset = "mixed",
     .choices = kernels,
     .help = "what it computes: int, float, double or mixed"},
    {.name = "profile",
     .argument = "NAME",
     .type = OPTION_TEXT,
     .offset = FIELD(replay.profile),
     .wrong = "no-such-profile",
     .help =
         "replay a recorded load instead of --percent: a file, or the name of a profile that comes "
         "with jostle"},
    {.name = "speed",
     .argument = "X",
     .type = OPTION_REAL,
     .offset = FIELD(replay.speed),
     .minimum = 0.001,
     .maximum = 1000,
     .preset = "1",
     .help = "replay the profile this many times faster"},
    {.name = "instances",
     .argument = "N",
     .type = OPTION_COUNT,
     .offset = FIELD(replay.instances),
     .minimum = 1,
     .maximum = 1024,
     .preset = "1",
     .help = "replay the profile this many times at once"},
    {.name = "map",
     .argument = "HOW",
     .type = OPTION_CHOICE,
     .offset = FIELD(replay.map),
     .preset = "share",
     .choices = replay_maps,
     .help = "where the profile has more or fewer cores than there are CPUs: share keeps each CPU "
             "as busy "
             "as the recorded ones, demand keeps the CPU time of all together"},
    {0},
};

static int cpu_rate(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    double percent;
    if (cpu_settings_of(run)->replay.profile != NULL) {
        snprintf(error, size, "rate %.64s: a profile has its own: leave it out", text);
        return -1;
    }
    if (units_percent(text, &percent) != 0 || percent < 0 || percent > 100) {
        snprintf(error, size, "rate %.64s: not a share of a CPU: give 0 to 100 percent", text);
        return -1;
    }
    *rate = percent / 100 * run->threads;
    return 0;
}

static void check_profile(struct run *run)
{
    struct cpu_state *state = run->state;
    if (options_given(run->options, "percent"))
        usage_error("--percent and --profile: the profile sets the level: give one of them");
    if (options_given(run->options, "threads"))
        usage_error("--threads and --profile: each core gets a worker: give --instances or --cpus");
    state->replay = replay_open(run, &cpu_settings_of(run)->replay);
    run->threads = replay_workers(state->replay);
    run->rate = replay_mean(state->replay);
    if (!run->common.control && !options_given(run->options, "duration"))
        run->common.duration_ns = replay_length_ns(state->replay);
}

static void cpu_check(struct run *run)
{
    static const char *const only_profile[] = {"speed", "instances", "map"};
    run->unit = UNIT_CPUS;
    run->state = calloc(1, sizeof(struct cpu_state));
    if (run->state == NULL)
        usage_error("out of memory: free some");
    if (cpu_settings_of(run)->replay.profile != NULL) {
        check_profile(run);
        return;
    }
    for (size_t i = 0; i < sizeof only_profile / sizeof only_profile[0]; i++)
        if (options_given(run->options, only_profile[i]))
            usage_error("--%s: nothing to replay: give --profile too", only_profile[i]);
    run->rate = cpu_settings_of(run)->percent / 100 * run->threads;
}

static int cpu_prepare(struct run *run)
{
    const struct cpu_state *state = run->state;
    if (state->replay != NULL)
        replay_print(state->replay, run);
    if (run->rate > run->quota_cpus)
        run_warn(run,
                 "the cgroup leaves %.2f CPUs, which is less than the %.2f requested: the rest "
                 "will be dropped",
                 run->quota_cpus, run->rate);
    return 0;
}

static void cpu_cleanup(struct run *run)
{
    struct cpu_state *state = run->state;
    if (state->replay != NULL)
        replay_close(state->replay);
    free(state);
    run->state = NULL;
}

static void cpu_describe(struct run *run, struct line *line)
{
    const struct cpu_state *state = run->state;
    if (state->replay != NULL)
        replay_describe(state->replay, line);
}

static int cpu_worker_cpu(const struct run *run, unsigned worker)
{
    const struct cpu_state *state = run->state;
    return state->replay != NULL ? replay_cpu(state->replay, worker)
                                 : run->cpus.cpu[worker % run->cpus.count];
}

static double cpu_offered(struct run *run, int64_t from_ns, int64_t to_ns)
{
    const struct cpu_state *state = run->state;
    const int64_t epoch_ns = run_epoch_ns(run);
    if (state->replay == NULL)
        return run->rate * (double)(to_ns - from_ns) / 1e9;
    double offered_ns = 0;
    for (unsigned i = 0; i < run->threads; i++)
        offered_ns += replay_demand(state->replay, i, (double)(to_ns - epoch_ns)) -
                      replay_demand(state->replay, i, (double)(from_ns - epoch_ns));
    return offered_ns / 1e9;
}

static double cpu_delivered(struct run *run)
{
    int64_t total_ns = 0;
    for (unsigned i = 0; i < run->threads; i++)
        total_ns += worker_cpu_ns(&run->workers[i]);
    return (double)total_ns / 1e9;
}

static void cpu_count(struct run *run, double counters[LOAD_COUNTERS])
{
    struct cpu_state *state = run->state;
    counters[DROPPED_NS] = (double)atomic_load(&state->dropped_ns);
}

static void cpu_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    (void)run;
    line_fixed(line, "dropped_s", window->counters[DROPPED_NS] / 1e9, 6);
}

static const struct load_report reports = {.describe = cpu_describe, .fields = cpu_fields};
static const struct load_accounting accounting = {
    .offered = cpu_offered, .delivered = cpu_delivered, .count = cpu_count};
static const struct load_special special = {
    .without = "limit", .rate = cpu_rate, .worker_cpu = cpu_worker_cpu};

static const struct load cpu_load = {
    .name = "cpu",
    .summary = "takes a share of each CPU, or replays a recorded load",
    .details =
        "late counts periods that ended before the worker had its share; dropped_s is the "
        "CPU time that the worker did not get within 100 ms, dropped the same in periods.\n\n"
        "A profile is text (cores: N, length: SAMPLES, then time: T ms and load: with a "
        "fraction of a core, 0 to 1, for each core; a single time beyond a day is a stamp, and its "
        "load that of 1 s, which repeats) or a recording by loadgen record. Every "
        "resume starts it from its beginning, and it repeats from its end; without "
        "--control and --duration it runs once.",
    .options = settings,
    .options_size = sizeof(struct cpu_settings),
    .pinned = true,
    .settle_ns = 20000000,
    .check = cpu_check,
    .prepare = cpu_prepare,
    .begin = cpu_burst_begin,
    .work = cpu_burst_work,
    .end = cpu_burst_end,
    .cleanup = cpu_cleanup,
    .report = &reports,
    .accounting = &accounting,
    .special = &special,
};
LOADGEN_REGISTER(cpu_load);
