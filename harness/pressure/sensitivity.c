#include "sensitivity.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* A curve that never turns: isotonic regression, weighted by the variances, by pooling adjacent
 * violators (Barlow, Bartholomew, Bremner and Brunk, "Statistical inference under order
 * restrictions", Wiley 1972), through 0 at level 0. Pure. */

enum { CURVE_POINTS = 16 };

struct curve_point {
    double value, variance;         /* as measured; the variance is above 0 */
    double fitted, fitted_variance; /* of the curve */
};

/* Neighbours that share one value. */
struct pool {
    double sum, weight; /* of value / variance, of 1 / variance */
    size_t first, count;
};

static double mean_of(const struct pool *pool)
{
    return pool->sum / pool->weight;
}

/* Pools the points, which are known, until their means rise. */
static size_t pool_points(const struct curve_point *const *point, size_t count, struct pool *pool)
{
    size_t pools = 0;
    for (size_t i = 0; i < count; i++) {
        pool[pools++] =
            (struct pool){point[i]->value / point[i]->variance, 1 / point[i]->variance, i, 1};
        while (pools > 1 && mean_of(&pool[pools - 1]) < mean_of(&pool[pools - 2])) {
            const struct pool *last = &pool[--pools];
            pool[pools - 1].sum += last->sum;
            pool[pools - 1].weight += last->weight;
            pool[pools - 1].count += last->count;
        }
    }
    return pools;
}

static void fit_in(struct curve_point **point, size_t count)
{
    struct pool pool[CURVE_POINTS];
    const size_t pools = pool_points((const struct curve_point *const *)point, count, pool);
    for (size_t i = 0; i < pools; i++) {
        /* On the wrong side of 0 it is pooled with the 0, which has all weight. */
        const bool below = mean_of(&pool[i]) < 0;
        for (size_t k = pool[i].first; k < pool[i].first + pool[i].count; k++) {
            point[k]->fitted = below ? 0 : mean_of(&pool[i]);
            point[k]->fitted_variance = below ? point[k]->variance : 1 / pool[i].weight;
        }
    }
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

/* count points, by level, the first of them above 0; at most CURVE_POINTS. Points with a value of
 * NAN are left out, and fitted to NAN. The variance of points that are pooled is that of their
 * weighted mean; of those that are pooled with the 0, it stays their own. */
static void curve_fit_rising(struct curve_point *point, size_t count)
{
    struct curve_point *known[CURVE_POINTS];
    fit_in(known, find_known(point, count, known));
}

void sensitivity_begin(struct sensitivity *sensitivity, double confidence)
{
    *sensitivity = (struct sensitivity){.confidence = confidence};
}

struct sensitivity_point sensitivity_point_none(void)
{
    return (struct sensitivity_point){.level = 0,
                                      .achieved = NAN,
                                      .slowdown = NAN,
                                      .low = NAN,
                                      .high = NAN,
                                      .sd = NAN,
                                      .load_cpus = NAN,
                                      .cpu_ratio = NAN,
                                      .fit = NAN,
                                      .fit_low = NAN,
                                      .fit_high = NAN};
}

// The two-sided quantile of Student's t for n pairs.
static double t_quantile(double confidence, size_t n)
{
    return gsl_cdf_tdist_Pinv(0.5 + confidence / 2, (double)n - 1);
}

static struct sensitivity_curve *curve_for(struct sensitivity *sensitivity, const char *kind)
{
    for (size_t i = 0; i < sensitivity->count; i++)
        if (strcmp(sensitivity->curve[i].kind, kind) == 0)
            return &sensitivity->curve[i];
    if (sensitivity->count == SENSITIVITY_KINDS || strlen(kind) >= SENSITIVITY_NAME)
        return NULL;
    struct sensitivity_curve *curve = &sensitivity->curve[sensitivity->count++];
    *curve = (struct sensitivity_curve){0};
    strcpy(curve->kind, kind);
    return curve;
}

bool sensitivity_add(struct sensitivity *sensitivity, const char *kind,
                     const struct sensitivity_point *point)
{
    struct sensitivity_curve *curve = NULL;
    if (!(point->level > 0) || !isfinite(point->slowdown) || !(point->slowdown > 0) ||
        (curve = curve_for(sensitivity, kind)) == NULL || curve->count == SENSITIVITY_POINTS)
        return false;
    size_t at = 0;
    while (at < curve->count && curve->point[at].level < point->level)
        at++;
    if (at < curve->count && curve->point[at].level == point->level)
        return false;
    memmove(&curve->point[at + 1], &curve->point[at], (curve->count - at) * sizeof *point);
    curve->count++;
    struct sensitivity_point *own = &curve->point[at];
    *own = *point;
    own->fit = own->fit_low = own->fit_high = NAN;
    if (!isfinite(own->sd) && own->n > 1 && own->low > 0 && own->high >= own->low)
        own->sd =
            (log(own->high) - log(own->low)) / (2 * t_quantile(sensitivity->confidence, own->n));
    return true;
}

// What is fitted: points with an interval. One without variation weighs much, not all.
static bool is_fitted(const struct sensitivity_point *point)
{
    return isfinite(point->sd) && point->low > 0 && isfinite(point->high);
}

static double variance(const struct sensitivity_point *point)
{
    static const double least_sd = 1e-4;
    const double sd = fmax(point->sd, least_sd);
    return sd * sd;
}

static void fit_curve(struct sensitivity_curve *curve)
{
    struct sensitivity_point *point[SENSITIVITY_POINTS];
    struct curve_point logs[SENSITIVITY_POINTS];
    size_t count = 0;
    for (size_t i = 0; i < curve->count; i++) {
        if (!is_fitted(&curve->point[i]))
            continue;
        point[count] = &curve->point[i];
        logs[count] = (struct curve_point){.value = log(point[count]->slowdown),
                                           .variance = variance(point[count])};
        count++;
    }
    curve_fit_rising(logs, count);
    for (size_t i = 0; i < count; i++)
        point[i]->fit = exp(logs[i].fitted);
    double low = 1, high = INFINITY;
    for (size_t i = 0; i < count; i++)
        point[i]->fit_low = low = fmax(low, point[i]->low);
    for (size_t i = count; i-- > 0;)
        point[i]->fit_high = high = fmin(high, fmax(point[i]->high, 1));
    for (size_t i = 0; i < count; i++) { // where bounds of neighbours exclude each other
        point[i]->fit_low = fmin(point[i]->fit_low, point[i]->fit);
        point[i]->fit_high = fmax(point[i]->fit_high, point[i]->fit);
    }
}

void sensitivity_fit(struct sensitivity *sensitivity)
{
    for (size_t i = 0; i < sensitivity->count; i++)
        fit_curve(&sensitivity->curve[i]);
}

void sensitivity_merge(struct sensitivity *into, const struct sensitivity *from)
{
    for (size_t i = 0; i < from->count; i++)
        for (size_t k = 0; k < from->curve[i].count; k++)
            (void)sensitivity_add(into, from->curve[i].kind, &from->curve[i].point[k]);
    sensitivity_fit(into);
}

const struct sensitivity_curve *sensitivity_find(const struct sensitivity *sensitivity,
                                                 const char *kind)
{
    for (size_t i = 0; i < sensitivity->count; i++)
        if (strcmp(sensitivity->curve[i].kind, kind) == 0)
            return &sensitivity->curve[i];
    return NULL;
}

enum sensitivity_answer sensitivity_at(const struct sensitivity *sensitivity, const char *kind,
                                       double level, double *log_slowdown, double *sd)
{
    static const double rounding = 1e-9;
    const struct sensitivity_curve *curve = sensitivity_find(sensitivity, kind);
    double below = 0, log_below = 0, sd_below = 0;
    *log_slowdown = *sd = NAN;
    bool any = false;
    for (size_t i = 0; curve != NULL && i < curve->count; i++) {
        const struct sensitivity_point *point = &curve->point[i];
        if (!isfinite(point->fit))
            continue;
        any = true;
        if (level >= 0 && level <= point->level + rounding) {
            const double share = fmin((level - below) / (point->level - below), 1);
            *log_slowdown = log_below + share * (log(point->fit) - log_below);
            *sd = sd_below + share * (point->sd - sd_below);
            return SENSITIVITY_KNOWN;
        }
        below = point->level, log_below = log(point->fit), sd_below = point->sd;
    }
    return any ? SENSITIVITY_OUTSIDE : SENSITIVITY_NO_KIND;
}
