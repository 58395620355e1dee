#include "scores.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

const double scores_limits[LIMITS] = {1.05, 1.10, 1.20};

// Standard errors: beyond them chance is no explanation (one-sided, 1 in 1,000).
static const double sure = 3.1;

enum { NO_PROGRAM = DATASET_PROGRAMS };

static double predicted(const struct test *test, struct predictor predictor)
{
    return predictor.kind == PREDICTOR_TRIVIAL     ? test->trivial[predictor.number]
           : predictor.kind == PREDICTOR_CANDIDATE ? test->candidate[predictor.number]
                                                   : test->chosen;
}

static double off(const struct dataset *data, const struct test *test, struct predictor predictor)
{
    return 100 * fabs(predicted(test, predictor) - data->item[test->item].y);
}

static double spearman(const double *x, const double *y, size_t n)
{
    double *work = calloc(2 * n + 1, sizeof *work);
    const double rank = work && n > 2 && gsl_stats_sd(x, 1, n) > 0 && gsl_stats_sd(y, 1, n) > 0
                            ? gsl_stats_spearman(x, 1, y, 1, n, work)
                            : NAN;
    free(work);
    return rank;
}

struct errors scores_errors(const struct dataset *data, const struct tests *tests,
                            struct predictor predictor)
{
    struct errors errors = {.n = tests->count, .mean = NAN, .p90 = NAN, .worst = NAN, .rank = NAN};
    const size_t n = tests->count;
    double *x = calloc(3 * n + 1, sizeof *x), *y = x ? x + n : NULL, *error = x ? x + 2 * n : NULL;
    for (size_t i = 0; x && i < n; i++) {
        x[i] = predicted(&tests->test[i], predictor);
        y[i] = data->item[tests->test[i].item].y;
        error[i] = off(data, &tests->test[i], predictor);
    }
    if (x && n > 0) {
        errors.rank = spearman(x, y, n);
        gsl_sort(error, 1, n);
        errors.mean = gsl_stats_mean(error, 1, n);
        errors.p90 = gsl_stats_quantile_from_sorted_data(error, 1, n, 0.9);
        errors.worst = error[n - 1];
    }
    free(x);
    return errors;
}

// Mean error without the pairs of one program (NO_PROGRAM: with all).
static double mean_without(const struct dataset *data, const struct tests *tests,
                           struct predictor predictor, size_t without)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < tests->count; i++) {
        const struct dataset_item *item = &data->item[tests->test[i].item];
        if (item->a == without || item->b == without)
            continue;
        sum += off(data, &tests->test[i], predictor);
        n++;
    }
    return n > 0 ? sum / (double)n : NAN;
}

static double skill_without(const struct dataset *data, const struct tests *tests,
                            struct predictor predictor, size_t without, enum trivial *best)
{
    double least = INFINITY;
    for (enum trivial i = 0; i < TRIVIALS; i++) {
        const struct predictor trivial = {PREDICTOR_TRIVIAL, i};
        const double error = mean_without(data, tests, trivial, without);
        if (error < least) {
            least = error;
            *best = i;
        }
    }
    return least > 0 && isfinite(least) ? 1 - mean_without(data, tests, predictor, without) / least
                                        : NAN;
}

struct skill scores_skill(const struct dataset *data, const struct tests *tests,
                          struct predictor predictor)
{
    struct skill skill = {.sd = NAN};
    enum trivial unused;
    double each[DATASET_PROGRAMS];
    size_t n = 0;
    skill.value = skill_without(data, tests, predictor, NO_PROGRAM, &skill.best);
    for (size_t i = 0; i < data->programs; i++) {
        each[n] = skill_without(data, tests, predictor, i, &unused);
        n += isfinite(each[n]) ? 1 : 0;
    }
    // The jackknife over programs (B. Efron and C. Stein, Ann. Stat. 9 (1981) 586-596).
    if (n > 2)
        skill.sd = sqrt((double)(n - 1) / (double)n * gsl_stats_tss(each, 1, n));
    return skill;
}

struct cover scores_cover(const struct dataset *data, const struct tests *tests)
{
    struct cover cover = {0};
    for (size_t i = 0; i < tests->count; i++) {
        const struct test *test = &tests->test[i];
        const double y = data->item[test->item].y;
        if (isnan(test->low) || isnan(test->high))
            continue;
        cover.n++;
        cover.share += y >= test->low && y <= test->high ? 1 : 0;
        cover.width += 100 * (test->high - test->low);
    }
    cover.share = cover.n > 0 ? cover.share / (double)cover.n : NAN;
    cover.width = cover.n > 0 ? cover.width / (double)cover.n : NAN;
    return cover;
}

void scores_safety(const struct dataset *data, const struct tests *tests,
                   struct safety safety[LIMITS])
{
    for (size_t limit = 0; limit < LIMITS; limit++) {
        safety[limit] = (struct safety){0};
        for (size_t i = 0; i < tests->count; i++) {
            const struct test *test = &tests->test[i];
            const bool above = data->item[test->item].y > scores_limits[limit];
            const bool said = test->chosen <= scores_limits[limit];
            const bool surely = !isnan(test->high) && test->high <= scores_limits[limit];
            safety[limit].said += said;
            safety[limit].wrong += said && above;
            safety[limit].said_surely += surely;
            safety[limit].wrong_surely += surely && above;
        }
    }
}

// Whether the mean of n values is surely above 0.
static bool above_zero(const double *value, size_t n)
{
    return n > 4 &&
           gsl_stats_mean(value, 1, n) > sure * gsl_stats_sd(value, 1, n) / sqrt((double)n);
}

// By item, the mean of what its tests predict; NAN where it has none.
static double mean_chosen(const struct tests *tests, size_t item)
{
    double sum = 0;
    size_t n = 0;
    for (size_t i = 0; i < tests->count; i++)
        if (tests->test[i].item == item) {
            sum += tests->test[i].chosen;
            n++;
        }
    return n > 0 ? sum / (double)n : NAN;
}

struct ceiling scores_ceiling(const struct dataset *data, const struct tests *tests)
{
    struct ceiling ceiling = {.error = NAN, .rank = NAN, .predicted = NAN, .toward = NAN};
    const size_t most = data->count;
    double *first = calloc(4 * most + 1, sizeof *first);
    double *second = first ? first + most : NULL, *below = first ? first + 2 * most : NULL,
           *toward = first ? first + 3 * most : NULL;
    double noise = 0, error = 0;
    for (size_t k = 0; first && k < most; k++) {
        const struct dataset_item *item = &data->item[k];
        const double chosen = mean_chosen(tests, k);
        const size_t n = ceiling.pairs;
        if (isnan(item->repeat) || isnan(chosen))
            continue;
        first[n] = item->y;
        second[n] = item->repeat;
        const double apart = 100 * fabs(item->y - item->repeat) / sqrt(2);
        const double to_first = 100 * fabs(chosen - item->y);
        below[n] = apart - to_first;
        toward[n] = 100 * fabs(chosen - item->repeat) - to_first;
        noise += apart;
        error += to_first;
        ceiling.pairs++;
    }
    if (ceiling.pairs > 0) {
        const size_t n = ceiling.pairs;
        ceiling.error = noise / (double)n;
        ceiling.predicted = error / (double)n;
        ceiling.rank = spearman(first, second, n);
        ceiling.toward = gsl_stats_mean(toward, 1, n);
        ceiling.below = above_zero(below, n);
        ceiling.drawn = above_zero(toward, n);
    }
    free(first);
    return ceiling;
}
