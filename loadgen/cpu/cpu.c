// loadgen cpu: takes a share of each CPU, exactly.

#define OPTIONS_OF struct cpu_settings // see common/options.h

#include "cpu/profile.h"
#include "load.h"

// A recorded profile, laid out on the CPUs of this machine: which worker has to
// use how much CPU time until when. All workers follow one clock.

enum replay_map { MAP_SHARE, MAP_DEMAND };

static const char *const replay_maps[] = {"share", "demand", NULL};

// The options as given.
struct cpu_settings {
    double percent;
    int64_t period_ns;
    int kernel;
    const char *profile; // NULL: none
    uint64_t instances;
    int map; // enum replay_map
};

// Some of the profile's cores on one CPU.
struct part {
    unsigned first, last; // cores
    int cpu;
    struct track track;
};

struct cpu_state {
    unsigned cores, count; // of the profile; of parts
    struct part *parts;    // NULL: --percent
};

static inline struct cpu_state *state_of(const struct run *run)
{
    return run->state;
}

// One part for each CPU: with more cores, the mean of neighbouring cores; with
// fewer, each core on several CPUs.
static void map_share(struct cpu_state *state, const struct cpu_list *cpus)
{
    state->count = cpus->count;
    for (unsigned i = 0; i < cpus->count; i++) {
        const unsigned first = i * state->cores / cpus->count;
        const unsigned next = (i + 1) * state->cores / cpus->count;
        state->parts[i] = (struct part){first, next > first ? next - 1 : first, cpus->cpu[i], {0}};
    }
}

// One part for each core: with more cores several on a CPU, with fewer some
// CPUs stay idle.
static void map_demand(struct cpu_state *state, const struct cpu_list *cpus)
{
    state->count = state->cores;
    for (unsigned core = 0; core < state->cores; core++) {
        const unsigned place =
            state->cores > cpus->count ? core * cpus->count / state->cores : core;
        state->parts[core] = (struct part){core, core, cpus->cpu[place], {0}};
    }
}

// Reads and maps; wrong names and files end the program with exit 2.
static void replay_open(struct run *run)
{
    const struct cpu_settings *set = settings_of(run);
    struct cpu_state *state = run->state;
    struct profile profile;
    char text[4096];
    FILE *file = profile_open(set->profile, text, sizeof text);
    if (!file)
        usage_error("--profile %s: no such profile, neither as a file nor in %s: make one with "
                    "loadgen record",
                    set->profile, *text != '\0' ? text : "share/jostle/profiles");
    if (profile_read(file, &profile, text, sizeof text) != 0)
        usage_error("--profile %s: %s", set->profile, text);
    fclose(file);
    const unsigned most = profile.cores > run->cpus.count ? profile.cores : run->cpus.count;
    state->parts = calloc(most, sizeof *state->parts);
    state->cores = profile.cores;
    if (state->parts)
        (set->map == MAP_SHARE ? map_share : map_demand)(state, &run->cpus);
    bool made = state->parts != NULL;
    for (unsigned i = 0; made && i < state->count; i++) {
        struct part *part = &state->parts[i];
        made = track_make(&part->track, &profile, part->first, part->last, run->common.speed) == 0;
    }
    if (!made)
        usage_error("--profile %s: no memory for it: free some", set->profile);
    profile_free(&profile);
}

static const struct track *track_of(const struct run *run, unsigned worker)
{
    const struct cpu_state *state = state_of(run);
    return &state->parts[worker % state->count].track;
}

static int64_t replay_length_ns(const struct cpu_state *state)
{
    const struct track *track = &state->parts[0].track;
    return (int64_t)track->end_ns[track->spans - 1];
}

// Says which cores were put where: text for people, or fields of `ready`.
static void replay_print(struct run *run)
{
    const struct cpu_state *state = state_of(run);
    const struct cpu_settings *set = settings_of(run);
    char text[64];
    report_print(&run->report, "cpu: a profile of %u cores, %.1f s, %u at once, speed %g:\n",
                 state->cores, (double)replay_length_ns(state) / 1e9, (unsigned)set->instances,
                 run->common.speed);
    for (unsigned i = 0; i < state->count; i++) {
        // "core 0", "the mean of cores 0 to 3".
        const struct part *part = &state->parts[i];
        const size_t size = sizeof text;
        if (part->first == part->last)
            snprintf(text, size, "core %u", part->first);
        else
            snprintf(text, size, "the mean of cores %u to %u", part->first, part->last);
        report_print(&run->report, "cpu:   CPU %d does what %s did\n", part->cpu, text);
    }
}

static void cpu_describe(struct run *run, struct line *line)
{
    const struct cpu_state *state = state_of(run);
    if (!state->parts)
        return;
    line_count(line, "profile_cores", state->cores);
    line_fixed(line, "profile_s", (double)replay_length_ns(state) / 1e9, 6);
    line_count(line, "instances", settings_of(run)->instances);
    line_fixed(line, "speed", run->common.speed, 6);
    line_array(line, "mapping");
    for (unsigned i = 0; i < state->count; i++) {
        const struct part *part = &state->parts[i];
        char cores[32];
        snprintf(cores, sizeof cores, "%u-%u", part->first, part->last);
        line_object(line, NULL);
        line_integer(line, "cpu", part->cpu);
        line_text(line, "cores", cores);
        line_close(line);
    }
    line_close(line);
}

// Work for one execution unit of a CPU, that no compiler can leave out.

enum kernel { KERNEL_INT, KERNEL_FLOAT, KERNEL_DOUBLE, KERNEL_MIXED };

// What a kernel carries from call to call.
struct kernel_state {
    uint64_t integers[4];
    float floats[4];
    double doubles[4];
};

// Four independent chains keep a pipelined unit busy. The empty asm statements
// make each value opaque, so nothing can be folded, vectorised or left out.

#if defined(__x86_64__)
#define OPAQUE_FLOAT(x) __asm__ volatile("" : "+x"(x))
#elif defined(__aarch64__)
#define OPAQUE_FLOAT(x) __asm__ volatile("" : "+w"(x))
#else
#define OPAQUE_FLOAT(x) __asm__ volatile("" : "+m"(x))
#endif
#define OPAQUE_INT(x) __asm__ volatile("" : "+r"(x))

#define SAME(x)    (x)
#define ROTATED(x) ((x) << 13 | (x) >> 51)

#define DEFINE_CHAINS(NAME, TYPE, FIELD, FACTOR, TERM, TURN, OPAQUE)                               \
    static void NAME(struct kernel_state *state, uint64_t rounds)                                  \
    {                                                                                              \
        TYPE *x = state->FIELD;                                                                    \
        TYPE a = x[0], b = x[1], c = x[2], d = x[3];                                               \
        const TYPE factor = (TYPE)FACTOR, term = (TYPE)TERM;                                       \
        while (rounds-- > 0) {                                                                     \
            a = a * factor + term;                                                                 \
            b = b * factor + term;                                                                 \
            c = c * factor + term;                                                                 \
            d = d * factor + term;                                                                 \
            a = TURN(a);                                                                           \
            b = TURN(b);                                                                           \
            c = TURN(c);                                                                           \
            d = TURN(d);                                                                           \
            OPAQUE(a);                                                                             \
            OPAQUE(b);                                                                             \
            OPAQUE(c);                                                                             \
            OPAQUE(d);                                                                             \
        }                                                                                          \
        x[0] = a, x[1] = b, x[2] = c, x[3] = d;                                                    \
    }

// A multiplication, an addition and a rotation for each chain: Knuth's MMIX
// generator with a rotation, so all bits change.
DEFINE_CHAINS(run_int, uint64_t, integers, 6364136223846793005U, 1442695040888963407U, ROTATED,
              OPAQUE_INT)
// x = x * p + q converges to q / (1 - p), an ordinary number: no denormals,
// no infinities, so each operation takes the usual time.
DEFINE_CHAINS(run_float, float, floats, 0.75, 0.5, SAME, OPAQUE_FLOAT)
DEFINE_CHAINS(run_double, double, doubles, 0.75, 0.5, SAME, OPAQUE_FLOAT)

// rounds: some nanoseconds each; the caller measures how long they take.
static void kernel_run(enum kernel kernel, struct kernel_state *state, uint64_t rounds)
{
    switch (kernel) {
    case KERNEL_INT:
        run_int(state, rounds);
        return;
    case KERNEL_FLOAT:
        run_float(state, rounds);
        return;
    case KERNEL_DOUBLE:
        run_double(state, rounds);
        return;
    case KERNEL_MIXED:
        // In turns short enough that every burst has some of each.
        for (uint64_t left = rounds; left > 0;) {
            const uint64_t turn = left < 48 ? left : 48;
            run_int(state, turn / 3 + 1);
            run_float(state, turn / 3 + 1);
            run_double(state, turn / 3 + 1);
            left -= turn;
        }
        return;
    }
}

// A worker's share of a CPU, in short bursts.
//
// The quantum is CPU time, read from the thread's own clock, so the cost of waking up,
// reading clocks and control is part of the load, and no table for the machine is
// needed. Open loop in time: at each time a worker should have used its part of the demand
// (demand.h), or what its track says; period by period it spins until it has, and sleeps until
// the next period, at absolute times. What could not be used (a busier neighbour, a quota) is
// owed for 100 ms, and then dropped and counted.

// Owed for longer than this, CPU time is dropped.
#define DEBT_NS 100e6
// A burst shorter than this would be mostly wake-up; periods are left out.
#define SHORTEST_BURST_NS 50e3
// The clock is read after about this much CPU time, and more often near the end
// of a burst. It costs some 0.3 us, so 1 % of it is system time.
#define LONGEST_SPIN_NS  30e3
#define SHORTEST_SPIN_NS 2e3
// The least rest of a worker that catches up.
#define SHORTEST_REST_NS 50e3
// A worker that gets less of the CPU than this while busy shares it with others.
#define CROWDED 0.75

enum counter { DROPPED_NS };

struct spinner {
    struct kernel_state kernel;
    double rounds_per_ns;   // follows the CPU's present speed
    bool begun;             // base_ns is known
    uint32_t resumes;       // of the orders that the track follows
    int64_t origin_ns;      // when the track began, without pauses
    double base_ns;         // CPU time at which this worker's demand began, less what was dropped
    double dropped_periods; // the part of one that is not counted yet
    double obtained;        // smoothed share of the CPU that it gets during a burst
};

static inline struct spinner *own_of(const struct worker *worker)
{
    return worker->state;
}

// ---- demand ----

// CPU time in ns that a worker should have used by then since its demand began.
static double demand(const struct worker *worker, double at_ns)
{
    const struct spinner *spinner = own_of(worker);
    const double load_ns = at_ns - (double)worker->orders.paused_ns;
    if (state_of(worker->run)->parts)
        return track_demand(track_of(worker->run, worker->index),
                            load_ns - (double)spinner->origin_ns);
    return demand_operations(&worker->demand, (int64_t)load_ns) / worker->run->threads * 1e9;
}

// The inverse: the time at which that much should have been used.
static double when_due(const struct worker *worker, double used_ns)
{
    const struct spinner *spinner = own_of(worker);
    const double paused_ns = (double)worker->orders.paused_ns;
    if (state_of(worker->run)->parts)
        return track_when(track_of(worker->run, worker->index), used_ns) +
               (double)spinner->origin_ns + paused_ns;
    const int64_t when_ns = demand_when(&worker->demand, used_ns * worker->run->threads / 1e9);
    return when_ns == INT64_MAX ? INFINITY : (double)when_ns + paused_ns;
}

// ---- one worker ----

static double thread_cpu_ns(void)
{
    return (double)clock_of(CLOCK_THREAD_CPUTIME_ID);
}

// Spins until the thread has used until_ns in all, or deadline_ns has come, or
// orders have changed. Returns the CPU time used in all.
static double spin(struct worker *worker, struct spinner *spinner, double until_ns,
                   int64_t deadline_ns)
{
    const enum kernel kernel = (enum kernel)settings_of(worker->run)->kernel;
    const uint32_t generation = worker->orders.generation;
    double used_ns = thread_cpu_ns();
    while (used_ns < until_ns && clock_ns() < deadline_ns) {
        if (!worker_running(worker) || worker->orders.generation != generation)
            break;
        const double wanted_ns = fmin(fmax(until_ns - used_ns, SHORTEST_SPIN_NS), LONGEST_SPIN_NS);
        const double rounds = fmax(wanted_ns * spinner->rounds_per_ns, 16);
        kernel_run(kernel, &spinner->kernel, (uint64_t)rounds);
        const double before_ns = used_ns;
        used_ns = thread_cpu_ns();
        const double rate = rounds / fmax(used_ns - before_ns, 1);
        spinner->rounds_per_ns += (rate - spinner->rounds_per_ns) / 8;
    }
    return used_ns;
}

// Start of the first of this worker's periods that is not before at_ns.
static int64_t period_start(const struct worker *worker, int64_t at_ns)
{
    const int64_t period_ns = settings_of(worker->run)->period_ns;
    const int64_t phase_ns = period_ns * worker->index / worker->run->threads;
    const int64_t first_ns = worker->orders.resumed_ns + phase_ns;
    if (at_ns <= first_ns)
        return first_ns;
    return first_ns + (at_ns - first_ns + period_ns - 1) / period_ns * period_ns;
}

// Drops what has been owed for too long at that time.
static void drop_debt(struct worker *worker, struct spinner *spinner, double used_ns, int64_t at_ns)
{
    const double period_ns = (double)settings_of(worker->run)->period_ns;
    const double now_ns = (double)at_ns, due_ns = demand(worker, now_ns - DEBT_NS);
    const double usual_ns = (demand(worker, now_ns) - due_ns) * period_ns / DEBT_NS;
    const double excess_ns = spinner->base_ns + due_ns - used_ns;
    if (excess_ns <= 0)
        return;
    spinner->base_ns -= excess_ns;
    worker_add(worker, DROPPED_NS, (uint64_t)excess_ns);
    // Counted in periods of the present demand, as lateness is in periods.
    spinner->dropped_periods += excess_ns / (usual_ns > 0 ? usual_ns : period_ns);
    const double whole = floor(spinner->dropped_periods);
    spinner->dropped_periods -= whole;
    worker_count(worker, 0, 0, 0, (uint64_t)whole);
}

// When a burst has to end at the latest: a worker that catches up after a disturbance
// keeps half of the usual rest, or else it would spin through many periods. One that
// shares its CPU with others rests in any case.
static int64_t burst_deadline(const struct worker *worker, const struct spinner *spinner,
                              int64_t start_ns)
{
    const double period_ns = (double)settings_of(worker->run)->period_ns;
    const double from_ns = (double)start_ns;
    const double busy_ns = demand(worker, from_ns + period_ns) - demand(worker, from_ns);
    double rest_ns = 0;
    if (spinner->obtained > CROWDED && period_ns - busy_ns > SHORTEST_REST_NS)
        rest_ns = fmax((period_ns - busy_ns) / 2, SHORTEST_REST_NS);
    return start_ns + (int64_t)(period_ns - rest_ns);
}

// One period: the burst and the debt; the rest is slept by the caller.
static void work_period(struct worker *worker, struct spinner *spinner, int64_t start_ns)
{
    // What the worker should have used at the end of the burst that begins at
    // start_ns. Delivery then swings evenly around the demand: ahead after the
    // burst by as much as it was behind before.
    const double period_ns = (double)settings_of(worker->run)->period_ns;
    const double now_due_ns = demand(worker, (double)start_ns);
    const double more_ns = demand(worker, (double)start_ns + period_ns) - now_due_ns;
    const double target_ns =
        spinner->base_ns + now_due_ns + more_ns * (1 + more_ns / period_ns) / 2;
    const uint32_t generation = worker->orders.generation;
    const double before_ns = thread_cpu_ns();
    const int64_t deadline_ns = burst_deadline(worker, spinner, start_ns);
    const double used_ns = spin(worker, spinner, target_ns, deadline_ns);
    const int64_t now_ns = clock_ns();
    const double passed_ns = fmax((double)(now_ns - start_ns), 1);
    // After the clock: orders of before would know no demand of that time.
    if (!worker_running(worker) || worker->orders.generation != generation)
        return;
    spinner->obtained += ((used_ns - before_ns) / passed_ns - spinner->obtained) / 16;
    if (used_ns < target_ns) {
        worker_count(worker, 0, 0, 1, 0);
        drop_debt(worker, spinner, used_ns, now_ns);
    }
}

// When the next burst begins: at the next period, or the first one in which
// there is enough to do. Periods that are over before it could begin are late.
static int64_t next_start(struct worker *worker, const struct spinner *spinner, int64_t start_ns)
{
    const int64_t period_ns = settings_of(worker->run)->period_ns;
    const double enough_ns = fmin(SHORTEST_BURST_NS, (double)period_ns / 2);
    const double wanted_ns = thread_cpu_ns() - spinner->base_ns + enough_ns;
    const double due_ns = when_due(worker, wanted_ns);
    int64_t next_ns = start_ns + period_ns;
    if (due_ns > 4e18)
        return INT64_MAX;
    const int64_t from_ns = (int64_t)due_ns - period_ns;
    if (from_ns > next_ns)
        next_ns = period_start(worker, from_ns);
    if (clock_ns() - next_ns > period_ns) {
        const int64_t missed_ns = next_ns;
        next_ns = period_start(worker, clock_ns() - period_ns);
        worker_count(worker, 0, 0, (uint64_t)((next_ns - missed_ns) / period_ns), 0);
    }
    return next_ns;
}

// Takes new orders: a track begins anew with each resume, and what was owed before is owed still.
static void follow_orders(struct worker *worker, struct spinner *spinner)
{
    const int64_t resumed_ns = unpaused(&worker->orders, worker->orders.resumed_ns);
    if (!spinner->begun) {
        spinner->base_ns = thread_cpu_ns();
    } else if (state_of(worker->run)->parts && spinner->resumes != worker->orders.resumes) {
        spinner->base_ns += demand(worker, (double)worker->orders.resumed_ns);
    }
    if (spinner->resumes != worker->orders.resumes)
        spinner->origin_ns = resumed_ns;
    spinner->resumes = worker->orders.resumes;
    spinner->begun = true;
}

static void cpu_burst_work(struct worker *worker)
{
    struct spinner *spinner = worker->state;
    const int64_t period_ns = settings_of(worker->run)->period_ns;
    while (worker_running(worker)) {
        const uint32_t generation = worker->orders.generation;
        follow_orders(worker, spinner);
        // The period that has begun already, where a rate changes in it.
        int64_t start_ns = period_start(worker, clock_ns() - period_ns + 1);
        start_ns = next_start(worker, spinner, start_ns - period_ns);
        while (worker_sleep_until(worker, start_ns) && worker->orders.generation == generation) {
            work_period(worker, spinner, start_ns);
            start_ns = next_start(worker, spinner, start_ns);
        }
    }
}

static int cpu_burst_begin(struct worker *worker)
{
    struct spinner *spinner = own_of(worker);
    for (int i = 0; i < 4; i++) {
        spinner->kernel.integers[i] = 0x9e3779b97f4a7c15U * (uint64_t)(i + 1);
        spinner->kernel.floats[i] = 1.0F + (float)i;
        spinner->kernel.doubles[i] = 1.0 + i;
    }
    spinner->rounds_per_ns = 0.1;
    spinner->obtained = 1;
    return 0;
}

static const char *const kernels[] = {"int", "float", "double", "mixed", NULL};

static const struct option_row settings[] = {
    {ROW("percent", "P", OPTION_PERCENT, percent), .minimum = 0, .maximum = 100, .preset = "100",
     .help = "share of one CPU that each worker takes"},
    {ROW("period", "TIME", OPTION_TIME, period_ns), .minimum = 1e5, .maximum = 1e9, .preset = "5ms",
     .help =
         "length of one busy burst and the rest after it; workers are shifted against each other"},
    {ROW("kernel", "KIND", OPTION_CHOICE, kernel), .preset = "mixed", .choices = kernels,
     .help = "what it computes: int, float, double or mixed"},
    {ROW("profile", "NAME", OPTION_TEXT, profile), .wrong = "no-such-profile",
     .help = "replay a recorded load instead of --percent: a file, or the name of a profile that "
             "comes with jostle"},
    {ROW("instances", "N", OPTION_COUNT, instances), .minimum = 1, .maximum = 1024, .preset = "1",
     .help = "replay the profile this many times at once"},
    {ROW("map", "HOW", OPTION_CHOICE, map), .preset = "share", .choices = replay_maps,
     .help = "where the profile has more or fewer cores than there are CPUs: share keeps each CPU "
             "as busy as the recorded ones, demand keeps the CPU time of all together"},
    {0},
};

static int cpu_rate(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    double percent;
    if (settings_of(run)->profile)
        return BECAUSE(error, size, "rate %.64s: a profile has its own: leave it out", text);
    if (units_percent(text, &percent) != 0 || percent < 0 || percent > 100)
        return BECAUSE(error, size, "rate %.64s: not a share of a CPU: give 0 to 100 percent",
                       text);
    *rate = percent / 100 * run->threads;
    return 0;
}

static void check_profile(struct run *run)
{
    if (options_given(run->options, "percent"))
        usage_error("--percent and --profile: the profile sets the level: give one of them");
    if (run->stages)
        usage_error("--stages and --profile: both set the level: give one of them");
    if (options_given(run->options, "threads"))
        usage_error("--threads and --profile: each core gets a worker: give --instances or --cpus");
    replay_open(run);
    const struct cpu_state *state = state_of(run);
    run->threads = state->count * (unsigned)settings_of(run)->instances;
    // CPUs, of all workers.
    double total_ns = 0;
    for (unsigned i = 0; i < state->count; i++)
        total_ns += track_of(run, i)->used_ns[track_of(run, i)->spans - 1];
    run->rate = total_ns * (double)settings_of(run)->instances / (double)replay_length_ns(state);
    if (!run->common.control && !options_given(run->options, "duration"))
        run->common.duration_ns = replay_length_ns(state);
}

static void cpu_check(struct run *run)
{
    static const char *const only_profile[] = {"instances", "map"};
    if (settings_of(run)->profile) {
        check_profile(run);
        return;
    }
    for (size_t i = 0; i < sizeof only_profile / sizeof only_profile[0]; i++)
        if (options_given(run->options, only_profile[i]))
            usage_error("--%s: nothing to replay: give --profile too", only_profile[i]);
    if (run->stages && options_given(run->options, "percent"))
        usage_error("--percent and --stages: both set the rate: give one of them");
    run->rate = settings_of(run)->percent / 100 * run->threads;
}

static int cpu_prepare(struct run *run)
{
    if (state_of(run)->parts)
        replay_print(run);
    const double most = fmax(run->rate, run->schedule.highest);
    if (most > run->quota_cpus)
        run_warn(run,
                 "the cgroup leaves %.2f CPUs, which is less than the %.2f requested: the rest "
                 "will be dropped",
                 run->quota_cpus, most);
    return 0;
}

static void cpu_cleanup(struct run *run)
{
    struct cpu_state *state = state_of(run);
    for (unsigned i = 0; i < state->count; i++)
        track_free(&state->parts[i].track);
    free(state->parts);
}

static int cpu_worker_cpu(const struct run *run, unsigned worker)
{
    const struct cpu_state *state = state_of(run);
    return state->parts ? state->parts[worker % state->count].cpu
                        : run->cpus.cpu[worker % run->cpus.count];
}

// What a profile asks for; NAN without one.
static double cpu_offered(struct run *run, int64_t resumed_ns, int64_t from_ns, int64_t to_ns)
{
    double offered_ns = state_of(run)->parts ? 0 : NAN;
    for (unsigned i = 0; state_of(run)->parts && i < run->threads; i++) {
        const struct track *track = track_of(run, i);
        offered_ns += track_demand(track, (double)(to_ns - resumed_ns)) -
                      track_demand(track, (double)(from_ns - resumed_ns));
    }
    return offered_ns / 1e9;
}

static double cpu_delivered(struct run *run)
{
    int64_t total_ns = 0;
    for (unsigned i = 0; i < run->threads; i++)
        total_ns += worker_cpu_ns(&run->workers[i]);
    return (double)total_ns / 1e9;
}

static void cpu_fields(struct run *run, const struct snapshot *window, struct line *line)
{
    (void)run;
    line_fixed(line, "dropped_s", window->counters[DROPPED_NS] / 1e9, 6);
}

static const struct load cpu_load = {
    .name = "cpu",
    .summary = "takes a share of each CPU, or replays a recorded load",
    .details =
        "late counts periods that ended before the worker had its share; dropped_s is the CPU time "
        "that the worker did not get within 100 ms, dropped the same in periods.\n\n"
        "A profile is text (cores: N, length: SAMPLES, then time: T ms and load: with a fraction "
        "of a core, 0 to 1, for each core; a single time beyond a day is a stamp, and its load "
        "that of 1 s, which repeats) or a recording by loadgen record. Every resume starts it from "
        "its beginning, and it repeats from its end; without --control and --duration it runs "
        "once.",
    LOAD_OPTIONS(settings),
    .state_size = sizeof(struct cpu_state),
    .worker_size = sizeof(struct spinner),
    .unit = UNIT_CPUS,
    .pinned = true,
    .check = cpu_check,
    .prepare = cpu_prepare,
    .begin = cpu_burst_begin,
    .work = cpu_burst_work,
    .cleanup = cpu_cleanup,
    .describe = cpu_describe,
    .fields = cpu_fields,
    .offered = cpu_offered,
    .delivered = cpu_delivered,
    .without = (const char *const[]){"limit", "arrivals", NULL},
    .rate = cpu_rate,
    .worker_cpu = cpu_worker_cpu,
};
LOADGEN_REGISTER(cpu_load);
