#include "plan.h"

#include "harness/stats/looks.h"
#include "harness/stats/metrics.h"
#include "harness/stats/relation.h"
#include "simulation.h"
#include "workers.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CHUNK = 250, VARIANTS = 2, SIZES = 3, ALL_STATISTICS = 3, MOST_LOOKS = 4 };

static const double limit = 1.05, same_within = 0.02, slowdown = 1.25;
static const double sizes[SIZES] = {1.02, 1.05, 1.10};
static const double allowed = 5, false_failures = 1; // percent
static const char *const shown =
    "normal-1%,normal-5%,lognormal-20%,bimodal-70,outliers-5%,drift-5%,ar1-0.9,periodic,"
    "wandering,student,load-delays-20%,load-stalls-20%x30%,load-stalls-30%,runs:";
static const char *const shown_if_quick = "normal-1%,normal-5%,drift-5%";

// How long an experiment goes on.
static const struct rule {
    const char *name;
    size_t min_runs, max_runs;
    bool gate;  // --at-most and --same-within; else --error
    bool timed; // time ends it, after about max_runs
} rules[] = {
    {"15, one look", 15, 15, true, false},   {"5-15", 5, 15, true, false},
    {"15-30", 15, 30, true, false},          {"15-30, --error", 15, 30, false, false},
    {"time for 40", 15, 40, true, true},     {"time for 200", 15, 200, true, true},
    {"time for 1000", 15, 1000, true, true},
};
enum { RULES = sizeof rules / sizeof *rules, QUICK_RULE = 2, QUICK_TIMED = 4, FEWER = 4 };

static char names[2 * VARIANTS][12] = {"old", "new", "old@load", "new@load"};

struct sums {
    size_t experiments, covered, distinguished;
    size_t relation[RELATIONS], verdict[VERDICTS];
    size_t seen[SIZES];
    double half_width, blocks;
};

struct job {
    const struct plan *plan;
    struct cell cell;
    bool loaded;  // there is a load, and its interaction is judged; else the two variants are
    double truth; // the second variant's true ratio to the first
};

struct source {
    const struct job *job;
    struct stream stream;
};

// Alone both variants have the shape of the population, under a load only there.
static bool draw(void *context, struct observation *run)
{
    struct source *source = context;
    const struct job *job = source->job;
    const bool second = run->condition % VARIANTS == 1, under_load = run->condition >= VARIANTS;
    const double value = job->loaded
                             ? stream_draw(&source->stream, under_load, under_load ? slowdown : 1)
                             : stream_draw(&source->stream, true, 1);
    run->value[WALL_S] = second ? job->truth * value : value;
    return true;
}

static void judge(const struct job *job, struct session *session, struct sums *sums)
{
    const enum against against = job->loaded ? AGAINST_BOTH : AGAINST_REFERENCE;
    const size_t condition = job->loaded ? 2 * VARIANTS - 1 : 1;
    const double truth = job->loaded ? 1 : job->truth, narrow = job->plan->narrow;
    struct interval ratio = metric_ratio(session, (struct ratio){condition, against, WALL_S});
    ratio.low = ratio.center - narrow * (ratio.center - ratio.low);
    ratio.high = ratio.center + narrow * (ratio.high - ratio.center);
    sums->experiments++;
    sums->blocks += (double)session_blocks(session);
    sums->half_width += ratio.error;
    sums->covered += !(ratio.low > truth) && !(ratio.high < truth) ? 1 : 0;
    sums->distinguished += ratio.low > 1 || ratio.high < 1 ? 1 : 0;
    sums->relation[relation_of(&ratio, same_within)]++;
    sums->verdict[ratio.low > limit     ? VERDICT_ABOVE
                  : ratio.high <= limit ? VERDICT_BELOW
                                        : VERDICT_UNDECIDED]++;
    // Scaling one condition's values scales the interval, and changes no decision by --error.
    for (size_t i = 0; i < SIZES; i++)
        sums->seen[i] += ratio.low / truth * sizes[i] > 1 ? 1 : 0;
}

static bool one(void *context, struct simulation *simulation, void *part)
{
    const struct job *job = context;
    struct source source = {.job = job};
    simulation_next(simulation);
    stream_begin(&source.stream, job->cell.population, false, simulation->rng);
    if (!simulation_measure(&simulation->session, draw, &source))
        return false;
    judge(job, &simulation->session, part);
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->covered += part->covered;
    sums->distinguished += part->distinguished;
    sums->half_width += part->half_width;
    sums->blocks += part->blocks;
    for (size_t i = 0; i < RELATIONS; i++)
        sums->relation[i] += part->relation[i];
    for (size_t i = 0; i < VERDICTS; i++)
        sums->verdict[i] += part->verdict[i];
    for (size_t i = 0; i < SIZES; i++)
        sums->seen[i] += part->seen[i];
}

static bool simulate(struct job *job, const struct population *population, const struct rule *rule,
                     enum statistic statistic, struct sums *sums)
{
    job->cell = plan_cell(job->plan, population, &settings_of_plan[SETTING_DEFAULT], 1);
    struct settings *settings = &job->cell.settings;
    settings->variants = VARIANTS;
    settings->condition_count = job->loaded ? 2 * VARIANTS : VARIANTS;
    for (size_t i = 0; i < settings->condition_count; i++)
        settings->conditions[i] = names[i];
    settings->min_runs = rule->min_runs;
    settings->max_runs = rule->max_runs;
    settings->statistic = statistic;
    if (rule->timed) // of runs that take about 1 s
        settings->looks = (struct looks){rule->min_runs, rule->max_runs,
                                         (double)(settings->condition_count * rule->max_runs)};
    if (rule->gate) {
        settings->at_most = limit;
        settings->tolerance = same_within;
    }
    const struct simulations what = {
        .settings = settings,
        .seed = job->plan->seed,
        .experiments = job->plan->experiments / (job->plan->quick ? FEWER : 1),
        .chunk = CHUNK,
        .threads = job->plan->threads,
        .one = one,
        .add = add,
        .size = sizeof *sums,
    };
    return simulations_sum(&what, job, sums);
}

static double percent(size_t count, const struct sums *sums)
{
    return 100 * (double)count / (double)sums->experiments;
}

// Says on stderr that a share of wrong answers is more than chance explains.
static bool kept(const struct plan *plan, const char *population, const char *what, double wrong,
                 double most, const struct sums *sums)
{
    const double slack = 3 * sqrt(most * (100 - most) / (double)sums->experiments);
    if (!plan->quick || wrong <= most + slack)
        return true;
    fprintf(stderr, "broken: %s: %s in %.2f %% of the sessions\n", population, what, wrong);
    return false;
}

// The verdicts that are wrong where that is the truth.
static double wrong_words(double truth, const struct sums *sums)
{
    const size_t *relation = sums->relation;
    const bool beyond = truth >= 1 + same_within || truth <= 1 / (1 + same_within);
    return percent((truth <= 1 ? relation[RELATION_WORSE] : 0) +
                       (truth >= 1 ? relation[RELATION_BETTER] : 0) +
                       (beyond ? relation[RELATION_SAME] : 0),
                   sums);
}

static bool verdict_row(const struct plan *plan, const struct population *population,
                        const struct rule *rule, double truth)
{
    struct job job = {.plan = plan, .truth = truth};
    struct sums sums;
    if (!simulate(&job, population, rule, rule->timed ? STATISTIC_TYPICAL : STATISTIC_MEAN, &sums))
        return false;
    const size_t *relation = sums.relation, *verdict = sums.verdict;
    printf("%-20s %-15s %5.2f |%7.2f %7.2f %7.2f %7.2f |%7.2f %7.2f |%7.2f %6.1f\n",
           population->name, rule->name, truth, percent(relation[RELATION_BETTER], &sums),
           percent(relation[RELATION_WORSE], &sums), percent(relation[RELATION_SAME], &sums),
           percent(relation[RELATION_UNDECIDED], &sums), percent(verdict[VERDICT_BELOW], &sums),
           percent(verdict[VERDICT_ABOVE], &sums), percent(sums.covered, &sums),
           sums.blocks / (double)sums.experiments);
    fflush(stdout);
    if (population->unseen)
        return true;
    const double above = truth <= limit ? percent(verdict[VERDICT_ABOVE], &sums) : 0;
    const double most = truth < limit ? false_failures : allowed;
    return kept(plan, population->name, "a verdict is wrong", wrong_words(truth, &sums), allowed,
                &sums) &&
           kept(plan, population->name, "--at-most fails", above, most, &sums);
}

static bool wants(const struct plan *plan, const struct population *population)
{
    return plan_wants(plan->quick ? shown_if_quick : shown, population->name) &&
           plan_wants(plan->populations, population->name);
}

bool verdicts_table(const struct plan *plan)
{
    static const double truths[] = {1, 1.02, 1.05};
    bool good = true;
    printf("\nVerdicts on two variants, --at-most %.2f --same-within %.0f%%, by their true ratio "
           "(percent):\nwhat they are called; where the gate says that the ratio is; the ratio's "
           "interval; blocks\n",
           limit, 100 * same_within);
    printf("%-20s %-15s %5s |%7s %7s %7s %7s |%7s %7s |%7s %6s\n", "population", "blocks", "truth",
           "faster", "slower", "same", "undec.", "below", "above", "cover", "blocks");
    for (size_t i = 0; i < population_count; i++)
        for (size_t r = 0; r < RULES; r++)
            for (size_t t = 0; t < sizeof truths / sizeof *truths; t++)
                if (wants(plan, &populations[i]) &&
                    (!plan->quick || r == QUICK_RULE || r == QUICK_TIMED))
                    good = verdict_row(plan, &populations[i], &rules[r], truths[t]) && good;
    return good;
}

static bool interaction_row(const struct plan *plan, const struct population *population,
                            const struct rule *rule)
{
    static const enum statistic statistics[ALL_STATISTICS] = {STATISTIC_MEAN, STATISTIC_TRIMMED,
                                                              STATISTIC_MEDIAN};
    struct sums sums[ALL_STATISTICS];
    for (size_t i = 0; i < ALL_STATISTICS; i++) {
        struct job job = {.plan = plan, .loaded = true, .truth = 1};
        if (!simulate(&job, population, rule, statistics[i], &sums[i]))
            return false;
    }
    const struct sums *mean = &sums[0];
    printf(
        "%-20s %-15s |%7.2f %7.2f %6.1f |%5.0f %4.0f %4.0f |%8.2f %7.2f |%7.2f %7.2f\n",
        population->name, rule->name, percent(mean->covered, mean),
        100 * mean->half_width / (double)mean->experiments,
        mean->blocks / (double)mean->experiments, percent(mean->seen[0], mean),
        percent(mean->seen[1], mean), percent(mean->seen[2], mean),
        percent(sums[1].covered, &sums[1]), 100 * sums[1].half_width / (double)sums[1].experiments,
        percent(sums[2].covered, &sums[2]), 100 * sums[2].half_width / (double)sums[2].experiments);
    fflush(stdout);
    return population->unseen || kept(plan, population->name, "the interaction is wrong",
                                      100 - percent(mean->covered, mean), allowed + 1, mean);
}

bool interactions_table(const struct plan *plan)
{
    bool good = true;
    puts("\nInteractions: whether a load of slowdown 1.25 changes how two equal variants compare "
         "(percent):\nits interval, half-width and blocks; how often a change of 2, 5 and 10 % is "
         "seen; and of trimmed\nmeans and medians the interval and half-width");
    printf("%-20s %-15s |%7s %7s %6s |%5s %4s %4s |%8s %7s |%7s %7s\n", "population", "blocks",
           "cover", "half", "blocks", "2", "5", "10", "trimmed", "half", "median", "half");
    for (size_t i = 0; i < population_count; i++)
        for (size_t r = 0; r < RULES; r++)
            if (wants(plan, &populations[i]) && !rules[r].timed && (!plan->quick || r == 0))
                good = interaction_row(plan, &populations[i], &rules[r]) && good;
    return good;
}

// ---- looks ----

struct look_sums {
    size_t experiments, early, planned, late;
};

struct look_job {
    const struct plan *plan;
    struct looks looks;
    size_t last;
    const double *t; // [n]: beyond it one would say so after n blocks
};

static bool run_looks(void *context, size_t number, void *part)
{
    const struct look_job *job = context;
    struct look_sums *sums = part;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (!rng)
        return false;
    gsl_rng_set(rng, job->plan->seed + 7 * (number + 1));
    for (size_t i = 0; i < CHUNK; i++) {
        struct look_sums wrong = {0};
        double mean = 0, squares = 0;
        for (size_t n = 1; n <= job->last; n++) {
            const double value = gsl_ran_gaussian_ziggurat(rng, 1), off = value - mean;
            mean += off / (double)n;
            squares += off * (value - mean);
            if (n < 2 || !(mean * mean * (double)(n * (n - 1)) > job->t[n] * job->t[n] * squares))
                continue;
            *(n < job->looks.from ? &wrong.early
              : n > job->looks.to ? &wrong.late
                                  : &wrong.planned) = 1;
        }
        sums->experiments++;
        sums->early += wrong.early;
        sums->planned += wrong.planned;
        sums->late += wrong.early + wrong.planned == 0 ? wrong.late : 0;
    }
    gsl_rng_free(rng);
    return true;
}

static void add_looks(void *sum, const void *found)
{
    struct look_sums *sums = sum;
    const struct look_sums *part = found;
    sums->experiments += part->experiments;
    sums->early += part->early;
    sums->planned += part->planned;
    sums->late += part->late;
}

static bool looks_row(const struct plan *plan, const struct looks *looks, double error_rate)
{
    enum { LAST = 4000 };
    double t[LAST + 1] = {0};
    struct look_sums sums = {0};
    struct look_job job = {plan, *looks, MOST_LOOKS * looks->to, t};
    for (size_t n = 2; n <= job.last && n <= LAST; n++)
        t[n] = gsl_cdf_tdist_Qinv(looks_rate(looks, error_rate, n) / 2, (double)n - 1);
    const struct workers_sum what = {run_looks, add_looks, sizeof sums};
    if (!workers_sum(&what, 4 * plan->experiments / CHUNK + 1, plan->threads, &job, &sums))
        return false;
    const double all = (double)sums.experiments;
    const double early = 100 * (double)sums.early / all, late = 100 * (double)sums.late / all;
    const double planned = 100 * (double)sums.planned / all;
    printf("%4zu to %-4zu%c %7.2f |%9.3f %9.3f |%8.3f %8.3f %8.3f %8.3f\n", looks->from, looks->to,
           looks->for_s > 0 ? 't' : ' ', 100 * error_rate, t[looks->from], t[looks->to], early,
           planned, late, early + planned + late);
    fflush(stdout);
    const double most = 100 * error_rate;
    if (!plan->quick || early + planned + late <= most + 3 * sqrt(most * (100 - most) / all))
        return true;
    fprintf(stderr, "broken: looks after %zu to %zu blocks: wrong in %.2f %% of %.2f\n",
            looks->from, looks->to, early + planned + late, most);
    return false;
}

bool looks_table(const struct plan *plan)
{
    // The last ones are those of experiments that time ends.
    static const struct looks plans[] = {{3, 10, 0},  {5, 15, 0},  {15, 15, 0},  {15, 30, 0},
                                         {15, 60, 0}, {30, 60, 0}, {15, 200, 0}, {15, 15, 1},
                                         {15, 30, 1}, {15, 60, 1}, {15, 240, 1}, {15, 1000, 1}};
    static const double rates[] = {0.05, 0.0125, 0.002};
    bool good = true;
    puts(
        "\nLooks: Student's t at the first and the last planned one, and how often at least one "
        "look is\nwrong: at the planned ones, before, and after (up to four times as many blocks), "
        "normal values (percent;\nt: time ends it)");
    printf("%-13s %7s |%9s %9s |%8s %8s %8s %8s\n", "planned", "allowed", "t first", "t last",
           "before", "planned", "after", "all");
    for (size_t i = 0; i < sizeof plans / sizeof *plans; i++)
        for (size_t r = 0; r < sizeof rates / sizeof *rates; r++)
            if (!plan->quick || r == 0)
                good = looks_row(plan, &plans[i], rates[r]) && good;
    return good;
}
