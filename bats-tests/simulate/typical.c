#include "plan.h"

#include "harness/stats/interval.h"
#include "harness/stats/metrics.h"
#include "harness/stats/result.h"
#include "harness/stats/straggling.h"
#include "simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// There are many rows: a fifth of the experiments is enough.
enum { CHUNK = 100, FEWER = 5 };

static const double least_covered = 94, most_false = 5; // percent

// What makes interference: each with the slowdown of its means that is simulated.
static const struct interference {
    struct population population;
    double ratio;
    double power; // that is promised with 15 pairs, in percent: within 5 points of the better of t
                  // and signed ranks
} kinds[] = {
    {{.name = "stragglers-5%x5", .shape = STALLS, .cv = 0.02, .amount = 0.05, .spread = 4},
     1.10,
     80},
    {{.name = "load-stragglers-10%x10",
      .shape = STALLS,
      .cv = 0.02,
      .amount = 0.10,
      .spread = 9,
      .quiet = true},
     2.85,
     95},
    {{.name = "waits-30%", .shape = EXPONENTIAL, .cv = 0.02, .amount = 0.30}, 1.25, 0},
    {{.name = "normal-10%", .shape = NORMAL, .cv = 0.10}, 1.10, 0},
    {{.name = "bimodal-30%", .shape = BIMODAL, .cv = 0.02, .amount = 0.5, .spread = 0.30}, 1.12, 0},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static const double other_ratio = 1.25;

struct sums {
    size_t experiments, covered, converged, said, silent;
    size_t low_missed, high_missed, low_open, high_open; // of the mean, beside typical
    double runs, half_width;
};

struct job {
    struct cell cell;
    double mean; // the true ratio of the means
    struct stream stream;
};

static bool draw(void *context, struct observation *run)
{
    struct job *job = context;
    run->value[WALL_S] = stream_draw(&job->stream, run->condition > 0, job->cell.ratio);
    return true;
}

static void judge_mean(struct session *session, double truth, struct sums *sums)
{
    const struct interval mean = stragglers_mean(session, (struct ratio){1, AGAINST_ALONE, WALL_S});
    sums->low_open += isnan(mean.low) ? 1 : 0;
    sums->high_open += isnan(mean.high) ? 1 : 0;
    sums->low_missed += mean.low > truth;
    sums->high_missed += mean.high < truth;
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
    struct interval ratio = metric_ratio(session, (struct ratio){1, AGAINST_ALONE, WALL_S});
    ratio.low = ratio.center - job.cell.narrow * (ratio.center - ratio.low);
    ratio.high = ratio.center + job.cell.narrow * (ratio.high - ratio.center);
    const bool covered = !(ratio.low > job.cell.truth) && !(ratio.high < job.cell.truth);
    const bool named = metric_is_unsteady(session, (struct ratio){1, AGAINST_ALONE, WALL_S});
    sums->experiments++;
    sums->covered += covered;
    sums->silent += !covered && !named;
    sums->converged += ratio.error <= session->settings->error;
    sums->said += metric_is_distinguishable(session, (struct ratio){1, AGAINST_ALONE, WALL_S});
    sums->runs += (double)session_blocks(session);
    sums->half_width += isfinite(ratio.error) ? ratio.error : 0;
    judge_mean(session, job.mean, sums);
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->covered += part->covered;
    sums->silent += part->silent;
    sums->converged += part->converged;
    sums->said += part->said;
    sums->runs += part->runs;
    sums->half_width += part->half_width;
    sums->low_open += part->low_open;
    sums->high_open += part->high_open;
    sums->low_missed += part->low_missed;
    sums->high_missed += part->high_missed;
}

static bool measure(const struct plan *plan, const struct population *population,
                    const struct setting *setting, enum statistic statistic, double ratio,
                    struct sums *sums)
{
    struct job job = {.cell = plan_cell(plan, population, setting, ratio), .mean = ratio};
    job.cell.settings.statistic = statistic;
    job.cell.truth = statistic == STATISTIC_TYPICAL ? population_typical(population, ratio) : ratio;
    const struct simulations what = {
        .settings = &job.cell.settings,
        .seed = plan->seed,
        .experiments = plan->experiments / FEWER,
        .chunk = CHUNK,
        .threads = plan->threads,
        .one = one,
        .add = add,
        .size = sizeof *sums,
    };
    return simulations_sum(&what, &job, sums);
}

static double percent(size_t count, const struct sums *sums)
{
    return 100 * (double)count / (double)sums->experiments;
}

// Beyond `allowed` percent by more than chance explains.
static bool exceeds(double share, double allowed, const struct sums *sums)
{
    return share > allowed + 3 * sqrt(allowed * (100 - allowed) / (double)sums->experiments);
}

static bool broken(const struct population *population, const char *what, double value)
{
    fprintf(stderr, "broken: %s: %s in %.2f %%\n", population->name, what, value);
    return false;
}

// Of typical, by default; `same`: where both sides are the same.
static bool check(const struct population *population, double power, const struct sums *sums,
                  const struct sums *same)
{
    const double wrong = 100 - percent(sums->covered, sums), said = percent(sums->said, sums);
    bool good = true;
    if (!population->hard && exceeds(wrong, 100 - least_covered, sums))
        good = broken(population, "the typical ratio is wrong", wrong);
    if (exceeds(percent(same->said, same), most_false, same))
        good = broken(population, "a false effect is said", percent(same->said, same));
    if (power > 0 && exceeds(100 - said, 100 - power, sums))
        good = broken(population, "an effect is missed", 100 - said);
    return good;
}

static void print(const struct population *population, const struct setting *setting,
                  enum statistic statistic, const struct sums *sums, const struct sums *same)
{
    const double all = (double)sums->experiments;
    printf("%-22s %-8s %-7s %6.2f %6.2f %5.1f %5.1f %5.1f %5.2f %6.2f", population->name,
           setting->name, statistic_names[statistic], percent(sums->covered, sums),
           100 * sums->half_width / all, sums->runs / all, percent(sums->converged, sums),
           percent(sums->said, sums), percent(same->said, same), percent(sums->silent, sums));
    if (statistic == STATISTIC_TYPICAL)
        printf(" | %5.2f %5.1f %5.2f %5.1f", percent(sums->low_missed, sums),
               percent(sums->low_open, sums), percent(sums->high_missed, sums),
               percent(sums->high_open, sums));
    putchar('\n');
    fflush(stdout);
}

static bool rows(const struct plan *plan, const struct population *population, double ratio,
                 double power, bool is_kind)
{
    static const struct setting settings[] = {
        {"default", 0, DEFAULT_MIN_RUNS, DEFAULT_MAX_RUNS}, {"15", 0, 15, 15}, {"30", 0, 30, 30}};
    static const enum statistic statistics[] = {STATISTIC_TYPICAL, STATISTIC_MEAN};
    bool good = true;
    for (size_t s = 0; s < (plan->quick ? 1 : is_kind ? 3 : 1); s++)
        for (size_t i = 0; i < (plan->quick ? 1 : 2); i++) {
            struct sums sums, same;
            if (!measure(plan, population, &settings[s], statistics[i], ratio, &sums) ||
                !measure(plan, population, &settings[s], statistics[i], 1, &same))
                return false;
            print(population, &settings[s], statistics[i], &sums, &same);
            // With a load that changes the shape, identical means are no identical conditions.
            const struct sums *null =
                population->quiet || population->loaded_cv > 0 ? &sums : &same;
            if (plan->quick && null == &same)
                good = check(population, power, &sums, null) && good;
        }
    return good;
}

bool typical_has(const char *list)
{
    for (size_t i = 0; i < KINDS; i++)
        if (plan_wants(list, kinds[i].population.name))
            return true;
    return false;
}

bool typical_table(const struct plan *plan)
{
    static const char *const quick = "normal-5%,lognormal-40%,outliers-5%";
    bool good = true;
    puts("\nThe typical slowdown beside that of the means (percent but for runs): how often the "
         "interval\nholds, its half-width, runs, how often it is as narrow as asked, an effect is "
         "said, and one is\nsaid where both sides are the same (of `load-` ones: have the same "
         "mean); wrong and not said\nto be unsteady. Then the mean's bounds beside it: each wrong, "
         "and left open");
    printf("%-22s %-8s %-7s %6s %6s %5s %5s %5s %5s %6s | %5s %5s %5s %5s\n", "population",
           "setting", "of", "cover", "half", "runs", "conv", "said", "false", "w&u", "low", "open",
           "high", "open");
    for (size_t i = 0; i < KINDS; i++)
        if (plan_wants(plan->populations, kinds[i].population.name))
            good = rows(plan, &kinds[i].population, kinds[i].ratio, kinds[i].power, true) && good;
    for (size_t i = 0; i < population_count; i++)
        if (plan_wants(plan->populations, populations[i].name) &&
            (!plan->quick || plan_wants(quick, populations[i].name)))
            good = rows(plan, &populations[i], other_ratio, 0, false) && good;
    return good;
}
