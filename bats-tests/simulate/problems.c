#include "plan.h"

#include "harness/stats/judgement.h"
#include "harness/stats/messages.h"
#include "harness/stats/metrics.h"
#include "simulation.h"

#include <gsl/gsl_randist.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// There are many rows, and each may be wrong by some percent: a tenth of the experiments is enough.
enum { CHUNK = 50, FEWER = 10 };

static const double true_ratio = 1.25;
static const double white_most = 2, periodic_most = 5, wrong_most = 5, named_least = 95; // percent

// What is wrong with an experiment: the size is of the time of a run.
enum fault {
    NOTHING,
    EVERY_RUN, // each run of that period is slower by `size`, whatever its condition
    WAVE,      // all runs go up and down by `size` with that period
    GROWTH,    // the slowdown grows by `size` from the first block to the last
    WANDERS,   // the slowdown wanders by `size`, as a process of first order
    AFTER,     // a run after a loaded one takes longer
    JUMP,      // from half of the fewest runs on each takes longer
    RISE,      // each run takes a little longer than the one before, by `size` from first to last
    ALIKE,     // neighbouring runs resemble each other, as a process of first order
};

struct wrong {
    const char *name;
    enum fault fault;
    double size, period; // of a process: its correlation
    const char *flag;    // that is to be named in nearly all of them, where cv is small; or NULL
};

static const struct wrong white = {.name = "white"};
static const struct wrong faults[] = {
    {.name = "every-3", .fault = EVERY_RUN, .size = 0.1, .period = 3},
    {.name = "every-4", .fault = EVERY_RUN, .size = 0.1, .period = 4},
    {.name = "wave-3", .fault = WAVE, .size = 0.05, .period = 3},
    {.name = "wave-4", .fault = WAVE, .size = 0.05, .period = 4},
    {.name = "wave-5", .fault = WAVE, .size = 0.05, .period = 5},
    {.name = "grows-36%", .fault = GROWTH, .size = 0.36, .flag = "unsteady"},
    {.name = "grows-15%", .fault = GROWTH, .size = 0.15},
    {.name = "wanders-0.9", .fault = WANDERS, .size = 0.05, .period = 0.9},
    {.name = "wanders-0.7", .fault = WANDERS, .size = 0.05, .period = 0.7},
    {.name = "after-30%", .fault = AFTER, .size = 0.3, .flag = "carry-over"},
    {.name = "after-10%", .fault = AFTER, .size = 0.1, .flag = "carry-over"},
    {.name = "after-5%", .fault = AFTER, .size = 0.05},
    {.name = "step-10%", .fault = JUMP, .size = 0.1},
    {.name = "step-20%", .fault = JUMP, .size = 0.2},
    {.name = "trend-20%", .fault = RISE, .size = 0.2},
    {.name = "alike-0.9", .fault = ALIKE, .size = 0.1, .period = 0.9},
};

// What is measured: variants, each alone and beside each load; no load: a lone program.
static const struct design {
    const char *name;
    size_t variants, loads;
} shapes[] = {
    {"run", 1, 0}, {"1 load", 1, 1}, {"3 loads", 1, 3}, {"10 loads", 1, 10}, {"2 x 2", 2, 2}};
enum { SHAPES = sizeof shapes / sizeof *shapes, OF_FAULTS = 2 };

static const double cvs[] = {0.002, 0.01, 0.05, 0.2};
static const struct setting runs_of[] = {
    {"6", 0, 6, 6}, {"10", 0, 10, 10}, {"15-30", 0, 15, 30}, {"30", 0, 30, 30}};

struct sums {
    size_t experiments, problem, open, named, noted, wide, silent, flag[FLAGS];
    double runs;
};

struct job {
    const struct wrong *kind;
    const struct design *shape;
    double cv;
    struct settings settings;
};

struct source {
    const struct job *job;
    gsl_rng *rng;
    double level, phase, total;
    size_t made, loaded;
    bool after; // a loaded run
};

static bool is_loaded(const struct job *job, int condition)
{
    return (size_t)condition >= job->shape->variants;
}

// A step of the process, which has that standard deviation in the long run.
static double wander(struct source *source, const struct wrong *kind)
{
    const double innovation = kind->size * sqrt(1 - kind->period * kind->period);
    return source->level =
               kind->period * source->level + gsl_ran_gaussian_ziggurat(source->rng, innovation);
}

// How many times as long this run takes as it would if nothing was wrong.
static double fault_of(struct source *source, size_t block, bool loaded, bool after)
{
    const struct wrong *kind = source->job->kind;
    const double all = (double)source->job->settings.max_runs, now = (double)source->made;
    const double total = all * (double)source->job->settings.condition_count;
    const double fewest = total / all * (double)source->job->settings.min_runs;
    switch (kind->fault) {
    case EVERY_RUN:
        return fmod(now + floor(source->phase * kind->period), kind->period) < 1 ? 1 + kind->size
                                                                                 : 1;
    case WAVE:
        return 1 + kind->size * sin(2 * M_PI * (source->phase + now / kind->period));
    case GROWTH:
        return loaded ? 1 + kind->size * (((double)block - 1) / (all - 1) - 0.5) : 1;
    case WANDERS:
        return loaded ? 1 + wander(source, kind) : 1;
    case AFTER:
        return !loaded && after ? 1 + kind->size : 1;
    case JUMP:
        return now >= fewest / 2 ? 1 + kind->size : 1;
    case RISE:
        return 1 + kind->size * now / total;
    case ALIKE:
        return 1 + wander(source, kind);
    case NOTHING:
        break;
    }
    return 1;
}

static bool draw(void *context, struct observation *run)
{
    struct source *source = context;
    const struct job *job = source->job;
    const bool loaded = !run->washout && is_loaded(job, run->condition);
    const double fault = fault_of(source, run->block, loaded, source->after);
    const double noise = exp(gsl_ran_gaussian_ziggurat(source->rng, job->cv));
    run->value[WALL_S] = (loaded ? true_ratio : 1) * fault * noise;
    if (loaded && run->condition == (int)job->shape->variants) {
        source->total += job->kind->fault == GROWTH ? fault : 1;
        source->loaded++;
    }
    source->after = loaded;
    source->made++;
    return true;
}

static enum flag flag_of(const char *name)
{
    enum flag flag = 0;
    while (flag + 1 < FLAGS && strcmp(flag_name(flag), name) != 0)
        flag++;
    return flag;
}

// Whether the first ratio is wrong, and its interval no wider than was asked.
static bool is_wrong(struct session *session, const struct source *source, bool *wide)
{
    if (source->job->shape->loads == 0) {
        *wide = true;
        return false;
    }
    const struct ratio of = {source->job->shape->variants, AGAINST_ALONE, WALL_S};
    const struct interval ratio = metric_ratio(session, of);
    const double truth = true_ratio * source->total / (double)source->loaded;
    *wide = !(ratio.error <= session->settings->error);
    return !(ratio.low <= truth && truth <= ratio.high);
}

static void judge(struct session *session, const struct source *source, struct sums *sums)
{
    bool problem = false, wide = false, seen[FLAGS] = {false}, named = false, noted = false;
    judgements_make(session);
    json_auto_t *warnings = warnings_of(session);
    size_t i;
    json_t *warning;
    json_array_foreach(warnings, i, warning)
    {
        const char *name = json_string_value(json_object_get(warning, "flag"));
        const char *severity = json_string_value(json_object_get(warning, "severity"));
        const bool is_flag = source->job->kind->flag && strcmp(name, source->job->kind->flag) == 0;
        noted = noted || is_flag;
        if (strcmp(severity, "problem") != 0)
            continue;
        named = named || is_flag;
        seen[flag_of(name)] = true;
        problem = problem || flag_of(name) != FLAG_NOT_CONVERGED;
    }
    const bool wrong = is_wrong(session, source, &wide);
    sums->experiments++;
    sums->problem += problem;
    sums->open += seen[FLAG_NOT_CONVERGED];
    sums->named += named;
    sums->noted += noted;
    sums->wide += wide;
    sums->silent += wrong && !wide && !problem;
    for (enum flag flag = 0; flag < FLAGS; flag++)
        sums->flag[flag] += seen[flag];
    sums->runs += (double)session_blocks(session);
}

static bool one(void *context, struct simulation *simulation, void *part)
{
    const struct job *job = context;
    struct source source = {.job = job, .rng = simulation->rng};
    simulation_next(simulation);
    source.phase = gsl_rng_uniform(source.rng);
    if (job->kind->fault == WANDERS || job->kind->fault == ALIKE)
        source.level = gsl_ran_gaussian_ziggurat(source.rng, job->kind->size);
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
    sums->problem += part->problem;
    sums->open += part->open;
    sums->named += part->named;
    sums->noted += part->noted;
    sums->wide += part->wide;
    sums->silent += part->silent;
    for (enum flag flag = 0; flag < FLAGS; flag++)
        sums->flag[flag] += part->flag[flag];
    sums->runs += part->runs;
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

static bool check(const struct job *job, const struct sums *sums)
{
    const struct wrong *kind = job->kind;
    const bool periodic = kind->fault == EVERY_RUN || kind->fault == WAVE;
    bool kept = true;
    if (kind->fault == NOTHING || periodic)
        kept = !exceeds(percent(sums->problem, sums), periodic ? periodic_most : white_most, sums);
    if (kind->flag && job->cv <= 0.01)
        kept = !exceeds(100 - percent(sums->named, sums), 100 - named_least, sums);
    if (kind->fault == WANDERS && job->cv <= 0.01)
        kept = !exceeds(percent(sums->silent, sums), wrong_most, sums);
    if (!kept)
        fprintf(stderr,
                "broken: %s, %s, cv %g: a problem in %.2f %%, named in %.2f %%, silently "
                "wrong in %.2f %%\n",
                kind->name, job->shape->name, job->cv, percent(sums->problem, sums),
                percent(sums->named, sums), percent(sums->silent, sums));
    return kept;
}

static void print_row(const struct job *job, const struct setting *setting, const struct sums *sums)
{
    printf("%-12s %-9s %6.1f %-6s %6.1f %8.2f %6.1f %6.1f %6.1f %6.1f %6.2f |", job->kind->name,
           job->shape->name, 100 * job->cv, setting->name, sums->runs / (double)sums->experiments,
           percent(sums->problem, sums), percent(sums->open, sums), percent(sums->named, sums),
           percent(sums->noted, sums), percent(sums->wide, sums), percent(sums->silent, sums));
    for (enum flag flag = 0; flag < FLAGS; flag++)
        if (sums->flag[flag] > 0 && flag != FLAG_NOT_CONVERGED)
            printf(" %s %.1f", flag_name(flag), percent(sums->flag[flag], sums));
    puts("");
    fflush(stdout);
}

static bool row(const struct plan *plan, const struct wrong *kind, const struct design *shape,
                double cv, const struct setting *setting)
{
    static char names[MAX_CONDITIONS][24];
    const struct population normal = {.name = "normal", .shape = NORMAL, .cv = cv};
    struct job job = {.kind = kind, .shape = shape, .cv = cv};
    struct sums sums;
    job.settings = plan_cell(plan, &normal, setting, true_ratio).settings;
    job.settings.variants = shape->variants;
    job.settings.condition_count = shape->variants * (1 + shape->loads);
    for (size_t i = 0; i < job.settings.condition_count; i++) {
        snprintf(names[i], sizeof names[i], "condition-%zu", i);
        job.settings.conditions[i] = names[i];
    }
    const struct simulations what = {
        .settings = &job.settings,
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
    print_row(&job, setting, &sums);
    return !plan->quick || check(&job, &sums);
}

static bool each_runs(const struct plan *plan, const struct wrong *kind, const struct design *shape,
                      double cv)
{
    bool good = true;
    for (size_t s = plan->quick ? 1 : 0; s < sizeof runs_of / sizeof *runs_of;
         s += plan->quick ? 2 : 1)
        good = row(plan, kind, shape, cv, &runs_of[s]) && good;
    return good;
}

bool problems_has(const char *list)
{
    bool found = plan_wants(list, white.name);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        found = found || plan_wants(list, faults[i].name);
    return found;
}

bool problems_table(const struct plan *plan)
{
    bool good = true;
    puts("\nWhat is called a problem, where nothing is wrong and where something is: percent of\n"
         "experiments with any problem but not-converged, with that, with the flag that fits as a\n"
         "problem, and as that or a note; with a larger error than requested; and wrong without\n"
         "either. Then each flag's own share. A fault's rows are of 15 to 30 runs");
    printf("%-12s %-9s %6s %-6s %6s %8s %6s %6s %6s %6s %6s |\n", "what", "of", "cv", "runs",
           "made", "problem", "open", "named", "noted", "wide", "w&u");
    for (size_t i = 0; i < SHAPES && plan_wants(plan->populations, white.name); i++)
        for (size_t c = plan->quick ? 1 : 0; c < sizeof cvs / sizeof *cvs; c += plan->quick ? 2 : 1)
            good = each_runs(plan, &white, &shapes[i], cvs[c]) && good;
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++)
        for (size_t i = 0; i < OF_FAULTS && plan_wants(plan->populations, faults[k].name); i++)
            for (size_t c = 1; c < 3; c++)
                if (!faults[k].flag || shapes[i].loads > 0)
                    good = row(plan, &faults[k], &shapes[i], cvs[c], &runs_of[2]) && good;
    return good;
}
