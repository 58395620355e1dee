#include "gauge.h"

#include "harness/stats/gate.h"
#include "harness/stats/metrics.h"
#include "simulation.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

enum {
    CHUNK = 50,
    MODES = 2,
    GATE_SHARE = 4 /* of the experiments: it looks often */,
    TAIL = 3 /* degrees of freedom of heavy tails */
};

static const double true_ratio = 1.25, allowed = 5;
static const double gauge_sd = 0.05; // of the weather in the gauge's logarithm

// A machine whose weather moves all run times, and a gauge that sees some of it. Weather is an
// autoregressive process: at the ends of the runs the gauge sees it, in a run it is the mean of
// both ends.
static const struct machine {
    const char *name;
    double cv;        // of a run
    double seen;      // share of the runs' variance that is the weather
    double stays;     // correlation of the weather at both ends of a run
    double unseen;    // correlation of neighbouring runs in the rest, which no gauge sees
    double blur;      // sd of the gauge's own error, over that of the weather in it
    double loaded;    // how many times as strong the loaded runs feel the weather
    double moved;     // by how much a load slows the gauge that comes after it
    bool deaf;        // the gauge sees another weather
    bool heavy;       // all noise has heavy tails
    bool quick, hard; // hard: no promise is made
} machines[] = {
    {.name = "useless", .cv = 0.05, .stays = 0, .loaded = 1, .deaf = true, .quick = true},
    {.name = "useless, 15 %", .cv = 0.15, .stays = 0, .loaded = 1, .deaf = true},
    {.name = "useless, spells in both",
     .cv = 0.05,
     .stays = 0.8,
     .unseen = 0.55,
     .loaded = 1,
     .deaf = true,
     .quick = true},
    {.name = "useless, spells, heavy",
     .cv = 0.05,
     .stays = 0.8,
     .unseen = 0.55,
     .loaded = 1,
     .deaf = true,
     .heavy = true},
    {.name = "weak", .cv = 0.05, .seen = 0.2, .stays = 0.3, .blur = 0.5, .loaded = 1},
    {.name = "weak, 15 %", .cv = 0.15, .seen = 0.2, .stays = 0.3, .blur = 0.5, .loaded = 1},
    {.name = "strong",
     .cv = 0.05,
     .seen = 0.64,
     .stays = 0.3,
     .blur = 0.2,
     .loaded = 1,
     .quick = true},
    {.name = "strong, 15 %", .cv = 0.15, .seen = 0.64, .stays = 0.3, .blur = 0.2, .loaded = 1},
    {.name = "strong, long spells",
     .cv = 0.15,
     .seen = 0.64,
     .stays = 0.8,
     .unseen = 0.55,
     .blur = 0.2,
     .loaded = 1},
    {.name = "strong, heavy",
     .cv = 0.05,
     .seen = 0.64,
     .stays = 0.3,
     .blur = 0.2,
     .loaded = 1,
     .heavy = true,
     .quick = true},
    {.name = "strong, load feels double",
     .cv = 0.05,
     .seen = 0.64,
     .stays = 0.3,
     .blur = 0.2,
     .loaded = 2},
    {.name = "strong, load moves it 0.5 %",
     .cv = 0.05,
     .seen = 0.64,
     .stays = 0.3,
     .blur = 0.2,
     .loaded = 1,
     .moved = 0.005,
     .hard = true},
    {.name = "strong, load moves it 2 %",
     .cv = 0.05,
     .seen = 0.64,
     .stays = 0.3,
     .blur = 0.2,
     .loaded = 1,
     .moved = 0.02,
     .hard = true},
    {.name = "strong, load moves it 10 %",
     .cv = 0.05,
     .seen = 0.64,
     .stays = 0.3,
     .blur = 0.2,
     .loaded = 1,
     .moved = 0.1,
     .hard = true},
};

struct sums {
    size_t experiments, covered, used, moved, decided; // decided: a verdict of the gate
    double half, runs;
};

struct job {
    const struct machine *machine;
    struct settings settings;
    double narrow;
};

// One experiment's state. Levels have the standard deviation 1.
struct weather {
    const struct machine *machine;
    gsl_rng *rng;
    double level, other; // of the weather; of that which a deaf gauge sees
    double rest;         // of what no gauge sees
    double after;        // what a load has left behind
    double gauge;        // the last reading
};

static double noise(struct weather *weather)
{
    return weather->machine->heavy ? gsl_ran_tdist(weather->rng, TAIL) / sqrt(TAIL)
                                   : gsl_ran_gaussian_ziggurat(weather->rng, 1);
}

static double step(struct weather *weather, double level, double stays)
{
    return stays * level + sqrt(1 - stays * stays) * noise(weather);
}

// The gauge between two runs: it is that after the one and before the other.
static double reading(struct weather *weather)
{
    const struct machine *machine = weather->machine;
    const double level = machine->deaf ? weather->other : weather->level;
    return gauge_sd * (level + machine->blur * noise(weather)) + weather->after;
}

static void begin(struct weather *weather, const struct machine *machine, gsl_rng *rng)
{
    *weather = (struct weather){.machine = machine, .rng = rng};
    weather->level = noise(weather);
    weather->other = noise(weather);
    weather->rest = noise(weather);
    weather->gauge = reading(weather);
}

static bool draw(void *context, struct observation *run)
{
    struct weather *weather = context;
    const struct machine *machine = weather->machine;
    const bool loaded = run->condition > 0;
    const double before = weather->level, gauge = weather->gauge;
    weather->level = step(weather, before, machine->stays);
    weather->other = step(weather, weather->other, machine->stays);
    weather->rest = step(weather, weather->rest, machine->unseen);
    weather->after = loaded ? machine->moved : 0;
    weather->gauge = reading(weather);
    // The mean of two levels whose correlation is `stays` has the variance (1 + stays) / 2.
    const double felt = (before + weather->level) / 2 / sqrt((1 + machine->stays) / 2);
    const double off = machine->cv * (sqrt(machine->seen) * felt * (loaded ? machine->loaded : 1) +
                                      sqrt(1 - machine->seen) * weather->rest);
    run->value[WALL_S] = fmax((loaded ? true_ratio : 1) * (1 + off), 0.01);
    run->gauge_after = weather->gauge;
    run->gauge = (gauge + weather->gauge) / 2;
    return true;
}

static bool one(void *context, struct simulation *simulation, void *part)
{
    const struct job *job = context;
    struct sums *sums = part;
    struct session *session = &simulation->session;
    struct weather weather;
    simulation_next(simulation);
    begin(&weather, job->machine, simulation->rng);
    if (!simulation_measure(session, draw, &weather))
        return false;
    const struct interval ratio = metric_ratio(session, 1, AGAINST_ALONE, WALL_S);
    const enum gauge_use use = metric_gauge_use(session, 1, AGAINST_ALONE, WALL_S);
    const double low = ratio.center - job->narrow * (ratio.center - ratio.low);
    const double high = ratio.center + job->narrow * (ratio.high - ratio.center);
    sums->experiments++;
    sums->covered += low > true_ratio || high < true_ratio ? 0 : 1;
    sums->used += use == GAUGE_USED ? 1 : 0;
    sums->moved += use == GAUGE_USE_MOVED ? 1 : 0;
    sums->half += ratio.error;
    sums->runs += (double)session_blocks(session);
    sums->decided +=
        settings_has_gate(session->settings) && gate_verdict(session) != VERDICT_UNDECIDED ? 1 : 0;
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->covered += part->covered;
    sums->used += part->used;
    sums->moved += part->moved;
    sums->half += part->half;
    sums->runs += part->runs;
    sums->decided += part->decided;
}

static double percent(double sum, const struct sums *sums)
{
    return 100 * sum / (double)sums->experiments;
}

static bool simulate(const struct plan *plan, struct job *job, struct sums *sums)
{
    const struct simulations what = {
        .settings = &job->settings,
        .seed = plan->seed,
        .experiments = plan->experiments,
        .chunk = CHUNK,
        .threads = plan->threads,
        .one = one,
        .add = add,
        .size = sizeof *sums,
    };
    return simulations_sum(&what, job, sums);
}

// A gate at the true ratio: each verdict is wrong. False if the machine failed.
static bool gate_wrong(const struct plan *plan, const struct machine *machine, enum gauge_mode mode,
                       double *wrong)
{
    static const struct setting looks = {"15-60", 0, DEFAULT_MIN_RUNS, 60};
    static const struct population steady = {.name = "gauge", .shape = NORMAL, .cv = 0.05};
    struct sums sums;
    struct plan part = *plan;
    struct job job = {.machine = machine, .narrow = plan->narrow};
    part.experiments /= GATE_SHARE;
    job.settings = plan_cell(plan, &steady, &looks, true_ratio).settings;
    job.settings.gauge = mode;
    job.settings.at_most = true_ratio;
    if (!simulate(&part, &job, &sums))
        return false;
    *wrong = percent((double)sums.decided, &sums);
    return true;
}

static bool is_kept(const struct plan *plan, const struct machine *machine,
                    const struct setting *setting, const struct sums *sums)
{
    const double wrong = 100 - percent((double)sums->covered, sums);
    const double slack = 3 * sqrt(allowed * (100 - allowed) / (double)sums->experiments);
    if (!plan->quick || machine->hard || wrong <= allowed + 1 + slack)
        return true;
    fprintf(stderr, "broken: gauge %s, %s: the adjusted interval misses the truth in %.2f %%\n",
            machine->name, setting->name, wrong);
    return false;
}

static bool row(const struct plan *plan, const struct machine *machine,
                const struct setting *setting)
{
    static const enum gauge_mode modes[MODES] = {GAUGE_OFF, GAUGE_ON};
    static const struct population steady = {.name = "gauge", .shape = NORMAL, .cv = 0.05};
    struct sums sums[MODES];
    for (size_t i = 0; i < MODES; i++) {
        struct job job = {.machine = machine, .narrow = plan->narrow};
        job.settings = plan_cell(plan, &steady, setting, true_ratio).settings;
        job.settings.gauge = modes[i];
        if (!simulate(plan, &job, &sums[i]))
            return false;
    }
    printf("%-28s %-8s |", machine->name, setting->name);
    for (size_t i = 0; i < MODES; i++)
        printf("%7.2f %6.2f %6.1f |", percent((double)sums[i].covered, &sums[i]),
               percent(sums[i].half, &sums[i]), sums[i].runs / (double)sums[i].experiments);
    printf("%6.1f %6.1f", percent((double)sums[1].used, &sums[1]),
           percent((double)sums[1].moved, &sums[1]));
    // The gate has looks of its own: it is shown once for each machine.
    if (!plan->quick && setting == &settings_of_plan[SETTING_DEFAULT]) {
        double wrong[MODES];
        for (size_t i = 0; i < MODES; i++)
            if (!gate_wrong(plan, machine, modes[i], &wrong[i]))
                return false;
        printf(" |%6.2f %6.2f", wrong[0], wrong[1]);
    }
    putchar('\n');
    fflush(stdout);
    return is_kept(plan, machine, setting, &sums[1]);
}

bool gauge_table(const struct plan *plan)
{
    static const struct setting fixed[] = {{"15", 0, 15, 15}, {"30", 0, 30, 30}};
    const struct setting *settings[] = {&settings_of_plan[SETTING_DEFAULT],
                                        &settings_of_plan[SETTING_5_15], &fixed[0], &fixed[1]};
    const size_t count = plan->quick ? 2 : sizeof settings / sizeof *settings;
    bool good = true;
    puts(
        "\nThe gauge as a covariate (--gauge): how often the interval of a slowdown of 1.25 holds, "
        "its half-width, and\nthe runs of each condition, without and with it; how often it is "
        "used, and how often it is found to be\nmoved by the load (percent)");
    printf("%-28s %-8s |%21s |%21s |%6s %6s\n", "machine", "setting", "plain: cover half runs",
           "adjusted", "used", "moved");
    for (size_t i = 0; i < sizeof machines / sizeof *machines; i++)
        for (size_t s = 0; s < count && (!plan->quick || machines[i].quick); s++)
            good = row(plan, &machines[i], settings[s]) && good;
    return good;
}
