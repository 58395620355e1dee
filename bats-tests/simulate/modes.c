#include "plan.h"

#include "harness/stats/decide.h"
#include "harness/stats/gate.h"
#include "harness/stats/interval.h"
#include "harness/stats/metrics.h"
#include "harness/stats/verdict.h"
#include "simulation.h"

#include <math.h>
#include <stdio.h>

// Pairs that are of two kinds: loads that slow some of the runs and leave the others, stragglers on
// both sides that hide an effect, and machines that disturb every third, fourth or fifth run.

enum { CHUNK = 25, FEWER = 5 };

static const struct ratio the_ratio = {1, AGAINST_ALONE, WALL_S};
static const double fast = 1.25; // what a load does to all runs, before it slows some of them more

static const struct pair_kind {
    struct population population;
    double ratio;   // of the means; 0: a load that slows some of the runs by `spread` more
    double covered; // percent, at least
    double seen;    // percent of experiments that call it an effect: at least, or of none at most
} kinds[] = {
#define MODE(text, share, more, holds)                                                             \
    {                                                                                              \
        {.name = "mode-" text,                                                                     \
         .shape = STALLS,                                                                          \
         .cv = 0.01,                                                                               \
         .amount = (share),                                                                        \
         .spread = (more),                                                                         \
         .quiet = true},                                                                           \
            0, (holds), 0                                                                          \
    }
#define MODES(text, more)                                                                          \
    MODE("10%x" text, 0.1, more, 91), MODE("20%x" text, 0.2, more, 91),                            \
        MODE("30%x" text, 0.3, more, 80), MODE("40%x" text, 0.4, more, 91),                        \
        MODE("50%x" text, 0.5, more, 91)
    MODES("1.2", 0.2),
    MODES("1.5", 0.5),
    MODES("2", 1),
    MODES("3", 2),
#undef MODES
#undef MODE
#define BOTH(text, share, power)                                                                   \
    {{.name = "both-" text, .shape = STALLS, .cv = 0.01, .amount = (share), .spread = 2},          \
     1.19,                                                                                         \
     92,                                                                                           \
     (power)},                                                                                     \
    {                                                                                              \
        {.name = "both-same-" text, .shape = STALLS, .cv = 0.01, .amount = (share), .spread = 2},  \
            1, 92, 5                                                                               \
    }
    BOTH("10%x3", 0.1, 95),
    BOTH("20%x3", 0.2, 90),
    BOTH("30%x3", 0.3, 80),
#undef BOTH
#define EVERY_FEW(text, runs)                                                                      \
    {{.name = "sine-" text, .shape = PERIODIC, .cv = 0.01, .amount = 0.05, .spread = (runs)},      \
     1,                                                                                            \
     92,                                                                                           \
     7},                                                                                           \
    {                                                                                              \
        {.name = "every-" text, .shape = EVERY, .cv = 0.01, .amount = 0.05, .spread = (runs)}, 1,  \
            92, 7                                                                                  \
    }
    EVERY_FEW("3", 3),
    EVERY_FEW("4", 4),
    EVERY_FEW("5", 5),
#undef EVERY_FEW
    {{.name = "drift-20%", .shape = DRIFT, .cv = 0.01, .amount = 0.20}, 1, 92, 7},
    {{.name = "ar1-0.5", .shape = AUTOREGRESSIVE, .cv = 0.02, .amount = 0.5}, 1, 92, 7},
    {{.name = "ar1-0.9", .shape = AUTOREGRESSIVE, .cv = 0.02, .amount = 0.9}, 1, 92, 7},
    {{.name = "white-1%", .shape = NORMAL, .cv = 0.01}, 1, 92, 5},
    {{.name = "white-3%", .shape = NORMAL, .cv = 0.03}, 1, 92, 5},
    {{.name = "white-5%", .shape = NORMAL, .cv = 0.05}, 1, 92, 5},
    {{.name = "white-20%", .shape = NORMAL, .cv = 0.20}, 1, 92, 5},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const double most_carried = 4, most_silent = 5; // percent

struct sums {
    size_t experiments, covered, grouped, silent, seen, carried;
    size_t repeats, apart; // of two in a row: their intervals do not overlap
    size_t verdict[VERDICTS];
    double runs, half_width;
    struct interval last;
};

struct job {
    struct cell cell;
    struct stream stream;
};

static bool draw(void *context, struct observation *run)
{
    struct job *job = context;
    run->value[WALL_S] = stream_draw(&job->stream, run->condition > 0, job->cell.ratio);
    return true;
}

static void judge(struct session *session, const struct cell *cell, struct sums *sums)
{
    struct interval ratio = metric_ratio(session, the_ratio);
    ratio.low = ratio.center - cell->narrow * (ratio.center - ratio.low);
    ratio.high = ratio.center + cell->narrow * (ratio.high - ratio.center);
    const bool covered = !(ratio.low > cell->truth) && !(ratio.high < cell->truth);
    const bool grouped = metric_groups(session, the_ratio).low_count > 0;
    if (sums->experiments++ % CHUNK > 0) {
        sums->repeats++;
        sums->apart += ratio.low > sums->last.high || ratio.high < sums->last.low;
    }
    sums->last = ratio;
    sums->covered += covered;
    sums->grouped += grouped;
    sums->silent += !covered && !grouped && !metric_is_unsteady(session, the_ratio);
    sums->seen += metric_is_distinguishable(session, the_ratio);
    sums->carried += session->washed > 0 || carry_over_shows(session, 1, WALL_S);
    sums->runs += (double)session_blocks(session);
    sums->half_width += isfinite(ratio.error) ? ratio.error : 0;
}

static bool one(void *context, struct simulation *simulation, void *part)
{
    struct job job = *(const struct job *)context;
    struct session *session = &simulation->session;
    struct sums *sums = part;
    simulation_next(simulation);
    stream_begin(&job.stream, job.cell.population, false, simulation->rng);
    if (!simulation_measure(session, draw, &job))
        return false;
    judge(session, &job.cell, sums);
    if (settings_has_gate(session->settings))
        sums->verdict[gate_verdict(session)]++;
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->covered += part->covered;
    sums->grouped += part->grouped;
    sums->silent += part->silent;
    sums->seen += part->seen;
    sums->carried += part->carried;
    sums->repeats += part->repeats;
    sums->apart += part->apart;
    sums->runs += part->runs;
    sums->half_width += part->half_width;
    for (enum verdict i = 0; i < VERDICTS; i++)
        sums->verdict[i] += part->verdict[i];
}

// The cell of a kind, with a gate at `at_most` unless that is 0.
static bool measure(const struct plan *plan, const struct pair_kind *kind, double ratio,
                    double at_most, struct sums *sums)
{
    struct job job = {
        .cell = plan_cell(plan, &kind->population, &settings_of_plan[SETTING_DEFAULT], ratio)};
    struct settings *settings = &job.cell.settings;
    settings->statistic = STATISTIC_TYPICAL;
    settings->washout.automatic = true;
    settings->at_most = at_most;
    job.cell.truth = population_typical(&kind->population, ratio);
    const struct simulations what = {
        .settings = settings,
        .seed = plan->seed,
        .experiments = plan->quick ? plan->experiments : plan->experiments / FEWER,
        .chunk = CHUNK,
        .threads = plan->threads,
        .one = one,
        .add = add,
        .size = sizeof *sums,
    };
    return simulations_sum(&what, &job, sums);
}

static double percent(size_t count, size_t all)
{
    return 100 * (double)count / (double)all;
}

// Says so where more than `allowed` percent are wrong, by more than chance explains.
static bool kept(const struct pair_kind *kind, const char *what, double share, double allowed,
                 size_t n)
{
    if (share <= allowed + 3 * sqrt(allowed * (100 - allowed) / (double)n))
        return true;
    fprintf(stderr, "broken: %s: %s in %.2f %%\n", kind->population.name, what, share);
    return false;
}

static bool check(const struct plan *plan, const struct pair_kind *kind, const struct sums *sums)
{
    const size_t n = sums->experiments;
    const double seen = percent(sums->seen, n);
    if (!plan->quick)
        return true;
    bool good = kept(kind, "the interval is wrong", 100 - percent(sums->covered, n),
                     100 - kind->covered, n);
    good = kept(kind, "it is wrong and not said", percent(sums->silent, n), most_silent, n) && good;
    good = kept(kind, "a carry-over is said", percent(sums->carried, n), most_carried, n) && good;
    if (kind->ratio > 1)
        return kept(kind, "an effect is missed", 100 - seen, 100 - kind->seen, n) && good;
    return (kind->ratio == 0 || kept(kind, "a false effect is said", seen, kind->seen, n)) && good;
}

static bool row(const struct plan *plan, const struct pair_kind *kind)
{
    const struct population *population = &kind->population;
    const double more = population->spread, limit = fast * (1 + more / 2);
    const double ratio =
        kind->ratio > 0 ? kind->ratio : fast * (1 + population->amount * more); // of the means
    struct sums sums, gate;
    if (!measure(plan, kind, ratio, 0, &sums))
        return false;
    const size_t n = sums.experiments;
    printf("%-14s %6.1f %6.2f %5.1f %6.1f %5.1f %5.1f %6.1f %5.1f", population->name,
           percent(sums.covered, n), 100 * sums.half_width / (double)n, sums.runs / (double)n,
           percent(sums.grouped, n), percent(sums.silent, n), percent(sums.apart, sums.repeats),
           percent(sums.seen, n), percent(sums.carried, n));
    if (!plan->quick && kind->ratio == 0) {
        if (!measure(plan, kind, ratio, limit, &gate))
            return false;
        const double below = percent(gate.verdict[VERDICT_BELOW], gate.experiments),
                     above = percent(gate.verdict[VERDICT_ABOVE], gate.experiments);
        printf(" | %6.1f %6.1f %6.1f", below, above, below * above / 50);
    }
    putchar('\n');
    fflush(stdout);
    return check(plan, kind, &sums);
}

bool modes_has(const char *list)
{
    for (size_t i = 0; i < KINDS; i++)
        if (plan_wants(list, kinds[i].population.name))
            return true;
    return false;
}

bool modes_table(const struct plan *plan)
{
    bool good = true;
    puts(
        "\nLoads that slow some of the runs, stragglers on both sides, and a machine that disturbs "
        "every\nfew runs (percent but for runs): how often the typical ratio's interval holds, its "
        "half-width,\nruns, how often two groups are said, it is wrong and nothing said, two "
        "repeats do not overlap,\nan effect is said, and a carry-over; a gate at a limit between "
        "the modes: below, above, and\ntwo repeats of which one is below and one above");
    printf("%-14s %6s %6s %5s %6s %5s %5s %6s %5s | %6s %6s %6s\n", "population", "cover", "half",
           "runs", "groups", "w&u", "apart", "effect", "carry", "below", "above", "both");
    for (size_t i = 0; i < KINDS; i++)
        if (plan_wants(plan->populations, kinds[i].population.name))
            good = row(plan, &kinds[i]) && good;
    return good;
}
