#include "harness/stats/looks.h"
#include "plan.h"

#include <math.h>
#include <stdio.h>

enum { TRUTHS = 5, LOADS = 4, GATE_MAX_RUNS = 60 };

static const double gate_limit = 1.10;
static const double gate_truths[TRUTHS] = {1.02, 1.05, 1.10, 1.15, 1.20};
static const double load_truths[LOADS] = {1, 1.02, 1.05, 1.25};
static const double allowed = 5; // percent of wrong answers
static const char *const known =
    "normal-1%,normal-5%,normal-20%,lognormal-20%,bimodal-70,heteroscedastic,outliers-5%,drift,"
    "ar1-0.9,load-delays-20%,load-stalls-20%x100%";
static const char *const still = // whose level does not move: two results can be compared
    "normal-1%,normal-5%,normal-20%,lognormal-40%,gamma-20%,bimodal-70,outliers,ar1-0.5,"
    "ar1-0.9,load-delays-20%,load-stalls-20%x100%";
static char second_name[] = "load", aa_name[] = "aa";

static double percent(size_t part, const struct tally *tally)
{
    return 100 * (double)part / (double)tally->experiments;
}

static double mean(double sum, const struct tally *tally)
{
    return sum / (double)tally->experiments;
}

// Says on stderr that a share of wrong answers is more than chance explains.
static bool kept(const struct plan *plan, const struct tally *tally, const char *population,
                 const char *what, double wrong)
{
    double slack = 3 * sqrt(allowed * (100 - allowed) / (double)tally->experiments);
    if (!plan->quick || wrong <= allowed + 1 + slack)
        return true;
    fprintf(stderr, "broken: %s: %s is wrong in %.2f %% of the sessions\n", population, what,
            wrong);
    return false;
}

static bool run(const struct plan *plan, const struct cell *cell, size_t number,
                struct tally *tally)
{
    *tally = (struct tally){0};
    return trials_run(cell, tally, 1, plan->experiments, plan->seed + 104729 * number,
                      plan->threads);
}

static bool compare_row(const struct plan *plan, const struct population *population,
                        const struct setting *setting)
{
    struct tally tally;
    struct cell cell = plan_cell(plan, population, setting, 0);
    cell.kind = COMPARISON;
    cell.ratio = cell.truth = 1;
    if (!run(plan, &cell, 1000, &tally))
        return false;
    double wrong = 100 - percent(tally.covered, &tally);
    printf("%-20s %-8s %7.2f %7.1f %7.2f %7.1f %7.2f %7.2f", population->name, setting->name,
           100 - wrong, mean(tally.runs, &tally), 100 * mean(tally.half_width, &tally),
           percent(tally.flagged, &tally), percent(tally.wrong_unflagged, &tally),
           percent(tally.distinguished, &tally));
    for (size_t i = 0; i < POWERS; i++)
        printf(" %4.0f", percent(tally.seen[i], &tally));
    putchar('\n');
    return population->hard || population->unseen ||
           kept(plan, &tally, population->name, "the ratio of two results", wrong);
}

// Two results of one condition each, measured apart.
static bool compare_table(const struct plan *plan)
{
    bool good = true;
    puts("\nTwo equal results compared (jostle compare); then how often a difference of 1, 2, 5 "
         "and\n10 % is seen (percent; runs of each)");
    printf("%-20s %-8s %7s %7s %7s %7s %7s %7s %4s %4s %4s %4s\n", "population", "setting", "cover",
           "runs", "half", "flag", "w&u", "A/A", "1", "2", "5", "10");
    for (size_t i = 0; i < population_count; i++) {
        if (!plan_wants(still, populations[i].name) ||
            !plan_wants(plan->populations, populations[i].name))
            continue;
        good = compare_row(plan, &populations[i], &settings_of_plan[SETTING_DEFAULT]) && good;
        if (!plan->quick)
            good = compare_row(plan, &populations[i], &settings_of_plan[SETTING_25]) && good;
    }
    return good;
}

static bool floor_row(const struct plan *plan, const struct population *population)
{
    bool good = true;
    printf("%-20s", population->name);
    for (size_t i = 0; good && i < LOADS; i++) {
        struct tally tally;
        struct cell cell =
            plan_cell(plan, population, &settings_of_plan[SETTING_DEFAULT], load_truths[i]);
        cell.settings.conditions[1] = aa_name;
        cell.settings.conditions[2] = second_name;
        cell.settings.condition_count = 3;
        cell.settings.aa = true;
        good = run(plan, &cell, 2000 + i, &tally);
        double seen = percent(tally.distinguished, &tally);
        if (i == 0)
            printf(" %8.2f", 100 * mean(tally.floor, &tally));
        printf(" %8.2f", seen);
        if (i == 0)
            good = kept(plan, &tally, population->name, "distinguishable from noise", seen) && good;
        if (plan->quick)
            break;
    }
    putchar('\n');
    return good;
}

// A load, next to the baseline and the baseline again.
static bool floor_table(const struct plan *plan)
{
    bool good = true;
    puts("\n--aa: mean noise floor, and how often a load with that true slowdown is called\n"
         "distinguishable from noise (percent; at 1 these are false alarms)");
    printf("%-20s %8s %8s %8s %8s %8s\n", "population", "floor", "1", "1.02", "1.05", "1.25");
    for (size_t i = 0; i < population_count; i++)
        if (plan_wants(known, populations[i].name) &&
            plan_wants(plan->populations, populations[i].name))
            good = floor_row(plan, &populations[i]) && good;
    return good;
}

// Metrics that move independently: the hardest case for intervals that shall
// hold all at once.
static bool family_table(const struct plan *plan)
{
    bool good = true;
    puts("\n--metric all, four independent metrics: how often all four intervals hold at once, "
         "and\nhow often the first does by itself (percent); runs of each condition");
    printf("%-20s %-10s %8s %8s %8s\n", "population", "figure", "all", "first", "runs");
    for (size_t i = 0; i < population_count; i++)
        for (size_t single = 0; single < 2; single++) {
            if (!plan_wants(known, populations[i].name) ||
                !plan_wants(plan->populations, populations[i].name) || (single && plan->quick))
                continue;
            struct tally tally;
            struct cell cell =
                plan_cell(plan, &populations[i], &settings_of_plan[SETTING_25], single ? 0 : 1.25);
            for (size_t m = 0; m < BASIC_METRICS; m++)
                metrics_choose(&cell.settings.metrics, m);
            good = run(plan, &cell, 3000 + 2 * i + single, &tally) && good;
            double covered = percent(tally.covered, &tally);
            printf("%-20s %-10s %8.2f %8.2f %8.1f\n", populations[i].name,
                   single ? "mean" : "slowdown", covered, percent(tally.covered_first, &tally),
                   mean(tally.runs, &tally));
            if (!populations[i].hard && !populations[i].unseen)
                good =
                    kept(plan, &tally, populations[i].name, "one of four metrics", 100 - covered) &&
                    good;
        }
    return good;
}

// Of a gate the wrong verdicts count: below where the truth is the limit or
// above it, above where it is the limit or below it.
static bool gate_row(const struct plan *plan, const struct population *population, double truth,
                     size_t number)
{
    struct tally tally;
    struct cell cell = plan_cell(plan, population, &settings_of_plan[SETTING_DEFAULT], truth);
    cell.settings.at_most = gate_limit;
    cell.settings.max_runs = GATE_MAX_RUNS;
    bool good = run(plan, &cell, number, &tally);
    double below = percent(tally.verdict[VERDICT_BELOW], &tally);
    double above = percent(tally.verdict[VERDICT_ABOVE], &tally);
    printf("%-20s %8.2f %8.2f %8.2f %10.2f %8.1f\n", population->name, truth, below, above,
           percent(tally.verdict[VERDICT_UNDECIDED], &tally), mean(tally.runs, &tally));
    double wrong = (truth >= gate_limit ? below : 0) + (truth <= gate_limit ? above : 0);
    return kept(plan, &tally, population->name, "the gate", wrong) && good;
}

static bool gate_table(const struct plan *plan)
{
    bool good = true;
    printf("\nThe gate --at-most %.2f, default setting but 60 runs at most (percent)\n",
           gate_limit);
    printf("%-20s %8s %8s %8s %10s %8s\n", "population", "truth", "below", "above", "undecided",
           "runs");
    for (size_t i = 0; i < population_count; i++)
        for (size_t g = 0; g < TRUTHS; g++)
            if (plan_wants(known, populations[i].name) &&
                plan_wants(plan->populations, populations[i].name) &&
                (!plan->quick || gate_truths[g] == gate_limit))
                good = gate_row(plan, &populations[i], gate_truths[g], i * TRUTHS + g) && good;
    return good;
}

static const struct promise {
    const char *name;
    bool (*table)(const struct plan *plan);
} promises[] = {
    {"compare", compare_table},
    {"floor", floor_table},
    {"metrics", family_table},
    {"gate", gate_table},
    {"discoveries", discoveries_table},
    {"sessions", sessions_table},
    {"verdicts", verdicts_table},
    {"interactions", interactions_table},
    {"looks", looks_table},
    {"carry-over", carry_table},
    {"series", series_table},
    {"problems", problems_table},
    {"modes", modes_table},
    {"typical", typical_table},
    {"capacity", capacity_table},
    {"rates", rates_table},
};

bool promises_has(const char *list)
{
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        if (plan_wants(list, promises[i].name))
            return true;
    return false;
}

int promises_run(const struct plan *plan)
{
    bool good = true;
    for (size_t i = 0; i < sizeof promises / sizeof *promises; i++)
        if (plan_wants(plan->tables, promises[i].name))
            good = promises[i].table(plan) && good;
    return good ? 0 : 1;
}
