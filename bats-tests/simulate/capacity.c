#include "plan.h"

#include "harness/stats/capacity.h"
#include "harness/stats/interval.h"
#include "simulation.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Each experiment takes a tenth of a second: a tenth of the experiments.
enum { CHUNK = 10, FEWER = 10, FEWER_QUICK = 60, SIDES = 2, TRUTH_RUNS = 1000, TRUTH_STEPS = 13 };

static const double least_cover = 80; // percent, of what --quick checks

// How a run's figure follows from the rate r and the machine's service rate mu.
enum response {
    QUEUE, // the p99 of the requests of one run of an M/M/1 queue that begins empty
    CURVE, // 1 / (1 - r / mu)
    LINE,  // r / mu
    WALL,  // far below the limit up to mu, and far above it beyond
};

struct service {
    const char *name;
    enum response shape;
    size_t requests;    // of a run; of a queue
    double noise;       // lognormal, of the figure
    double limit;       // of the objective
    double walk, slope; // of log mu from block to block: a random walk, a drift
    double hiccups;     // runs whose figure is ten times as large
};

static const struct service services[] = {
    {"mm1-500", QUEUE, 500, 0, 0.02, 0, 0, 0},       {"mm1-2000", QUEUE, 2000, 0, 0.02, 0, 0, 0},
    {"mm1-10000", QUEUE, 10000, 0, 0.02, 0, 0, 0},   {"curve-3%", CURVE, 0, 0.03, 4, 0, 0, 0},
    {"curve-10%", CURVE, 0, 0.1, 4, 0, 0, 0},        {"curve-30%", CURVE, 0, 0.3, 4, 0, 0, 0},
    {"line-3%", LINE, 0, 0.03, 0.8, 0, 0, 0},        {"line-10%", LINE, 0, 0.1, 0.8, 0, 0, 0},
    {"line-20%", LINE, 0, 0.2, 0.8, 0, 0, 0},        {"wall-10%", WALL, 0, 0.1, 1, 0, 0, 0},
    {"hiccups-10%", CURVE, 0, 0.1, 4, 0, 0, 0.1},    {"walk-2%", CURVE, 0, 0.1, 4, 0.02, 0, 0},
    {"drift--0.4%", CURVE, 0, 0.1, 4, 0, -0.004, 0},
};
enum { SERVICES = sizeof services / sizeof *services };

static const double service_rate[SIDES] = {1000, 700}; // alone, and under load
static const double lowest = 1, highest = 100000;      // of --vary

struct sums {
    size_t experiments, reached, covered[SIDES], ratio_covered;
    double runs, half, ratio_half, bias[SIDES];
    size_t within[100]; // experiments whose |log error| alone is below 0.5 %, 1 %, ...
};

struct job {
    const struct service *service;
    struct settings settings;
    double narrow;       // of the plan
    double truth[SIDES]; // log
};

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double exponential(gsl_rng *rng, double rate)
{
    return -log(gsl_rng_uniform_pos(rng)) / rate;
}

// The p99 of the sojourn times by Lindley's recursion; NAN if memory ran out.
static double queue_p99(gsl_rng *rng, size_t requests, double rate, double mu)
{
    double *times = malloc(requests * sizeof *times), waiting = 0, p99 = NAN;
    for (size_t i = 0; times && i < requests; i++) {
        const double work = exponential(rng, mu);
        times[i] = waiting + work;
        waiting = fmax(waiting + work - exponential(rng, rate), 0);
    }
    if (times) {
        qsort(times, requests, sizeof *times, compare);
        p99 = times[requests * 99 / 100];
    }
    free(times);
    return p99;
}

static double figure(gsl_rng *rng, const struct service *service, double rate, double mu)
{
    const double noise = exp(gsl_ran_gaussian(rng, service->noise)), load = rate / mu;
    switch (service->shape) {
    case QUEUE:
        return queue_p99(rng, service->requests, rate, mu);
    case CURVE:
        return noise / fmax(1 - load, 0.005);
    case LINE:
        return noise * load;
    case WALL:
        return noise * (load < 1 ? 0.3 : 30);
    }
    return NAN;
}

// The logarithm of the rate at which half of the runs keep the objective.
static double truth_of(gsl_rng *rng, const struct service *service, double mu)
{
    double low = log(mu / 100), high = log(2 * mu);
    for (size_t i = 0; i < TRUTH_STEPS; i++) {
        const double middle = (low + high) / 2;
        size_t kept = 0;
        for (size_t k = 0; k < TRUTH_RUNS; k++)
            kept += figure(rng, service, exp(middle), mu) < service->limit ? 1 : 0;
        if (2 * kept > TRUTH_RUNS)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

struct source {
    struct simulation *simulation;
    const struct service *service;
    size_t block;
    double drift, sum; // of log mu: in that block, and over all
};

static bool draw(void *context, struct observation *run)
{
    struct source *source = context;
    const struct service *service = source->service;
    struct session *session = &source->simulation->session;
    gsl_rng *rng = source->simulation->rng;
    const size_t condition = (size_t)run->condition;
    if (run->block != source->block) {
        source->drift += gsl_ran_gaussian(rng, service->walk) + service->slope;
        source->sum += source->drift;
        source->block = run->block;
    }
    const double rate = capacity_next(session, condition, run->block);
    double value = figure(rng, service, rate, service_rate[condition] * exp(source->drift));
    if (gsl_rng_uniform(rng) < service->hiccups)
        value *= 10;
    run->x = log(rate);
    run->y = log(value / service->limit);
    for (size_t m = 0; m < session->settings->metrics.count; m++)
        run->value[m] = 1;
    return !isnan(value);
}

// Whether a bound that is so many times as far from the estimate leaves the truth inside.
static bool covers(double center, double low, double high, double narrow, double truth)
{
    const double at = log(truth / center);
    return narrow * log(low / center) <= at && at <= narrow * log(high / center);
}

// moved: the mean of log mu's drift over the blocks.
static void judge(struct session *session, const struct job *job, double moved, struct sums *sums)
{
    const struct interval ratio = capacity_ratio(session, 1, 0);
    const double true_ratio = exp(job->truth[1] - job->truth[0]);
    sums->experiments++;
    sums->runs += (double)session->complete;
    sums->reached += capacity_error(session) <= job->settings.error ? 1 : 0;
    for (size_t i = 0; i < SIDES; i++) {
        const struct capacity found = capacity_of(session, i);
        const double truth = exp(job->truth[i] + moved), error = log(found.value / truth);
        sums->covered[i] += covers(found.value, found.low, found.high, job->narrow, truth) ? 1 : 0;
        sums->bias[i] += error;
        if (i > 0)
            continue;
        sums->half += (found.high - found.low) / 2 / found.value;
        for (size_t k = 0; k < sizeof sums->within / sizeof *sums->within; k++)
            sums->within[k] += fabs(error) < 0.002 * (double)(k + 1) ? 1 : 0;
    }
    sums->ratio_covered +=
        covers(ratio.center, ratio.low, ratio.high, job->narrow, true_ratio) ? 1 : 0;
    sums->ratio_half += ratio.error;
}

static bool one(void *context, struct simulation *simulation, void *part)
{
    const struct job *job = context;
    struct session *session = &simulation->session;
    struct source source = {.simulation = simulation, .service = job->service};
    simulation_next(simulation);
    if (!simulation_measure(session, draw, &source))
        return false;
    judge(session, job, source.sum / (double)session->complete, part);
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->reached += part->reached;
    sums->ratio_covered += part->ratio_covered;
    sums->runs += part->runs;
    sums->half += part->half;
    sums->ratio_half += part->ratio_half;
    for (size_t i = 0; i < SIDES; i++) {
        sums->covered[i] += part->covered[i];
        sums->bias[i] += part->bias[i];
    }
    for (size_t k = 0; k < sizeof sums->within / sizeof *sums->within; k++)
        sums->within[k] += part->within[k];
}

static void settle(struct settings *settings)
{
    static char names[SIDES][9] = {"baseline", "load"};
    settings_begin(settings);
    metrics_choose(&settings->metrics, WALL_S);
    for (size_t i = 0; i < SIDES; i++)
        settings->conditions[settings->condition_count++] = names[i];
    settings->error = DEFAULT_ERROR;
    settings->confidence = DEFAULT_CONFIDENCE;
    settings->min_runs = 10;
    settings->max_runs = 60;
    settings->objectives = (struct objectives){.item = {{.metric = "p99_s"}}, .count = 1};
    settings->vary = (struct vary){.name = "rate", .low = lowest, .high = highest};
}

static bool simulate(const struct plan *plan, size_t row, struct job *job, struct sums *sums)
{
    const struct simulations what = {
        .settings = &job->settings,
        .seed = plan->seed + 15485863 * row,
        .experiments = plan->experiments / (plan->quick ? FEWER_QUICK : FEWER),
        .chunk = CHUNK,
        .threads = plan->threads,
        .one = one,
        .add = add,
        .size = sizeof *sums,
    };
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (!rng)
        return false;
    job->service = &services[row];
    job->narrow = plan->narrow;
    settle(&job->settings);
    gsl_rng_set(rng, what.seed);
    for (size_t i = 0; i < SIDES; i++)
        job->truth[i] = truth_of(rng, job->service, service_rate[i]);
    gsl_rng_free(rng);
    return simulations_sum(&what, job, sums);
}

static double percent(double part, const struct sums *sums)
{
    return 100 * part / (double)sums->experiments;
}

// In percent, the |error| that this share of the experiments stays below.
static double error_at(const struct sums *sums, double share)
{
    size_t k = 0;
    while (k + 1 < sizeof sums->within / sizeof *sums->within &&
           (double)sums->within[k] < share * (double)sums->experiments)
        k++;
    return 0.2 * (double)(k + 1);
}

static void print_row(const struct job *job, const struct sums *sums)
{
    const struct service *service = job->service;
    char steady[16] = "-";
    // The sojourn time of a stationary M/M/1 queue is exponential with mu - rate.
    const double known = service_rate[0] - log(100) / service->limit;
    if (service->shape == QUEUE)
        snprintf(steady, sizeof steady, "%+.1f", 100 * (exp(job->truth[0]) / known - 1));
    printf(
        "%-12s %6.0f %7s %5.1f %6.0f |%6.1f %6.1f %6.2f %6.1f %6.1f %+6.2f %+6.2f |%6.1f %6.2f\n",
        service->name, exp(job->truth[0]), steady, sums->runs / (double)sums->experiments,
        percent((double)sums->reached, sums), percent((double)sums->covered[0], sums),
        percent((double)sums->covered[1], sums), percent(sums->half, sums), error_at(sums, 0.5),
        error_at(sums, 0.95), percent(sums->bias[0], sums), percent(sums->bias[1], sums),
        percent((double)sums->ratio_covered, sums), percent(sums->ratio_half, sums));
    fflush(stdout);
}

static bool is_wanted(const struct plan *plan, size_t row)
{
    return plan->quick ? strcmp(services[row].name, "curve-10%") == 0
                       : plan_wants(plan->populations, services[row].name);
}

bool capacity_has(const char *list)
{
    for (size_t i = 0; i < SERVICES; i++)
        if (plan_wants(list, services[i].name))
            return true;
    return false;
}

bool capacity_table(const struct plan *plan)
{
    bool good = true;
    puts(
        "\njostle capacity, --error 5 %, 10 to 60 runs of each condition, range 1 to 100000. "
        "truth: "
        "the\nrate at which half of the runs keep the objective; steady: how far that is from the "
        "queue's\nknown p99 in the steady state (runs begin empty, and are short); reached: "
        "experiments that\nended by --error. cover: of the interval alone and under load, and of "
        "their ratio; half: its\nmean half-width; e50, e95: the error that half, and 95 %, of the "
        "experiments stay below; bias:\nmean error alone and under load. All but truth and runs in "
        "percent.");
    printf("%-12s %6s %7s %5s %6s |%6s %6s %6s %6s %6s %6s %6s |%6s %6s\n", "service", "truth",
           "steady", "runs", "reach", "cover", "loaded", "half", "e50", "e95", "bias", "loaded",
           "ratio", "half");
    for (size_t i = 0; i < SERVICES; i++) {
        struct job job;
        struct sums sums;
        if (!is_wanted(plan, i))
            continue;
        if (!simulate(plan, i, &job, &sums))
            return false;
        print_row(&job, &sums);
        if (!plan->quick || percent((double)sums.covered[0], &sums) >= least_cover)
            continue;
        fprintf(stderr, "broken: %s: the capacity's interval\n", services[i].name);
        good = false;
    }
    return good;
}
