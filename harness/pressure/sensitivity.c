// Sensitivity: how much a program slows down by kind and level of load.

#include "pressure.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

struct sensitivity_point sensitivity_no_point(void)
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

const struct sensitivity_curve *sensitivity_find(const struct sensitivity *sensitivity,
                                                 const char *kind)
{
    for (size_t i = 0; i < sensitivity->count; i++)
        if (strcmp(sensitivity->curve[i].kind, kind) == 0)
            return &sensitivity->curve[i];
    return NULL;
}

// NULL: there is no room.
static struct sensitivity_curve *curve_for(struct sensitivity *sensitivity, const char *kind)
{
    struct sensitivity_curve *curve =
        (struct sensitivity_curve *)sensitivity_find(sensitivity, kind);
    if (curve || sensitivity->count == SENSITIVITY_KINDS || strlen(kind) >= SENSITIVITY_NAME)
        return curve;
    curve = &sensitivity->curve[sensitivity->count++];
    *curve = (struct sensitivity_curve){0};
    strcpy(curve->kind, kind);
    return curve;
}

// Adds a point to the curve of that kind, in its place; `sd` is made of the interval where it
// is NAN. False: no room, or the level is not above 0 or is there already, or the slowdown is
// no number.
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
        own->sd = (log(own->high) - log(own->low)) /
                  (2 * gsl_cdf_tdist_Pinv(0.5 + sensitivity->confidence / 2, (double)own->n - 1));
    return true;
}

// One without variation weighs much, not all.
static double variance(const struct sensitivity_point *point)
{
    static const double least_sd = 1e-4;
    const double sd = fmax(point->sd, least_sd);
    return sd * sd;
}

// Neighbours that share one value.
struct pool {
    double sum, weight; // of value / variance, of 1 / variance
    size_t first, count;
};

static double pool_mean(const struct pool *pool)
{
    return pool->sum / pool->weight;
}

// Fits the points, by level, of which the first is above 0: neighbours are pooled until their means
// rise.
static void fit_rising(struct sensitivity_point *const *point, size_t count)
{
    struct pool pool[SENSITIVITY_POINTS];
    size_t pools = 0;
    for (size_t i = 0; i < count; i++) {
        const double weight = 1 / variance(point[i]);
        pool[pools++] = (struct pool){log(point[i]->slowdown) / variance(point[i]), weight, i, 1};
        while (pools > 1 && pool_mean(&pool[pools - 1]) < pool_mean(&pool[pools - 2])) {
            const struct pool *last = &pool[--pools];
            pool[pools - 1].sum += last->sum;
            pool[pools - 1].weight += last->weight;
            pool[pools - 1].count += last->count;
        }
    }
    // On the wrong side of 0 it is pooled with the 0, which has all weight.
    for (size_t i = 0; i < pools; i++)
        for (size_t k = pool[i].first; k < pool[i].first + pool[i].count; k++)
            point[k]->fit = exp(fmax(pool_mean(&pool[i]), 0));
}

static void fit_curve(struct sensitivity_curve *curve)
{
    struct sensitivity_point *point[SENSITIVITY_POINTS];
    size_t count = 0;
    for (size_t i = 0; i < curve->count; i++)
        if (isfinite(curve->point[i].sd) && curve->point[i].low > 0 &&
            isfinite(curve->point[i].high))
            point[count++] = &curve->point[i];
    fit_rising(point, count);
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

// The monotone curves: slowdown never falls with the level, and is 1 at level 0. Isotonic
// regression of log(slowdown), weighted by 1 / sd^2, by pooling adjacent violators (R. E.
// Barlow et al., "Statistical inference under order restrictions", Wiley 1972). The interval
// of a point is that of all points which order says it cannot be outside of: the highest lower
// bound of the levels up to it, the lowest upper bound of those from it on. Points without an
// interval are in no curve: they keep a fit of NAN.
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

bool sensitivity_is_known(const struct sensitivity *sensitivity, const char *kind)
{
    const struct sensitivity_curve *curve = sensitivity_find(sensitivity, kind);
    for (size_t i = 0; curve && i < curve->count; i++)
        if (isfinite(curve->point[i].fit))
            return true;
    return false;
}
