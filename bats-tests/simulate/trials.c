#include "trials.h"

#include "harness/stats/gate.h"
#include "harness/stats/interval.h"
#include "harness/stats/metrics.h"
#include "harness/stats/side_by_side.h"
#include "harness/stats/verdict.h"
#include "simulation.h"
#include "workers.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

enum { CHUNK = 500 };

const double power_ratio[POWERS] = {1.01, 1.02, 1.05, 1.10};

// The metrics move independently of each other, which is the hardest case for
// intervals that must hold all at once.
struct generator {
    struct stream stream[MAX_METRICS];
    const struct cell *cell;
    double scale; // of the values of a lone condition
};

static void begin(struct generator *generator, const struct cell *cell, double scale, gsl_rng *rng)
{
    generator->cell = cell;
    generator->scale = scale;
    for (size_t m = 0; m < cell->settings.metrics.count; m++)
        if (cell->settings.metrics.item[m].chosen)
            stream_begin(&generator->stream[m], cell->population,
                         cell->settings.condition_count == 1, rng);
}

static bool draw(void *context, struct observation *run)
{
    struct generator *generator = context;
    const struct cell *cell = generator->cell;
    const struct settings *settings = &cell->settings;
    bool loaded = run->condition > 0 && (size_t)run->condition != settings_aa(settings);
    for (size_t m = 0; m < settings->metrics.count; m++) {
        if (!settings->metrics.item[m].chosen)
            continue;
        run->value[m] = generator->scale * stream_draw(&generator->stream[m], loaded, cell->ratio);
        if (settings->metrics.item[m].higher_is_better)
            run->value[m] = 1 / run->value[m];
    }
    return true;
}

static struct interval narrowed(const struct cell *cell, struct interval figure)
{
    figure.low = figure.center - cell->narrow * (figure.center - figure.low);
    figure.high = figure.center + cell->narrow * (figure.high - figure.center);
    return figure;
}

// Without bounds nothing is claimed.
static bool holds(const struct interval *interval, double truth)
{
    return !(interval->low > truth) && !(interval->high < truth);
}

static void count_flags(struct session *session, bool covered, struct tally *tally)
{
    unsigned flags = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++)
        flags |= oddities_find(session, i, WALL_S);
    for (size_t i = 0; i < ODDITIES; i++)
        tally->flag[i] += flags >> i & 1U;
    tally->flagged += flags != 0 ? 1 : 0;
    tally->wrong_unflagged += covered || flags != 0 ? 0 : 1;
}

// The condition whose slowdown is judged: the last, which is the load.
static size_t judged(const struct settings *settings)
{
    return settings->condition_count - 1;
}

static void judge_metrics(struct session *session, const struct generator *generator,
                          struct tally *tally)
{
    const struct settings *settings = session->settings;
    const struct cell *cell = generator->cell;
    bool single = settings->condition_count == 1, covered = true, robust = true;
    for (size_t m = settings->metrics.count; m-- > 0;) {
        if (!settings->metrics.item[m].chosen)
            continue;
        struct location mean = single ? metric_location(session, 0, m) : (struct location){0};
        struct interval figure = narrowed(
            cell, single
                      ? mean.interval
                      : metric_ratio(session, (struct ratio){judged(settings), AGAINST_ALONE, m}));
        double truth = isnan(cell->truth) ? stream_truth(&generator->stream[m]) : cell->truth;
        bool held = holds(&figure, truth);
        const struct interval wide = narrowed(cell, mean.robust);
        covered = covered && held;
        robust = robust && single && holds(&wide, truth);
        if (m != WALL_S)
            continue;
        tally->covered_first += held ? 1 : 0;
        tally->half_width += figure.error;
        // Scaling the loaded values scales the interval, and changes no decision.
        for (size_t i = 0; !single && i < POWERS; i++)
            tally->seen[i] += figure.low / cell->ratio * power_ratio[i] > 1 ? 1 : 0;
    }
    tally->covered += covered ? 1 : 0;
    tally->covered_robust += robust ? 1 : 0;
    count_flags(session, covered, tally);
}

static void judge_baseline(struct session *session, const struct generator *generator,
                           struct tally *tally)
{
    struct location mean = metric_location(session, 0, WALL_S);
    bool held = holds(&mean.interval, stream_truth(&generator->stream[WALL_S]));
    tally->mean_covered += held ? 1 : 0;
    tally->mean_silent += held || oddities_find(session, 0, WALL_S) != 0 ? 0 : 1;
}

static void judge(struct session *session, const struct generator *generator, struct tally *tally)
{
    const struct settings *settings = session->settings;
    tally->experiments++;
    tally->runs += (double)session_blocks(session);
    judge_metrics(session, generator, tally);
    if (settings->condition_count == 1)
        return;
    judge_baseline(session, generator, tally);
    tally->distinguished +=
        metric_is_distinguishable(session, (struct ratio){judged(settings), AGAINST_ALONE, WALL_S})
            ? 1
            : 0;
    if (settings_aa(settings) > 0)
        tally->floor += metric_noise_floor(session, WALL_S);
    if (settings_has_gate(settings))
        tally->verdict[gate_verdict(session)]++;
}

static void judge_pair(struct session *a, struct session *b, const struct cell *cell,
                       struct tally *tally)
{
    struct interval ratio =
        narrowed(cell, compare_ratio(&a->critical, &(struct compared){a, 0, WALL_S},
                                     &(struct compared){b, 0, WALL_S}));
    bool covered = holds(&ratio, cell->truth);
    tally->experiments++;
    tally->runs += (double)(session_blocks(a) + session_blocks(b)) / 2;
    tally->half_width += ratio.error;
    tally->covered += covered ? 1 : 0;
    tally->distinguished += ratio.low > 1 || ratio.high < 1 ? 1 : 0;
    // Scaling the second result's values scales the interval, and changes no decision.
    for (size_t i = 0; i < POWERS; i++)
        tally->seen[i] += ratio.low / cell->ratio * power_ratio[i] > 1 ? 1 : 0;
    bool flagged = oddities_find(a, 0, WALL_S) || oddities_find(b, 0, WALL_S);
    tally->flagged += flagged ? 1 : 0;
    tally->wrong_unflagged += covered || flagged ? 0 : 1;
}

// session: that of the simulation, or another with its settings.
static bool one(const struct cell *cell, struct simulation *simulation, struct session *session,
                double scale, struct generator *generator)
{
    simulation->settings.seed = gsl_rng_get(simulation->rng);
    simulation_clear(session);
    begin(generator, cell, scale, simulation->rng);
    return simulation_measure(session, draw, generator);
}

static bool run_many(const struct cell *cell, unsigned long seed, size_t chunk, size_t count,
                     struct tally *tally)
{
    struct simulation simulation;
    struct session *session = &simulation.session, other;
    struct generator generator, second;
    bool good = simulation_init(&simulation, &cell->settings, seed, chunk);
    session_init(&other, &simulation.settings);
    for (size_t i = 0; good && i < count; i++) {
        good = one(cell, &simulation, session, 1, &generator);
        if (good && cell->kind == COMPARISON) {
            good = one(cell, &simulation, &other, cell->ratio, &second);
            judge_pair(session, &other, cell, tally);
        } else if (good) {
            judge(session, &generator, tally);
        }
    }
    simulation_free(&simulation);
    session_free(&other);
    return good;
}

static void tally_add(struct tally *sum, const struct tally *part)
{
    sum->experiments += part->experiments;
    sum->covered += part->covered;
    sum->covered_first += part->covered_first;
    sum->covered_robust += part->covered_robust;
    sum->flagged += part->flagged;
    sum->wrong_unflagged += part->wrong_unflagged;
    sum->mean_covered += part->mean_covered;
    sum->mean_silent += part->mean_silent;
    sum->distinguished += part->distinguished;
    sum->half_width += part->half_width;
    sum->floor += part->floor;
    sum->runs += part->runs;
    for (size_t i = 0; i < ODDITIES; i++)
        sum->flag[i] += part->flag[i];
    for (size_t i = 0; i < POWERS; i++)
        sum->seen[i] += part->seen[i];
    for (size_t i = 0; i < VERDICTS; i++)
        sum->verdict[i] += part->verdict[i];
}

struct cells {
    const struct cell *cells;
    struct tally *part; // of each chunk of each cell
    size_t experiments, chunks;
    unsigned long seed;
};

static bool run_chunk(void *context, size_t number)
{
    const struct cells *all = context;
    size_t first = number % all->chunks * CHUNK, left = all->experiments - first;
    return run_many(&all->cells[number / all->chunks], all->seed, number,
                    left < CHUNK ? left : CHUNK, &all->part[number]);
}

bool trials_run(const struct cell *cells, struct tally *tallies, size_t count, size_t experiments,
                unsigned long seed, size_t threads)
{
    size_t chunks = (experiments + CHUNK - 1) / CHUNK;
    struct cells all = {cells, calloc(count * chunks, sizeof *all.part), experiments, chunks, seed};
    bool good = all.part && workers_run(count * chunks, threads, run_chunk, &all);
    for (size_t i = 0; good && i < count * chunks; i++)
        tally_add(&tallies[i / chunks], &all.part[i]);
    free(all.part);
    return good;
}

double cell_cv(const struct cell *cell)
{
    const bool alone = cell->settings.condition_count == 1;
    double base = population_cv(cell->population, alone && cell->population->quiet);
    return !alone ? hypot(base, population_cv(cell->population, true)) : base;
}

double oracle_runs(const struct cell *cell)
{
    if (population_moves(cell->population))
        return NAN;
    double z = gsl_cdf_ugaussian_Pinv((1 + cell->settings.confidence) / 2);
    double runs = ceil(pow(z * cell_cv(cell) / cell->settings.error, 2));
    runs = fmax(runs, (double)cell->settings.min_runs);
    return fmin(runs, (double)cell->settings.max_runs);
}
