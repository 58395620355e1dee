#include "factor.h"

#include "harness/stats/explain.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

enum { MOST_BLOCKS = 60, BLOCKS = 3, RHOS = 3, TRUTHS = 2 };

static const size_t blocks[BLOCKS] = {12, 20, MOST_BLOCKS};
static const double rhos[RHOS] = {0, 0.5, 0.8}; // of neighbours, in readings and runs
static const double truths[TRUTHS] = {0, 0.5};  // R2
static const double confidence = 0.95, allowed = 5;
static const double note_level = 0.01; // of a drift, where it is large, too
static const double reporters = 7;     // among which one is told from 0

struct counts {
    size_t known, told, covered, drifts, notes;
    double width; // sum, of the intervals of R2
};

// A process of first order of variance 1.
static void wander(gsl_rng *rng, double rho, double *value, size_t n)
{
    value[0] = gsl_ran_ugaussian(rng);
    for (size_t i = 1; i < n; i++)
        value[i] = rho * value[i - 1] + sqrt(1 - rho * rho) * gsl_ran_ugaussian(rng);
}

static void add(gsl_rng *rng, size_t n, double rho, double truth, struct counts *counts)
{
    double x[MOST_BLOCKS], y[MOST_BLOCKS], rest[MOST_BLOCKS];
    wander(rng, rho, x, n);
    wander(rng, rho, rest, n);
    for (size_t i = 0; i < n; i++)
        y[i] = sqrt(truth) * x[i] + sqrt(1 - truth) * rest[i];
    const struct explained found = explain(x, y, n, confidence, true);
    const struct drift drift = explain_drift(x, n, confidence);
    counts->drifts += drift.low > 0 || drift.high < 0 ? 1 : 0;
    counts->notes += drift.p < note_level / reporters ? 1 : 0;
    if (isnan(found.r2))
        return;
    counts->known++;
    counts->told += found.p < (1 - confidence) / reporters ? 1 : 0;
    counts->covered += found.low <= truth && found.high >= truth ? 1 : 0;
    counts->width += found.high - found.low;
}

static bool row(const struct plan *plan, gsl_rng *rng, size_t n, double rho)
{
    bool kept = true;
    printf("%6zu %6.1f", n, rho);
    for (size_t i = 0; i < TRUTHS; i++) {
        struct counts counts = {0};
        for (size_t k = 0; k < plan->experiments; k++)
            add(rng, n, rho, truths[i], &counts);
        const double all = (double)plan->experiments, known = (double)counts.known;
        const double told = 100 * (double)counts.told / all;
        printf("   %8.1f %8.1f %8.2f %8.2f", 100 * known / all,
               100 * (double)counts.covered / known, counts.width / known, told);
        if (i == 0)
            printf(" %8.2f %6.2f", 100 * (double)counts.drifts / all,
                   100 * (double)counts.notes / all);
        const double slack = 3 * sqrt(allowed * (100 - allowed) / all);
        if (plan->quick && truths[i] == 0 && told > allowed / reporters + slack + 1) {
            fprintf(stderr,
                    "broken: the machine's factor: %zu blocks: unrelated, and told in "
                    "%.2f %%\n",
                    n, told);
            kept = false;
        }
    }
    putchar('\n');
    return kept;
}

bool factor_table(const struct plan *plan)
{
    gsl_rng *rng = gsl_rng_alloc(gsl_rng_taus2);
    bool good = rng != NULL;
    puts(
        "\nThe machine's factor: readings and runs of one block each, whose neighbours correlate "
        "by "
        "rho.\nThe reading explains nothing, then half of the variance: how often R2 is known, how "
        "often its\ninterval holds the truth, the interval's width, and how often it is told from "
        "0 "
        "(one of 7\nreporters; percent). Of readings without a drift: how often its interval "
        "excludes 0, and how\noften it would be a note if it were large");
    printf("%6s %6s   %8s %8s %8s %8s %8s %6s   %8s %8s %8s %8s\n", "blocks", "rho", "R2=0",
           "covered", "width", "told", "drift", "note", "R2=0.5", "covered", "width", "told");
    if (rng)
        gsl_rng_set(rng, plan->seed);
    for (size_t i = 0; rng && i < BLOCKS; i++)
        for (size_t k = 0; k < RHOS; k++)
            good = row(plan, rng, blocks[i], rhos[k]) && good;
    if (rng)
        gsl_rng_free(rng);
    return good;
}
