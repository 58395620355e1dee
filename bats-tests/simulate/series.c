#include "plan.h"

#include "harness/stats/metrics.h"
#include "simulation.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

// There are many rows: a fifth of the experiments is enough.
enum { CHUNK = 100, FEWER = 5 };

static const double true_ratio = 1.25;
static const double false_alarms = 3, wrong = 5, named_least = 95; // percent
static const double quiet_cv = 0.01; // of a program beside which a load's effect shows

// How the load's own effect moves from block to block, over what it is on average.
struct effect {
    const char *name;
    double rho, sd;   // as a process of first order
    double from, to;  // in a straight line over as many blocks as the experiment may have
    bool is_promised; // for a quiet program and the default settings
};

static const struct effect effects[] = {
    {.name = "steady"},
    {.name = "wanders 0.5", .rho = 0.5, .sd = 0.05},
    {.name = "wanders 0.7", .rho = 0.7, .sd = 0.05},
    {.name = "wanders 0.9", .rho = 0.9, .sd = 0.05, .is_promised = true},
    {.name = "grows 1.1-1.5", .from = 1.10, .to = 1.50, .is_promised = true},
};
enum { EFFECTS = sizeof effects / sizeof *effects };

static const char *const shown = // all of the others steady alone
    "normal-1%,normal-5%";

struct sums {
    size_t experiments, covered, named, wide, silent;
    double runs, half_width;
};

struct job {
    const struct plan *plan;
    struct cell cell;
    const struct effect *effect;
};

struct source {
    const struct job *job;
    gsl_rng *rng;
    struct stream stream;
    double level; // of the process
    double total; // of the true ratios
    size_t loaded;
};

static double next_ratio(struct source *source)
{
    const struct effect *effect = source->job->effect;
    const double last = (double)source->job->cell.settings.max_runs - 1;
    const double innovation = effect->sd * sqrt(1 - effect->rho * effect->rho);
    double ratio = true_ratio * (1 + source->level);
    if (effect->to > 0)
        ratio = effect->from + (effect->to - effect->from) * (double)source->loaded / last;
    source->level =
        effect->rho * source->level + gsl_ran_gaussian_ziggurat(source->rng, innovation);
    source->loaded++;
    source->total += effect->to > 0 ? ratio : true_ratio;
    return ratio;
}

static bool draw(void *context, struct observation *run)
{
    struct source *source = context;
    const bool loaded = run->condition > 0;
    run->value[WALL_S] = stream_draw(&source->stream, loaded, loaded ? next_ratio(source) : 1);
    return true;
}

static void judge(struct session *session, const struct source *source, struct sums *sums)
{
    const double truth = source->total / (double)source->loaded;
    const struct interval ratio = metric_ratio(session, (struct ratio){1, AGAINST_ALONE, WALL_S});
    const bool covered = ratio.low <= truth && truth <= ratio.high;
    const bool named = metric_is_unsteady(session, (struct ratio){1, AGAINST_ALONE, WALL_S});
    const bool wide = !(ratio.error <= session->settings->error);
    sums->experiments++;
    sums->covered += covered ? 1 : 0;
    sums->named += named ? 1 : 0;
    sums->wide += wide ? 1 : 0;
    sums->silent += covered || named || wide ? 0 : 1;
    sums->runs += (double)session_blocks(session);
    sums->half_width += ratio.error;
}

static bool one(void *context, struct simulation *simulation, void *part)
{
    const struct job *job = context;
    struct source source = {.job = job, .rng = simulation->rng};
    simulation_next(simulation);
    source.level = gsl_ran_gaussian_ziggurat(source.rng, job->effect->sd);
    stream_begin(&source.stream, job->cell.population, false, simulation->rng);
    if (!simulation_measure(&simulation->session, draw, &source))
        return false;
    judge(&simulation->session, &source, part);
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->covered += part->covered;
    sums->named += part->named;
    sums->wide += part->wide;
    sums->silent += part->silent;
    sums->runs += part->runs;
    sums->half_width += part->half_width;
}

static double percent(size_t count, const struct sums *sums)
{
    return 100 * (double)count / (double)sums->experiments;
}

// More than chance explains where at most `allowed` percent are.
static bool exceeds(double share, double allowed, const struct sums *sums)
{
    return share > allowed + 3 * sqrt(allowed * (100 - allowed) / (double)sums->experiments);
}

static bool check(const struct population *population, const struct effect *effect,
                  const struct sums *sums)
{
    const double named = percent(sums->named, sums);
    bool kept = true;
    if (effect->sd <= 0 && effect->to <= 0 && !population->hard && !population->unseen)
        kept = !exceeds(named, false_alarms, sums);
    if (effect->is_promised && population->cv <= quiet_cv)
        kept = !exceeds(percent(sums->silent, sums), wrong, sums) &&
               (effect->to <= 0 || !exceeds(100 - named, 100 - named_least, sums));
    if (!kept)
        fprintf(stderr, "broken: %s, %s: unsteady in %.2f %%, silently wrong in %.2f %%\n",
                population->name, effect->name, named, percent(sums->silent, sums));
    return kept;
}

static bool row(const struct plan *plan, const struct population *population,
                const struct effect *effect, const struct setting *setting)
{
    struct sums sums;
    struct job job = {.plan = plan, .effect = effect};
    job.cell = plan_cell(plan, population, setting, true_ratio);
    const struct simulations what = {
        .settings = &job.cell.settings,
        .seed = plan->seed,
        .experiments = plan->experiments / (plan->quick ? 1 : FEWER),
        .chunk = CHUNK,
        .threads = plan->threads,
        .one = one,
        .add = add,
        .size = sizeof sums,
    };
    if (!simulations_sum(&what, &job, &sums))
        return false;
    const double all = (double)sums.experiments;
    printf("%-20s %-13s %-7s %7.2f %7.2f %7.1f %7.2f %7.2f %7.2f\n", population->name, effect->name,
           setting->name, percent(sums.covered, &sums), 100 * sums.half_width / all,
           sums.runs / all, percent(sums.named, &sums), percent(sums.wide, &sums),
           percent(sums.silent, &sums));
    fflush(stdout);
    return !plan->quick || check(population, effect, &sums);
}

static const struct setting settings_of_series[] = {
    {"default", 0, DEFAULT_MIN_RUNS, DEFAULT_MAX_RUNS},
    {"3-10", 0, 3, 10},
    {"5-15", 0, 5, 15},
    {"15", 0, 15, 15},
    {"30", 0, 30, 30},
};
enum { OF_SERIES = sizeof settings_of_series / sizeof *settings_of_series };

bool series_table(const struct plan *plan)
{
    bool good = true;
    puts(
        "\nThe load's own effect (1.25) wanders by 5 % as a process of first order, or grows: how\n"
        "often the interval holds, its half-width, runs, how often it is called unsteady, has a\n"
        "larger error than requested, and is wrong without either (percent but for runs)");
    printf("%-20s %-13s %-7s %7s %7s %7s %7s %7s %7s\n", "population", "effect", "setting", "cover",
           "half", "runs", "named", "wide", "w&u");
    for (size_t i = 0; i < population_count; i++)
        for (size_t e = 0; e < EFFECTS; e++)
            for (size_t s = 0; s < (plan->quick ? 1 : OF_SERIES); s++)
                if (plan_wants(plan->populations, populations[i].name) &&
                    (e == 0 || plan_wants(shown, populations[i].name)))
                    good = row(plan, &populations[i], &effects[e], &settings_of_series[s]) && good;
    return good;
}
