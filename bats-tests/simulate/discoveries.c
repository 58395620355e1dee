#include "plan.h"

#include "harness/stats/discovery.h"
#include "harness/stats/metrics.h"
#include "simulation.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// A family as that of docs/loads.md#neighbours: the loads of one experiment share a baseline.
enum {
    EXPERIMENTS = 21,
    LOADS = 12,
    FAMILY = EXPERIMENTS * LOADS,
    SHARE = 80 /* of the experiments */
};
enum rule { EACH, HOCHBERG, YEKUTIELI, RULES };

static const double effect = 1.05, rate = 0.05;
static const double shares[] = {0.25, 0.5, 0.9, 1}; // of the loads that have no effect
static const char *const shown = "normal-5%,lognormal-20%,outliers-5%";

struct sums {
    size_t families, without, with;               // loads that have an effect or not
    size_t false_found[RULES], true_found[RULES]; // of those without, and with
    double false_share[RULES];                    // of what is found, summed over families
};

struct job {
    const struct plan *plan;
    struct cell cell;
    double share;
};

// A load's slowdown; those without an effect are spread over the experiments.
static bool has_effect(const struct job *job, size_t number)
{
    return floor((double)(number + 1) * (1 - job->share)) >
           floor((double)number * (1 - job->share));
}

struct source {
    const struct job *job;
    struct stream stream;
    size_t first; // load of the experiment
};

static bool draw(void *context, struct observation *run)
{
    struct source *source = context;
    const bool loaded = run->condition > 0;
    const bool slow = loaded && has_effect(source->job, source->first + (size_t)run->condition - 1);
    run->value[WALL_S] = stream_draw(&source->stream, loaded, slow ? effect : 1);
    return true;
}

struct result {
    double p;
    bool effect;
};

static int by_p(const void *a, const void *b)
{
    const double one = ((const struct result *)a)->p, other = ((const struct result *)b)->p;
    return (one > other) - (one < other);
}

static void count(const struct result *results, const bool *found, enum rule rule,
                  struct sums *sums)
{
    size_t wrong = 0, right = 0;
    for (size_t i = 0; i < FAMILY; i++) {
        wrong += found[i] && !results[i].effect ? 1 : 0;
        right += found[i] && results[i].effect ? 1 : 0;
    }
    sums->false_found[rule] += wrong;
    sums->true_found[rule] += right;
    sums->false_share[rule] += wrong > 0 ? (double)wrong / (double)(wrong + right) : 0;
}

static void judge(struct result *results, struct sums *sums)
{
    double p[FAMILY], q[FAMILY], harmonic = 0;
    bool found[FAMILY];
    qsort(results, FAMILY, sizeof *results, by_p);
    for (size_t i = 0; i < FAMILY; i++) {
        p[i] = results[i].p;
        harmonic += 1 / (double)(i + 1);
        sums->with += results[i].effect ? 1 : 0;
        sums->without += results[i].effect ? 0 : 1;
    }
    discovery_rates(p, q, FAMILY);
    for (enum rule rule = EACH; rule < RULES; rule++) {
        for (size_t i = 0; i < FAMILY; i++)
            found[i] = (rule == EACH ? p[i] : rule == HOCHBERG ? q[i] : q[i] * harmonic) <= rate;
        count(results, found, rule, sums);
    }
    sums->families++;
}

static char names[LOADS + 1][4] = {"0", "1", "2", "3",  "4",  "5", "6",
                                   "7", "8", "9", "10", "11", "12"};

static bool one_family(void *context, struct simulation *simulation, void *part)
{
    const struct job *job = context;
    struct result results[FAMILY];
    for (size_t i = 0; i < FAMILY; i += LOADS) {
        struct source source = {.job = job, .first = i};
        simulation_next(simulation);
        stream_begin(&source.stream, job->cell.population, false, simulation->rng);
        if (!simulation_measure(&simulation->session, draw, &source))
            return false;
        for (size_t k = 0; k < LOADS; k++)
            results[i + k] = (struct result){
                significance_p(&simulation->session, (struct ratio){k + 1, AGAINST_ALONE, WALL_S}),
                has_effect(job, i + k)};
    }
    judge(results, part);
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->families += part->families;
    sums->with += part->with;
    sums->without += part->without;
    for (enum rule rule = EACH; rule < RULES; rule++) {
        sums->false_found[rule] += part->false_found[rule];
        sums->true_found[rule] += part->true_found[rule];
        sums->false_share[rule] += part->false_share[rule];
    }
}

static bool simulate(struct job *job, struct sums *sums)
{
    const struct simulations what = {
        .settings = &job->cell.settings,
        .seed = job->plan->seed,
        .experiments = job->plan->experiments / SHARE + 1,
        .chunk = 1,
        .threads = job->plan->threads,
        .one = one_family,
        .add = add,
        .size = sizeof *sums,
    };
    return simulations_sum(&what, job, sums);
}

static double percent(size_t part, size_t all)
{
    return 100 * (double)part / (double)all;
}

static bool row(const struct plan *plan, const struct population *population, double share)
{
    struct job job = {.plan = plan, .share = share};
    struct sums sums;
    job.cell = plan_cell(plan, population, &settings_of_plan[SETTING_DEFAULT], 1);
    job.cell.settings.condition_count = LOADS + 1;
    for (size_t i = 0; i <= LOADS; i++)
        job.cell.settings.conditions[i] = names[i];
    if (!simulate(&job, &sums))
        return false;
    printf("%-20s %5.0f |%8.2f |", population->name, 100 * share,
           percent(sums.false_found[EACH], sums.without));
    for (enum rule rule = EACH; rule < RULES; rule++) {
        printf("%8.2f ", 100 * sums.false_share[rule] / (double)sums.families);
        if (sums.with > 0)
            printf("%8.2f |", percent(sums.true_found[rule], sums.with));
        else
            printf("%8s |", "-");
    }
    putchar('\n');
    fflush(stdout);
    // Where nothing has an effect it is all or nothing: the widest distribution there is.
    const double slack = 3 * sqrt(rate * (1 - rate) / (double)sums.families);
    if (!plan->quick || sums.false_share[HOCHBERG] <= (rate + slack) * (double)sums.families)
        return true;
    fprintf(stderr, "broken: %s: of those that hold at 5 %% %.2f %% are chance\n", population->name,
            100 * sums.false_share[HOCHBERG] / (double)sums.families);
    return false;
}

bool discoveries_table(const struct plan *plan)
{
    bool good = true;
    printf("\nFamilies of %d slowdowns, %d loads with one baseline each time, some without effect, "
           "the others %.2f:\nhow many of those without look distinguishable; then, of what is "
           "found, the share that is chance (the\nfalse discovery rate), and how many effects "
           "are found: by each interval, at 5 %% by Benjamini-Hochberg,\nand by "
           "Benjamini-Yekutieli (percent; default settings)\n",
           FAMILY, LOADS, effect);
    printf("%-20s %5s |%8s |%17s |%17s |%17s |\n", "population", "none", "alarms", "each interval",
           "BH", "BY");
    for (size_t i = 0; i < population_count; i++)
        for (size_t s = 0; s < sizeof shares / sizeof *shares; s++)
            if (plan_wants(plan->populations, populations[i].name) &&
                plan_wants(shown, populations[i].name) && (!plan->quick || shares[s] == 0.5))
                good = row(plan, &populations[i], shares[s]) && good;
    return good;
}
