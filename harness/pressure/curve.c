#include "curve.h"

#include <math.h>
#include <stdbool.h>

/* Neighbours that share one value. */
struct pool {
    double sum, weight; /* of value / variance, of 1 / variance */
    size_t first, count;
};

static double mean_of(const struct pool *pool)
{
    return pool->sum / pool->weight;
}

/* Pools the points, which are known, until their means rise (sign 1) or fall (sign -1). */
static size_t pool_points(const struct curve_point *const *point, size_t count, double sign,
                          struct pool *pool)
{
    size_t pools = 0;
    for (size_t i = 0; i < count; i++) {
        pool[pools++] =
            (struct pool){point[i]->value / point[i]->variance, 1 / point[i]->variance, i, 1};
        while (pools > 1 && sign * mean_of(&pool[pools - 1]) < sign * mean_of(&pool[pools - 2])) {
            const struct pool *last = &pool[--pools];
            pool[pools - 1].sum += last->sum;
            pool[pools - 1].weight += last->weight;
            pool[pools - 1].count += last->count;
        }
    }
    return pools;
}

/* Fits in one direction; returns the weighted sum of squared residuals. */
static double fit_in(struct curve_point **point, size_t count, double sign)
{
    struct pool pool[CURVE_POINTS];
    const size_t pools = pool_points((const struct curve_point *const *)point, count, sign, pool);
    double misfit = 0;
    for (size_t i = 0; i < pools; i++) {
        /* On the wrong side of 0 it is pooled with the 0, which has all weight. */
        const bool below = sign * mean_of(&pool[i]) < 0;
        for (size_t k = pool[i].first; k < pool[i].first + pool[i].count; k++) {
            point[k]->fitted = below ? 0 : mean_of(&pool[i]);
            point[k]->fitted_variance = below ? point[k]->variance : 1 / pool[i].weight;
            misfit += pow(point[k]->value - point[k]->fitted, 2) / point[k]->variance;
        }
    }
    return misfit;
}

/* Those that have a value; how many. The others are not fitted. */
static size_t find_known(struct curve_point *point, size_t count, struct curve_point **known)
{
    size_t found = 0;
    for (size_t i = 0; i < count && i < CURVE_POINTS; i++) {
        point[i].fitted = point[i].fitted_variance = NAN;
        if (isfinite(point[i].value))
            known[found++] = &point[i];
    }
    return found;
}

void curve_fit(struct curve_point *point, size_t count)
{
    struct curve_point *known[CURVE_POINTS];
    const size_t found = find_known(point, count, known);
    const double falling = fit_in(known, found, -1), rising = fit_in(known, found, 1);
    if (falling < rising)
        (void)fit_in(known, found, -1);
}

void curve_fit_rising(struct curve_point *point, size_t count)
{
    struct curve_point *known[CURVE_POINTS];
    (void)fit_in(known, find_known(point, count, known), 1);
}
