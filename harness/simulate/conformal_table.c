#include "conformal_table.h"

#include "harness/predict/conformal.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>

enum {
    PROGRAMS_MOST = 24,
    PAIRS_EACH = 2 * (PROGRAMS_MOST - 1),
    SHARE = 5 /* of the experiments */
};

static const size_t programs_shown[] = {6, 10, 16, 24};
// Standard deviation between programs, over that of the pairs of one.
static const double between_shown[] = {0, 1, 3};
static const double level = 0.9;
static const double normal_90 = 1.6448536269514722; // two-sided

struct coverage {
    double covered, promised, width;
    size_t studies;
};

// A program's residuals have something in common, more or less.
static size_t draw_program(gsl_rng *rng, size_t number, size_t pairs, double between,
                           struct residual *residual)
{
    const double common = gsl_ran_gaussian_ziggurat(rng, between);
    for (size_t i = 0; i < pairs; i++)
        residual[i] = (struct residual){.program = number,
                                        .value = common + gsl_ran_gaussian_ziggurat(rng, 1)};
    return pairs;
}

// Intervals from so many programs, held against the pairs of one more.
static bool one_study(gsl_rng *rng, size_t programs, double between, struct coverage *coverage)
{
    struct residual residual[PROGRAMS_MOST * PAIRS_EACH], next[PAIRS_EACH];
    const size_t pairs = 2 * (programs - 1);
    struct conformal conformal;
    size_t count = 0, covered = 0;
    for (size_t i = 0; i < programs; i++)
        count += draw_program(rng, i, pairs, between, residual + count);
    if (!conformal_fit(residual, count, level, &conformal))
        return false;
    draw_program(rng, programs, pairs, between, next);
    for (size_t i = 0; i < pairs; i++)
        covered += next[i].value >= conformal.low && next[i].value <= conformal.high;
    coverage->covered += (double)covered / (double)pairs;
    coverage->promised += conformal.covered;
    coverage->width +=
        (conformal.high - conformal.low) / (2 * normal_90 * sqrt(1 + between * between));
    coverage->studies++;
    return true;
}

static bool row(const struct plan *plan, gsl_rng *rng, size_t programs, double between)
{
    struct coverage coverage = {0};
    const size_t studies = plan->experiments / SHARE + 1;
    for (size_t i = 0; i < studies; i++)
        if (!one_study(rng, programs, between, &coverage))
            return false;
    const double n = (double)coverage.studies, holds = 100 * coverage.covered / n;
    printf("%8zu %8.0f | %7.1f %9.1f %7.2f\n", programs, between, holds,
           100 * coverage.promised / n, coverage.width / n);
    // With few programs there is nothing to learn the tails of programs from.
    if (!plan->quick || programs < 10 || (holds > 100 * level - 5 && holds < 100 * level + 5))
        return true;
    fprintf(stderr, "broken: %zu programs: 90 %% intervals hold %.1f %%\n", programs, holds);
    return false;
}

bool conformal_table(const struct plan *plan)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
    bool good = rng != NULL;
    puts("\nConformal intervals of 90 % for a program that was not seen, from the residuals of "
         "others: by how many\nthere are, and by how much more they differ from each other than "
         "the pairs of one do: how many of its\npairs they hold, how many they said they would, "
         "and their width over that of an oracle");
    printf("%8s %8s | %7s %9s %7s\n", "programs", "between", "holds", "said", "width");
    if (rng)
        gsl_rng_set(rng, plan->seed);
    for (size_t i = 0; rng && i < sizeof programs_shown / sizeof *programs_shown; i++)
        for (size_t k = 0; k < sizeof between_shown / sizeof *between_shown; k++)
            if (!plan->quick || programs_shown[i] == 10)
                good = row(plan, rng, programs_shown[i], between_shown[k]) && good;
    gsl_rng_free(rng);
    return good;
}
