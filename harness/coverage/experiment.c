#include "experiment.h"

#include "../estimate/decide.h"
#include "../estimate/figures.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

const double power_ratio[POWERS] = {1.01, 1.02, 1.05, 1.10};

static bool measure(struct session *session, struct stream *stream, double ratio)
{
    for (;;) {
        struct decision next = decide(session);
        if (next.stop != STOP_NOT)
            return true;
        struct run run = {
            .condition = (int)next.condition, .block = next.block, .order = next.order};
        run.value[WALL_S] = stream_draw(stream, next.condition > 0, ratio);
        run.value[USER_S] = run.value[SYSTEM_S] = run.value[MAX_RSS_BYTES] = NAN;
        if (session_add(session, &run) != SESSION_ADDED)
            return false;
    }
}

static bool holds(const struct interval *interval, double truth)
{
    return interval->low <= truth && truth <= interval->high;
}

static void count_flags(const struct cell *cell, struct session *session, bool covered,
                        struct tally *tally)
{
    unsigned flags = 0;
    for (size_t i = 0; i < cell->settings.condition_count; i++)
        flags |= diagnose_flags(session, i, WALL_S);
    for (size_t i = 0; i < FLAGS; i++)
        tally->flag[i] += flags >> i & 1U;
    tally->flagged += flags != 0 ? 1 : 0;
    tally->wrong_unflagged += covered || flags != 0 ? 0 : 1;
}

static void judge(const struct cell *cell, struct session *session, const struct stream *stream,
                  struct tally *tally)
{
    bool single = cell->settings.condition_count == 1;
    double truth = single ? stream_truth(stream) : cell->ratio;
    struct interval figure =
        single ? figure_location(session, 0, WALL_S).interval : figure_ratio(session, 1, WALL_S);
    figure.low = figure.center - cell->narrow * (figure.center - figure.low);
    figure.high = figure.center + cell->narrow * (figure.high - figure.center);
    bool covered = holds(&figure, truth);
    tally->experiments++;
    tally->covered += covered ? 1 : 0;
    tally->covered_all += holds(&figure, single ? stream_truth_all(stream) : truth) ? 1 : 0;
    tally->half_width += figure.error;
    tally->runs += (double)decide_blocks(session);
    count_flags(cell, session, covered, tally);
    if (cell->settings.at_most > 0)
        tally->verdict[gate_verdict(session)]++;
    // Scaling the loaded values scales the interval, and changes no decision.
    for (size_t i = 0; !single && i < POWERS; i++)
        tally->seen[i] += figure.low / cell->ratio * power_ratio[i] > 1 ? 1 : 0;
}

bool experiment_many(const struct cell *cell, unsigned long seed, size_t count, struct tally *tally)
{
    struct settings settings = cell->settings;
    struct session session;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    bool good = session_init(&session, &settings) && rng;
    if (rng)
        gsl_rng_set(rng, seed);
    for (size_t i = 0; good && i < count; i++) {
        struct stream stream;
        settings.seed = gsl_rng_get(rng);
        session_clear(&session);
        stream_begin(&stream, cell->population, rng);
        good = measure(&session, &stream, cell->ratio);
        if (good)
            judge(cell, &session, &stream, tally);
    }
    session_free(&session);
    if (rng)
        gsl_rng_free(rng);
    return good;
}

void tally_add(struct tally *sum, const struct tally *part)
{
    sum->experiments += part->experiments;
    sum->covered += part->covered;
    sum->covered_all += part->covered_all;
    sum->flagged += part->flagged;
    sum->wrong_unflagged += part->wrong_unflagged;
    sum->half_width += part->half_width;
    sum->runs += part->runs;
    for (size_t i = 0; i < FLAGS; i++)
        sum->flag[i] += part->flag[i];
    for (size_t i = 0; i < POWERS; i++)
        sum->seen[i] += part->seen[i];
    for (size_t i = 0; i < VERDICTS; i++)
        sum->verdict[i] += part->verdict[i];
}

double cell_cv(const struct cell *cell)
{
    double base = population_cv(cell->population, false);
    return cell->ratio > 0 ? hypot(base, population_cv(cell->population, true)) : base;
}

double oracle_runs(const struct cell *cell)
{
    enum shape shape = cell->population->shape;
    if (shape == DRIFT || shape == STEP || shape == WARM_UP || shape == AUTOREGRESSIVE)
        return NAN;
    double z = gsl_cdf_ugaussian_Pinv((1 + cell->settings.confidence) / 2);
    double runs = ceil(pow(z * cell_cv(cell) / cell->settings.error, 2));
    runs = fmax(runs, (double)cell->settings.min_runs);
    return fmin(runs, (double)cell->settings.max_runs);
}
