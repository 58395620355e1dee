#include "plan.h"

#include <math.h>
#include <stdio.h>

enum { DRAWS = 400000, TRUTH_SEED = 77 };

static const double true_ratio = 1.25; // of the times
static const double allowed = 5;       // percent of wrong answers
// Whose level does not move: the mean of 1 / t is then that of a single draw.
static const char *const still = "normal-5%,normal-20%,lognormal-20%,lognormal-40%,bimodal-70,"
                                 "load-lognormal-30%,load-delays-20%,load-exponential-10%,"
                                 "load-stalls-20%x100%";

static double mean_rate(const struct population *population, bool loaded, double ratio,
                        gsl_rng *rng)
{
    struct stream stream;
    double sum = 0;
    stream_begin(&stream, population, false, rng);
    for (size_t i = 0; i < DRAWS; i++)
        sum += 1 / stream_draw(&stream, loaded, ratio);
    return sum / DRAWS;
}

// The ratio of the mean rates, of a large number drawn. NAN if memory ran out.
static double rate_truth(const struct population *population, double ratio)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    if (!rng)
        return NAN;
    gsl_rng_set(rng, TRUTH_SEED);
    const double alone = mean_rate(population, false, ratio, rng);
    const double loaded = mean_rate(population, true, ratio, rng);
    gsl_rng_free(rng);
    return alone / loaded;
}

static double percent(size_t part, const struct tally *tally)
{
    return 100 * (double)part / (double)tally->experiments;
}

static bool row(const struct plan *plan, const struct population *population,
                const struct setting *setting, size_t number)
{
    struct cell cells[2] = {plan_cell(plan, population, setting, true_ratio),
                            plan_cell(plan, population, setting, true_ratio)};
    struct tally tallies[2] = {{0}, {0}};
    cells[1].settings.metrics.item[WALL_S].higher_is_better = true;
    cells[1].truth = rate_truth(population, true_ratio);
    if (isnan(cells[1].truth) || !trials_run(cells, tallies, 2, plan->experiments,
                                             plan->seed + 104729 * (5000 + number), plan->threads))
        return false;
    printf("%-22s %-8s %8.4f", population->name, setting->name, cells[1].truth);
    for (size_t i = 0; i < 2; i++)
        printf(" %8.2f %7.2f %7.1f %7.2f", percent(tallies[i].covered, &tallies[i]),
               percent(tallies[i].wrong_unflagged, &tallies[i]),
               tallies[i].runs / (double)tallies[i].experiments,
               100 * tallies[i].half_width / (double)tallies[i].experiments);
    putchar('\n');
    const double wrong = 100 - percent(tallies[1].covered, &tallies[1]);
    const double slack = 3 * sqrt(allowed * (100 - allowed) / (double)plan->experiments);
    if (!plan->quick || population->unseen || setting->min_runs < DEFAULT_MIN_RUNS ||
        wrong <= allowed + 1 + slack)
        return true;
    fprintf(stderr, "broken: %s: the ratio of rates is wrong in %.2f %% of the sessions\n",
            population->name, wrong);
    return false;
}

bool rates_table(const struct plan *plan)
{
    bool good = true;
    puts("\nThe same runs by their time, and by their rate 1/t, of which more is better: how often "
         "the\nratio's interval holds the truth (w&u: wrong without a word; percent; runs of each; "
         "half-width\nin percent). The times are 1.25 times as long; truth: of the mean rates");
    printf("%-22s %-8s %8s %8s %7s %7s %7s %8s %7s %7s %7s\n", "population", "setting", "truth",
           "time", "w&u", "runs", "half", "rate", "w&u", "runs", "half");
    for (size_t i = 0; i < population_count; i++)
        for (size_t k = SETTING_DEFAULT; k <= (plan->quick ? SETTING_DEFAULT : SETTING_5_15); k++)
            if (plan_wants(still, populations[i].name) &&
                plan_wants(plan->populations, populations[i].name))
                good = row(plan, &populations[i], &settings_of_plan[k], 3 * i + k) && good;
    return good;
}
