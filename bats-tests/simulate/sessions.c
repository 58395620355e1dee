#include "plan.h"

#include "harness/stats/interval.h"
#include "harness/stats/levels.h"
#include "harness/stats/metrics.h"
#include "simulation.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

enum { CHUNK = 50, COUNTS = 4, MOST = 10, SHARE = 10 /* of the plan's experiments: each has 10 */ };

static const double true_ratio = 1.25, level_spread = 0.05, allowed = 5;
// Standard deviations of the slowdown between sessions, over the slowdown.
static const double spreads[] = {0, 0.01, 0.03, 0.1};
static const size_t counts[COUNTS] = {2, 3, 5, MOST};
static const char *const shown = "normal-1%,normal-5%,lognormal-20%";

struct sums {
    size_t experiments, single, covered[COUNTS];
    double single_half, half[COUNTS], between;
};

struct job {
    const struct plan *plan;
    struct cell cell;
    double spread;
};

// 1 on average.
static double session_level(gsl_rng *rng, double spread)
{
    return exp(gsl_ran_gaussian(rng, spread) - spread * spread / 2);
}

// The level of both conditions, and that of the slowdown, are the session's.
struct source {
    struct stream stream;
    double level, ratio;
};

static bool draw(void *context, struct observation *run)
{
    struct source *source = context;
    run->value[WALL_S] =
        source->level * stream_draw(&source->stream, run->condition > 0, source->ratio);
    return true;
}

static bool holds(const struct interval *ratio, double narrow)
{
    return ratio->center - narrow * (ratio->center - ratio->low) <= true_ratio &&
           true_ratio <= ratio->center + narrow * (ratio->high - ratio->center);
}

// One session, as the report takes it from its result.
static struct level_session take(struct session *session, struct critical *critical,
                                 struct interval *ratio)
{
    *ratio = metric_ratio(session, (struct ratio){1, AGAINST_ALONE, WALL_S});
    const double base = session->conditions[0].metric[WALL_S].mean;
    const size_t pairs = session->conditions[1].pairs[AGAINST_ALONE][WALL_S].count;
    const double t = critical_t(critical, (double)pairs - 1);
    return (struct level_session){base, base * ratio->center, ratio->error * ratio->center / t,
                                  pairs};
}

static bool one(void *context, struct simulation *simulation, void *part)
{
    const struct job *job = context;
    struct sums *sums = part;
    struct session *session = &simulation->session;
    gsl_rng *rng = simulation->rng;
    struct level_session sessions[MOST];
    struct interval ratio;
    struct source source;
    for (size_t i = 0; i < MOST; i++) {
        simulation_next(simulation);
        stream_begin(&source.stream, job->cell.population, false, rng);
        source.ratio = true_ratio * session_level(rng, job->spread);
        source.level = session_level(rng, level_spread);
        if (!simulation_measure(session, draw, &source))
            return false;
        sessions[i] = take(session, &session->critical, &ratio);
        if (i > 0)
            continue;
        sums->single += holds(&ratio, job->cell.narrow) ? 1 : 0;
        sums->single_half += ratio.error;
    }
    sums->experiments++;
    for (size_t i = 0; i < COUNTS; i++) {
        const struct levels levels = levels_estimate(&session->critical, sessions, counts[i]);
        // Without bounds it says nothing, and nothing wrong.
        const bool bounded = isfinite(levels.ratio.low) && isfinite(levels.ratio.high);
        sums->covered[i] += !bounded || holds(&levels.ratio, job->cell.narrow) ? 1 : 0;
        sums->half[i] += bounded ? levels.ratio.error : 0;
        if (counts[i] == MOST)
            sums->between += levels.between * levels.between;
    }
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->single += part->single;
    sums->single_half += part->single_half;
    sums->between += part->between;
    for (size_t i = 0; i < COUNTS; i++) {
        sums->covered[i] += part->covered[i];
        sums->half[i] += part->half[i];
    }
}

static bool simulate(struct job *job, struct sums *sums)
{
    const struct simulations what = {
        .settings = &job->cell.settings,
        .seed = job->plan->seed,
        .experiments = job->plan->experiments / SHARE,
        .chunk = CHUNK,
        .threads = job->plan->threads,
        .one = one,
        .add = add,
        .size = sizeof *sums,
    };
    return simulations_sum(&what, job, sums);
}

static double percent(double sum, const struct sums *sums)
{
    return 100 * sum / (double)sums->experiments;
}

static bool row(const struct plan *plan, const struct population *population, double spread)
{
    struct job job = {.plan = plan, .spread = spread};
    struct sums sums;
    bool kept = true;
    job.cell = plan_cell(plan, population, &settings_of_plan[SETTING_DEFAULT], true_ratio);
    if (!simulate(&job, &sums))
        return false;
    printf("%-20s %5.0f |%7.2f %7.2f |", population->name, 100 * spread,
           percent((double)sums.single, &sums), percent(sums.single_half, &sums));
    for (size_t i = 0; i < COUNTS; i++) {
        const double wrong = 100 - percent((double)sums.covered[i], &sums);
        printf("%7.2f %7.2f |", 100 - wrong, percent(sums.half[i], &sums));
        kept = kept && wrong <= allowed + 1 +
                                    3 * sqrt(allowed * (100 - allowed) / (double)sums.experiments);
    }
    printf("%7.2f\n", 100 * sqrt(sums.between / (double)sums.experiments));
    fflush(stdout);
    if (!plan->quick || kept)
        return true;
    fprintf(stderr, "broken: %s: the interval over sessions misses the truth too often\n",
            population->name);
    return false;
}

bool sessions_table(const struct plan *plan)
{
    bool good = true;
    puts(
        "\nSessions that differ: the slowdown by `between`, the level of all runs by 5 % (standard "
        "deviations);\ndefault settings, slowdown 1.25. How often the interval of one session, "
        "and that over 2, 3, 5 and\n10, contains the mean slowdown, with its half-width, and what "
        "10 sessions find between them (percent)");
    printf("%-20s %5s |%15s |%15s |%15s |%15s |%15s |%7s\n", "population", "betw.", "one session",
           "2 sessions", "3", "5", "10", "found");
    for (size_t i = 0; i < population_count; i++)
        for (size_t s = 0; s < sizeof spreads / sizeof *spreads; s++)
            if (plan_wants(plan->populations, populations[i].name) &&
                plan_wants(shown, populations[i].name) && (!plan->quick || spreads[s] == 0.03))
                good = row(plan, &populations[i], spreads[s]) && good;
    return good;
}
