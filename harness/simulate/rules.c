#include "rules.h"

#include "workers.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CHUNK = 100, TRUTH_VALUES = 200000, ORACLE_RUNS = 25 };

static const double true_ratio = 1.25;
static const char *const mean_populations =
    "normal-5%,lognormal-40%,bimodal-70,outliers-5%,ar1-0.5";
static const char *const ratio_populations = "normal-5%,heteroscedastic,drift,ar1-0.9,outliers-5%";

struct sums {
    size_t experiments, covered;
    double runs;
};

struct job {
    const struct rule *rule;
    struct cell cell;
    double truth;
    unsigned long seed;
    struct sums *part; // of each chunk
};

static void clear(struct seen *seen)
{
    sample_clear(&seen->base);
    sample_clear(&seen->load);
    seen->pairs = seen->logs = (struct pairs){0};
}

// One run of each condition (or of the only one); which comes first is tossed.
static bool take_block(struct seen *seen, struct stream *stream, const struct cell *cell)
{
    bool loaded_first = cell->ratio > 0 && gsl_rng_uniform(seen->rng) < 0.5;
    double load = loaded_first ? stream_draw(stream, true, cell->ratio) : 0;
    double base = stream_draw(stream, false, 1);
    if (cell->ratio <= 0)
        return sample_add(&seen->base, base);
    if (!loaded_first)
        load = stream_draw(stream, true, cell->ratio);
    pairs_add(&seen->pairs, base, load);
    pairs_add(&seen->logs, log(base), log(load));
    return sample_add(&seen->base, base) && sample_add(&seen->load, load);
}

static bool take_apart(struct seen *seen, struct stream *stream, const struct cell *cell, size_t n)
{
    bool good = true;
    for (size_t i = 0; good && i < n; i++)
        good = sample_add(&seen->base, stream_draw(stream, false, 1));
    for (size_t i = 0; good && i < n; i++)
        good = sample_add(&seen->load, stream_draw(stream, true, cell->ratio));
    return good;
}

static bool one(const struct job *job, struct seen *seen, struct sums *sums)
{
    const struct rule *rule = job->rule;
    struct interval figure = {.error = INFINITY};
    struct stream stream;
    size_t n = 0;
    clear(seen);
    stream_begin(&stream, job->cell.population, seen->rng);
    if (rule->loads_after) {
        if (!take_apart(seen, &stream, &job->cell, n = rule->max_runs))
            return false;
        figure = rule->interval(seen);
    }
    while (n < rule->max_runs && !(n >= rule->min_runs && figure.error <= seen->asked)) {
        if (!take_block(seen, &stream, &job->cell))
            return false;
        if (++n >= rule->min_runs)
            figure = rule->interval(seen);
    }
    sums->experiments++;
    sums->runs += (double)n;
    sums->covered += figure.low <= job->truth && job->truth <= figure.high ? 1 : 0;
    return true;
}

static bool run_chunk(void *context, size_t number)
{
    const struct job *job = context;
    struct seen seen = {.asked = job->cell.settings.error, .rng = gsl_rng_alloc(gsl_rng_taus2)};
    bool good = seen.rng != NULL;
    critical_init(&seen.critical, 0.95);
    if (good)
        gsl_rng_set(seen.rng, job->seed + 1000003 * (number + 1));
    for (size_t i = 0; good && i < CHUNK; i++)
        good = one(job, &seen, &job->part[number]);
    sample_free(&seen.base);
    sample_free(&seen.load);
    critical_free(&seen.critical);
    if (seen.rng)
        gsl_rng_free(seen.rng);
    return good;
}

// What the rule's figure is of a very large sample of the population.
static double truth_of(const struct rule *rule, const struct population *population)
{
    struct stream stream;
    double *value = malloc(TRUTH_VALUES * sizeof *value), truth = NAN;
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (value && rng) {
        stream_begin(&stream, population, rng);
        for (size_t i = 0; i < TRUTH_VALUES; i++)
            value[i] = stream_draw(&stream, false, 1);
        gsl_sort(value, 1, TRUTH_VALUES);
        truth = rule->figure(value, TRUTH_VALUES);
    }
    if (rng)
        gsl_rng_free(rng);
    free(value);
    return truth;
}

// The mean is that of all runs, outliers included.
static double truth(const struct rule *rule, const struct cell *cell)
{
    struct stream fresh = {.population = cell->population};
    if (cell->ratio > 0)
        return cell->ratio;
    return rule->figure ? truth_of(rule, cell->population) : stream_truth_all(&fresh);
}

static bool run_cell(const struct plan *plan, const struct rule *rule,
                     const struct population *population, double ratio, unsigned long seed)
{
    size_t experiments = rule->slow ? (plan->experiments + 9) / 10 : plan->experiments;
    size_t chunks = (experiments + CHUNK - 1) / CHUNK;
    struct job job = {.rule = rule,
                      .cell = plan_cell(plan, population, ORACLE_RUNS, ratio),
                      .seed = seed,
                      .part = calloc(chunks, sizeof *job.part)};
    struct sums sum = {0};
    job.truth = truth(rule, &job.cell);
    bool good = job.part && workers_run(chunks, plan->threads, run_chunk, &job);
    for (size_t i = 0; good && i < chunks; i++) {
        sum.experiments += job.part[i].experiments;
        sum.covered += job.part[i].covered;
        sum.runs += job.part[i].runs;
    }
    free(job.part);
    if (good)
        printf(" | %.1f, %.1f", 100 * (double)sum.covered / (double)sum.experiments,
               sum.runs / (double)sum.experiments);
    fflush(stdout);
    return good;
}

// As in the main table, under the same asked error.
static bool run_jostle(const struct plan *plan, const struct population *population, double ratio)
{
    struct cell cell = plan_cell(plan, population, ORACLE_RUNS, ratio);
    struct tally tally = {0};
    cell.settings.max_runs = RULE_MAX_RUNS;
    bool good = experiment_cells(&cell, &tally, 1, plan->experiments, plan->seed, plan->threads);
    if (good)
        printf(" | %.1f, %.1f", 100 * (double)tally.covered / (double)tally.experiments,
               tally.runs / (double)tally.experiments);
    return good;
}

static bool table(const struct plan *plan, const char *title, const struct rule *rules,
                  size_t count, const char *list, double ratio)
{
    bool good = true;
    printf("| %s", title);
    for (size_t i = 0; i < population_count; i++)
        if (plan_wants(list, populations[i].name) &&
            plan_wants(plan->populations, populations[i].name))
            printf(" | %s", populations[i].name);
    printf(" |\n| ---");
    for (size_t i = 0; i < population_count; i++)
        if (plan_wants(list, populations[i].name) &&
            plan_wants(plan->populations, populations[i].name))
            printf(" | ---");
    printf(" |\n");
    for (size_t r = 0; good && r <= count; r++) {
        printf("| %s", r < count ? rules[r].name : "jostle");
        for (size_t i = 0; good && i < population_count; i++)
            if (plan_wants(list, populations[i].name) &&
                plan_wants(plan->populations, populations[i].name))
                good = r < count ? run_cell(plan, &rules[r], &populations[i], ratio,
                                            plan->seed + 7919 * (r * population_count + i))
                                 : run_jostle(plan, &populations[i], ratio);
        printf(" |\n");
    }
    return good;
}

int rules_run(const struct plan *plan)
{
    puts("Coverage in percent and mean runs of each condition, for the error that an oracle "
         "reaches with\n25 runs; checked after each run or pair from 12 on (unless said), 200 at "
         "most. The truth is that\nof each rule's own figure; a mean is that of all runs, "
         "outliers included (jostle's: of those\nthat none hits, which it says).\n");
    bool good =
        table(plan, "mean of one condition", mean_rules, mean_rule_count, mean_populations, 0);
    putchar('\n');
    good = good &&
           table(plan, "slowdown", ratio_rules, ratio_rule_count, ratio_populations, true_ratio);
    if (!good)
        fputs("jostle: simulate: no memory or no thread: try --threads 1\n", stderr);
    return good ? 0 : 1;
}
