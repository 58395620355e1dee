#include "plan.h"

#include "harness/stats/decide.h"
#include "harness/stats/interval.h"
#include "harness/stats/metrics.h"
#include "simulation.h"

#include <math.h>
#include <stdio.h>

// There are many rows, and what they show is large: a fifth of the experiments is enough.
enum { CHUNK = 250, FEWER = 5, RULES = 3, NONE = 0, ONE = 1, AUTO = 2, MOST_LOADS = 4 };

static const double true_ratio = 1.25;
static const double false_alarms = 2; // percent, at most

// After a loaded run the next unloaded one takes 1 + `size` times as long, and each
// unloaded run leaves the share `decay` of what is left to the next.
struct effect {
    double size, decay;
};

// Sizes in standard deviations of a single run would differ from row to row; these are
// of the baseline's time, and the first is none.
static const struct effect effects[] = {
    {0, 0}, {0.02, 0}, {0.05, 0}, {0.1, 0}, {0.3, 0}, {3, 0}, {0.3, 0.3}, {0.3, 0.6}, {0.3, 0.9},
};
enum { EFFECTS = sizeof effects / sizeof *effects };

static const char *const shown = // all of the others without carry-over alone
    "normal-1%,normal-5%,normal-20%";

struct sums {
    size_t experiments, covered, silent, flagged, grown;
    double made; // runs
};

struct job {
    const struct plan *plan;
    struct cell cell;
    struct effect effect;
};

struct source {
    const struct effect *effect;
    struct stream stream;
    double left; // what a load has left behind
    size_t made; // runs, washout runs included
};

static bool draw(void *context, struct observation *run)
{
    struct source *source = context;
    const bool loaded = run->condition > 0 && !run->washout;
    run->value[WALL_S] =
        stream_draw(&source->stream, loaded, true_ratio) * (loaded ? 1 : 1 + source->left);
    source->left = loaded ? source->effect->size : source->left * source->effect->decay;
    source->made++;
    return true;
}

static void judge(struct session *session, size_t made, struct sums *sums)
{
    // Several loads are judged by the first: each interval is at 95 % by itself.
    const struct interval ratio = metric_ratio(session, (struct ratio){1, AGAINST_ALONE, WALL_S});
    const bool covered = ratio.low <= true_ratio && true_ratio <= ratio.high;
    bool flagged = carry_over_is_slow(session);
    for (size_t i = 1; i < session->settings->condition_count; i++)
        flagged = flagged || carry_over_shows(session, i, WALL_S);
    sums->experiments++;
    sums->covered += covered ? 1 : 0;
    sums->flagged += flagged ? 1 : 0;
    sums->silent += covered || flagged ? 0 : 1;
    sums->grown += session->unwashed > 0 ? 1 : 0;
    sums->made += (double)made;
}

static bool one(void *context, struct simulation *simulation, void *part)
{
    const struct job *job = context;
    struct source source = {.effect = &job->effect};
    simulation_next(simulation);
    stream_begin(&source.stream, job->cell.population, false, simulation->rng);
    if (!simulation_measure(&simulation->session, draw, &source))
        return false;
    judge(&simulation->session, source.made, part);
    return true;
}

static void add(void *sum, const void *found)
{
    struct sums *sums = sum;
    const struct sums *part = found;
    sums->experiments += part->experiments;
    sums->covered += part->covered;
    sums->silent += part->silent;
    sums->flagged += part->flagged;
    sums->grown += part->grown;
    sums->made += part->made;
}

static bool simulate(struct job *job, struct sums *sums)
{
    const struct simulations what = {
        .settings = &job->cell.settings,
        .seed = job->plan->seed,
        .experiments = job->plan->experiments / (job->plan->quick ? 1 : FEWER),
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

// That many percent are more than chance explains where at most `allowed` are.
static bool exceeds(double wrong, double allowed, const struct sums *sums)
{
    return wrong > allowed + 3 * sqrt(allowed * (100 - allowed) / (double)sums->experiments);
}

static bool simulate_rule(const struct plan *plan, const struct population *population,
                          size_t loads, const struct effect *effect, size_t rule, struct sums *sums)
{
    static char names[MOST_LOADS + 1][8] = {"base", "load", "two", "three", "four"};
    struct job job = {.plan = plan, .effect = *effect};
    struct settings *settings = &job.cell.settings;
    job.cell = plan_cell(plan, population, &settings_of_plan[SETTING_DEFAULT], true_ratio);
    settings->condition_count = loads + 1;
    for (size_t i = 0; i <= loads; i++)
        settings->conditions[i] = names[i];
    settings->washout.automatic = rule == AUTO;
    settings->washout.runs = rule == ONE ? 1 : 0;
    return simulate(&job, sums);
}

static void print_row(const struct population *population, size_t loads,
                      const struct effect *effect, const struct sums *sums)
{
    const struct sums *none = &sums[NONE], *one = &sums[ONE], *automatic = &sums[AUTO];
    printf("%-17s %5zu %4.0f %5.1f |%7.2f %6.2f %6.2f %6.2f |%7.2f %6.2f %6.2f |", population->name,
           loads, 100 * effect->size, effect->decay, percent(none->covered, none),
           percent(none->flagged, none), percent(none->silent, none),
           none->made / (double)none->experiments, percent(one->covered, one),
           percent(one->silent, one), one->made / none->made);
    printf("%7.2f %6.2f %6.2f %6.2f %6.2f\n", percent(automatic->covered, automatic),
           percent(automatic->grown, automatic), percent(automatic->flagged, automatic),
           percent(automatic->silent, automatic), automatic->made / none->made);
    fflush(stdout);
}

static bool row(const struct plan *plan, const struct population *population, size_t loads,
                const struct effect *effect)
{
    struct sums sums[RULES];
    for (size_t rule = 0; rule < RULES; rule++)
        if (!simulate_rule(plan, population, loads, effect, rule, &sums[rule]))
            return false;
    print_row(population, loads, effect, sums);
    const double flagged = percent(sums[NONE].flagged, &sums[NONE]);
    if (!plan->quick || effect->size > 0 || !exceeds(flagged, false_alarms, &sums[NONE]))
        return true;
    fprintf(stderr, "broken: %s: false alarms of carry-over in %.2f %% of the sessions\n",
            population->name, flagged);
    return false;
}

bool carry_table(const struct plan *plan)
{
    bool good = true;
    puts("\nCarry-over: an unloaded run after a loaded one takes so many percent longer, of which "
         "the\nshare `decay` is left to the next. Slowdown 1.25, default settings; percent but for "
         "runs\n(all that were made) and their ratio to those without washout");
    printf("%-23s %11s |%28s |%21s |%35s\n", "", "", "--washout 0", "--washout 1",
           "--washout auto");
    printf("%-17s %s %4s %5s |%7s %6s %6s %6s |%7s %6s %6s |%7s %6s %6s %6s %6s\n", "population",
           "loads", "size", "decay", "cover", "flag", "w&u", "runs", "cover", "w&u", "ratio",
           "cover", "grown", "flag", "w&u", "ratio");
    for (size_t i = 0; i < population_count; i++)
        for (size_t loads = 1; loads <= MOST_LOADS; loads += MOST_LOADS - 1)
            for (size_t e = 0; e < EFFECTS; e++)
                if (plan_wants(plan->populations, populations[i].name) &&
                    (e == 0 || plan_wants(shown, populations[i].name)) &&
                    (!plan->quick || (e == 0 && loads == 1)))
                    good = row(plan, &populations[i], loads, &effects[e]) && good;
    return good;
}
