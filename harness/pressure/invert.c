#include "invert.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <string.h>

enum { SWEEPS = 400, GRID = 20, HALVINGS = 8, REWEIGHINGS = 2, DOUBLINGS = 40, BISECTIONS = 20 };

#define TOLERANCE  1e-6 /* of chi-square, in a sweep */
#define HIGHEST    1.5 /* the last piece of a curve is continued to here, to see what is beyond 1 */
#define ENTRY_P    0.05 /* a kind enters the estimate where chi-square falls by more than chance */
#define MOST_GUESS 1e-9 /* a curve that moves no reporter by more is flat */

/* The problem with the noise divided out: residuals count alike, and are independent. */
struct whitened {
    size_t reporters, kinds, points;
    double level[INVERT_POINTS];
    double observed[INVERT_REPORTERS];
    double value[INVERT_KINDS][INVERT_POINTS][INVERT_REPORTERS];
};

/* The readings that can be used, by their place in the original. */
struct chosen {
    size_t count;
    size_t reporter[INVERT_REPORTERS];
};

typedef double levels[INVERT_KINDS];

/* The piece of the curve that a level is on; the last one continues beyond its end. */
static size_t piece_of(const double *level, size_t points, double at)
{
    size_t piece = 0;
    while (piece + 2 < points && at > level[piece + 1])
        piece++;
    return piece;
}

double invert_curve_at(const struct invert_curves *curves, size_t kind, size_t reporter, double at,
                       double *variance)
{
    const size_t piece = piece_of(curves->level, curves->points, at);
    const double low = curves->level[piece], high = curves->level[piece + 1];
    const double share = (at - low) / (high - low), rest = 1 - share;
    const double(*value)[INVERT_REPORTERS] = curves->value[kind];
    const double(*spread)[INVERT_REPORTERS] = curves->variance[kind];
    if (variance != NULL)
        *variance =
            rest * rest * spread[piece][reporter] + share * share * spread[piece + 1][reporter];
    return rest * value[piece][reporter] + share * value[piece + 1][reporter];
}

static bool calibrated(const struct invert_curves *curves, size_t reporter)
{
    bool any = false;
    for (size_t k = 0; k < curves->kinds; k++) {
        if (!curves->usable[k])
            continue;
        for (size_t p = 0; p < curves->points; p++) {
            if (!isfinite(curves->value[k][p][reporter]) ||
                !isfinite(curves->variance[k][p][reporter]))
                return false;
        }
        any = true;
    }
    return any;
}

static struct chosen choose(const struct invert_curves *curves,
                            const struct invert_reading *reading)
{
    struct chosen chosen = {0};
    for (size_t r = 0; r < curves->reporters; r++) {
        if (isfinite(reading->log_ratio[r]) && reading->covariance[r][r] > 0 &&
            calibrated(curves, r))
            chosen.reporter[chosen.count++] = r;
    }
    return chosen;
}

/* Lower triangle of the Cholesky factor, in place. False: not positive definite. */
static bool factor(double matrix[INVERT_REPORTERS][INVERT_REPORTERS], size_t size)
{
    for (size_t j = 0; j < size; j++) {
        for (size_t i = j; i < size; i++) {
            double sum = matrix[i][j];
            for (size_t k = 0; k < j; k++)
                sum -= matrix[i][k] * matrix[j][k];
            if (i == j && !(sum > 0))
                return false;
            matrix[i][j] = i == j ? sqrt(sum) : sum / matrix[j][j];
        }
    }
    return true;
}

/* vector := factor^-1 vector */
static void solve_lower(const double matrix[INVERT_REPORTERS][INVERT_REPORTERS], size_t size,
                        double *vector)
{
    for (size_t i = 0; i < size; i++) {
        for (size_t k = 0; k < i; k++)
            vector[i] -= matrix[i][k] * vector[k];
        vector[i] /= matrix[i][i];
    }
}

/* Divides by the noise of the readings and, at the given levels, of the curves. */
static bool whiten(const struct invert_curves *curves, const struct invert_reading *reading,
                   const struct chosen *chosen, const levels at, double scale,
                   struct whitened *whitened)
{
    const size_t n = chosen->count;
    double matrix[INVERT_REPORTERS][INVERT_REPORTERS];
    *whitened = (struct whitened){.reporters = n, .kinds = curves->kinds, .points = curves->points};
    memcpy(whitened->level, curves->level, sizeof whitened->level);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++)
            matrix[i][j] = scale * reading->covariance[chosen->reporter[i]][chosen->reporter[j]];
        for (size_t k = 0; k < curves->kinds; k++) {
            double variance = 0;
            if (curves->usable[k])
                (void)invert_curve_at(curves, k, chosen->reporter[i], at[k], &variance);
            matrix[i][i] += scale * variance;
        }
        whitened->observed[i] = reading->log_ratio[chosen->reporter[i]];
    }
    if (!factor(matrix, n))
        return false;
    solve_lower(matrix, n, whitened->observed);
    for (size_t k = 0; k < curves->kinds; k++) {
        for (size_t p = 0; curves->usable[k] && p < curves->points; p++) {
            for (size_t i = 0; i < n; i++)
                whitened->value[k][p][i] = curves->value[k][p][chosen->reporter[i]];
            solve_lower(matrix, n, whitened->value[k][p]);
        }
    }
    return true;
}

/* Adds `sign` times what a kind does at a level. */
static void add_kind(const struct whitened *whitened, size_t kind, double at, double sign,
                     double *residual)
{
    const size_t piece = piece_of(whitened->level, whitened->points, at);
    const double low = whitened->level[piece], high = whitened->level[piece + 1];
    const double share = (at - low) / (high - low);
    for (size_t i = 0; i < whitened->reporters; i++)
        residual[i] += sign * ((1 - share) * whitened->value[kind][piece][i] +
                               share * whitened->value[kind][piece + 1][i]);
}

/* What pulls levels away from the best fit: `strength` times an effect of theirs, which has a
 * value at each calibrated level. Strength 0: nothing. */
struct pull {
    double strength;
    const double (*effect)[INVERT_POINTS];
};

static const struct pull no_pull = {0};

static double effect_at(const struct whitened *whitened, const double *effect, double at)
{
    const size_t piece = piece_of(whitened->level, whitened->points, at);
    const double low = whitened->level[piece], high = whitened->level[piece + 1];
    const double share = (at - low) / (high - low);
    return (1 - share) * effect[piece] + share * effect[piece + 1];
}

/* The best level of a kind by itself for what is left without it; *cost is chi-square of the
 * rest at this level, less what pulls. Exact: each piece of the curve is a parabola. */
static double best_level(const struct whitened *whitened, const struct pull *pull, size_t kind,
                         const double *rest, double *cost)
{
    double best = 0;
    *cost = INFINITY;
    for (size_t p = 0; p + 1 < whitened->points; p++) {
        const double *from = whitened->value[kind][p], *to = whitened->value[kind][p + 1];
        const double low = whitened->level[p], high = whitened->level[p + 1];
        const bool end = p + 2 == whitened->points && pull->strength == 0;
        const double most = end ? (HIGHEST - low) / (high - low) : 1;
        double rr = 0, rd = 0, dd = 0;
        for (size_t i = 0; i < whitened->reporters; i++) {
            const double left = rest[i] - from[i], step = to[i] - from[i];
            rr += left * left;
            rd += left * step;
            dd += step * step;
        }
        if (pull->strength != 0) {
            const double *effect = pull->effect[kind];
            rr -= pull->strength * effect[p];
            rd += pull->strength * (effect[p + 1] - effect[p]) / 2;
        }
        double share = dd > 0 ? rd / dd : rd > 0 && pull->strength != 0 ? most : 0;
        share = fmin(fmax(share, 0), most);
        const double here = rr - 2 * share * rd + share * share * dd;
        if (here < *cost) {
            *cost = here;
            best = low + share * (high - low);
        }
    }
    return best;
}

static double chi_square_of(const struct whitened *whitened, const levels at, double *residual)
{
    double chi_square = 0;
    memcpy(residual, whitened->observed, INVERT_REPORTERS * sizeof *residual);
    for (size_t k = 0; k < whitened->kinds; k++)
        add_kind(whitened, k, at[k], -1, residual);
    for (size_t i = 0; i < whitened->reporters; i++)
        chi_square += residual[i] * residual[i];
    return chi_square;
}

/* Least cost over the kinds that are free, from the levels given, which it replaces: one kind
 * after the other until nothing is won. Returns chi-square there. */
static double descend(const struct whitened *whitened, const struct pull *pull, const bool *is_free,
                      levels at)
{
    double residual[INVERT_REPORTERS];
    (void)chi_square_of(whitened, at, residual);
    double before = INFINITY;
    for (size_t sweep = 0; sweep < SWEEPS; sweep++) {
        double cost = 0, pulled = 0;
        for (size_t k = 0; k < whitened->kinds; k++) {
            if (!is_free[k])
                continue;
            add_kind(whitened, k, at[k], 1, residual);
            at[k] = best_level(whitened, pull, k, residual, &cost);
            add_kind(whitened, k, at[k], -1, residual);
        }
        for (size_t k = 0; k < whitened->kinds && pull->strength != 0; k++)
            pulled += pull->strength * effect_at(whitened, pull->effect[k], at[k]);
        cost = -pulled;
        for (size_t i = 0; i < whitened->reporters; i++)
            cost += residual[i] * residual[i];
        if (before - cost < TOLERANCE)
            break;
        before = cost;
    }
    return chi_square_of(whitened, at, residual);
}

/* Curves bend, so that chi-square may have more than one valley: we descend from the levels
 * given and from zero, and keep the lower end. */
static double least(const struct whitened *whitened, const bool *is_free, levels at)
{
    levels other;
    for (size_t k = 0; k < whitened->kinds; k++)
        other[k] = is_free[k] ? 0 : at[k];
    const double first = descend(whitened, &no_pull, is_free, at);
    const double second = descend(whitened, &no_pull, is_free, other);
    if (second < first)
        memcpy(at, other, sizeof other);
    return fmin(first, second);
}

/* The fewest kinds that explain the readings: one after the other, as long as chi-square falls by
 * more than chance would have it. So a load that is there alone is not shared out among
 * its like. Those that are surely there are among them. */
static void fewest(const struct whitened *whitened, const bool *usable, const bool *sure, levels at)
{
    const double enough = gsl_cdf_chisq_Qinv(2 * ENTRY_P, 1);
    bool is_free[INVERT_KINDS];
    memcpy(is_free, sure, sizeof is_free);
    memset(at, 0, sizeof(levels));
    double chi_square = least(whitened, is_free, at);
    for (;;) {
        size_t winner = whitened->kinds;
        double lowest = chi_square - enough;
        levels won;
        for (size_t k = 0; k < whitened->kinds; k++) {
            levels tried;
            if (is_free[k] || !usable[k])
                continue;
            memcpy(tried, at, sizeof tried);
            is_free[k] = true;
            const double reached = least(whitened, is_free, tried);
            is_free[k] = false;
            if (reached >= lowest)
                continue;
            lowest = reached;
            winner = k;
            memcpy(won, tried, sizeof won);
        }
        if (winner == whitened->kinds)
            return;
        is_free[winner] = true;
        chi_square = lowest;
        memcpy(at, won, sizeof won);
    }
}

/* What the search for an interval needs. */
struct search {
    const struct invert_curves *curves;
    const struct invert_reading *reading;
    struct chosen chosen;
    double scale; /* of the covariance, for residuals that are too large */
    bool usable[INVERT_KINDS];
    bool sure[INVERT_KINDS]; /* that they are there: part of each estimate */
    levels best;             /* with all kinds free */
};

/* By how much chi-square grows when a kind is held at a level. The curves' noise is that
 * at this level, for both sides of the difference. */
static double growth(const struct search *search, size_t kind, double level)
{
    struct whitened whitened;
    bool is_free[INVERT_KINDS];
    levels held, all;
    memcpy(held, search->best, sizeof held);
    memcpy(all, search->best, sizeof all);
    memcpy(is_free, search->usable, sizeof is_free);
    held[kind] = level;
    if (!whiten(search->curves, search->reading, &search->chosen, held, search->scale, &whitened))
        return 0;
    const double lowest = least(&whitened, is_free, all);
    is_free[kind] = false;
    return fmax(least(&whitened, is_free, held) - lowest, 0);
}

/* Where between a level that is within and one that is not chi-square passes the limit. */
static double edge(const struct search *search, size_t kind, double within, double outside,
                   double limit)
{
    for (size_t i = 0; i < HALVINGS; i++) {
        const double middle = (within + outside) / 2;
        if (growth(search, kind, middle) <= limit)
            within = middle;
        else
            outside = middle;
    }
    return within;
}

static void find_interval(const struct search *search, size_t kind, double limit,
                          struct invert_level *level)
{
    bool within[GRID + 1];
    size_t first = GRID + 1, last = 0;
    for (size_t i = 0; i <= GRID; i++) {
        within[i] = growth(search, kind, (double)i / GRID) <= limit;
        if (within[i]) {
            first = i < first ? i : first;
            last = i;
        }
    }
    const double best = fmin(search->best[kind], 1);
    level->open = within[GRID];
    level->beyond = !within[GRID] && search->best[kind] > 1;
    if (first > GRID) { /* narrower than the grid */
        level->lo = level->beyond ? 1 : edge(search, kind, best, floor(best * GRID) / GRID, limit);
        level->hi = level->beyond ? 1 : edge(search, kind, best, ceil(best * GRID) / GRID, limit);
        return;
    }
    level->lo = (double)first / GRID;
    level->hi = (double)last / GRID;
    if (first > 0)
        level->lo = edge(search, kind, level->lo, level->lo - 1.0 / GRID, limit);
    if (last < GRID)
        level->hi = edge(search, kind, level->hi, level->hi + 1.0 / GRID, limit);
    level->lo = fmin(level->lo, best);
    level->hi = fmax(level->hi, best);
}

/* Whether any reporter in use is moved by this kind at all. */
static bool moves(const struct invert_curves *curves, const struct chosen *chosen, size_t kind)
{
    for (size_t i = 0; i < chosen->count; i++) {
        for (size_t p = 0; p < curves->points; p++) {
            if (fabs(curves->value[kind][p][chosen->reporter[i]]) > MOST_GUESS)
                return true;
        }
    }
    return false;
}

/* The levels by the fewest kinds, and with all kinds free, weighed by the noise at the levels that
 * came out; the residuals of the latter. */
static bool estimate(struct search *search, levels few, struct inversion *inversion)
{
    struct whitened whitened;
    size_t usable = 0;
    for (size_t k = 0; k < search->curves->kinds; k++)
        usable += search->usable[k];
    memset(few, 0, sizeof(levels));
    for (size_t i = 0; i <= REWEIGHINGS; i++) {
        if (!whiten(search->curves, search->reading, &search->chosen, few, search->scale,
                    &whitened))
            return false;
        fewest(&whitened, search->usable, search->sure, few);
    }
    memcpy(search->best, few, sizeof search->best);
    inversion->chi_square = least(&whitened, search->usable, search->best);
    inversion->freedom = search->chosen.count > usable ? search->chosen.count - usable : 0;
    return true;
}

/* The probability of readings like these without that kind, one-sided. */
static double absence_p(const struct search *search, size_t kind)
{
    return 0.5 * gsl_cdf_chisq_Q(growth(search, kind, 0), 1);
}

/* One after the other, kinds may not explain what two of them together do: those that are surely
 * there have a level, and others only what these leave. */
static bool add_sure(struct search *search, double confidence, size_t kinds, levels few)
{
    struct inversion ignored;
    bool missing = false;
    for (size_t k = 0; k < search->curves->kinds; k++) {
        search->sure[k] =
            search->usable[k] && absence_p(search, k) < (1 - confidence) / (double)kinds;
        missing = missing || (search->sure[k] && few[k] <= 0);
    }
    return !missing || estimate(search, few, &ignored);
}

static void judge(const struct search *search, double few, double confidence, size_t kind,
                  size_t kinds, struct invert_level *level)
{
    const double limit = gsl_cdf_chisq_Pinv(confidence, 1);
    level->known = true;
    level->p = absence_p(search, kind);
    level->seen = level->p < (1 - confidence) / (double)kinds;
    find_interval(search, kind, limit, level);
    level->level = fmin(few, 1);
    level->lo = fmin(level->lo, level->level);
    level->hi = fmax(level->hi, level->level);
}

/* Kinds that are there at the best levels. Given which, residuals of a projection onto a cone are
 * those of a linear fit of these alone (A. Shapiro, Int. Statist. Rev. 56 (1988) 49-62). */
static size_t count_there(const struct search *search)
{
    size_t there = 0;
    for (size_t k = 0; k < search->curves->kinds; k++)
        there += search->usable[k] && search->best[k] > 0;
    return there;
}

/* The readings and kinds that can be used; how many kinds. */
static size_t begin(struct search *search, const struct invert_curves *curves,
                    const struct invert_reading *reading)
{
    size_t kinds = 0;
    *search = (struct search){.curves = curves, .reading = reading, .scale = 1};
    search->chosen = choose(curves, reading);
    for (size_t k = 0; k < curves->kinds; k++) {
        search->usable[k] = curves->usable[k] && moves(curves, &search->chosen, k);
        kinds += search->usable[k];
    }
    return kinds;
}

bool invert_misfit(const struct invert_curves *curves, const struct invert_reading *reading,
                   double *chi_square, size_t *freedom)
{
    struct search search;
    struct inversion inversion = {0};
    levels few;
    if (begin(&search, curves, reading) == 0 || !estimate(&search, few, &inversion))
        return false;
    *chi_square = inversion.chi_square;
    *freedom = inversion.freedom;
    return true;
}

/* Everything up to the estimates; false as invert_levels(). */
static bool prepare(struct search *search, const struct invert_curves *curves,
                    const struct invert_reading *reading, double confidence, levels few,
                    size_t *kinds, struct inversion *inversion)
{
    struct inversion scaled;
    *inversion = (struct inversion){.misfit_p = 1};
    *kinds = begin(search, curves, reading);
    if (*kinds == 0 || !estimate(search, few, inversion))
        return false;
    inversion->reporters = search->chosen.count;
    if (inversion->freedom == 0)
        return add_sure(search, confidence, *kinds, few);
    inversion->misfit_p = gsl_cdf_chisq_Q(inversion->chi_square,
                                          (double)(inversion->reporters - count_there(search)));
    /* As if all kinds were there: too wide rather than too narrow. */
    search->scale = fmax(1, inversion->chi_square / (double)inversion->freedom);
    return (search->scale == 1 || estimate(search, few, &scaled)) &&
           add_sure(search, confidence, *kinds, few);
}

/* Each kind by itself against none, and against all of them together. */
static void find_any(const struct search *search, double confidence, size_t kinds,
                     struct invert_any *any)
{
    const double enough = gsl_cdf_chisq_Pinv(confidence, fmax((double)kinds - 1, 1));
    any->p = 1;
    for (size_t k = 0; k < search->curves->kinds; k++) {
        struct whitened whitened;
        bool is_free[INVERT_KINDS] = {false};
        double residual[INVERT_REPORTERS];
        levels alone = {0}, all;
        const levels none = {0};
        any->alone[k] = NAN;
        if (!search->usable[k] || !whiten(search->curves, search->reading, &search->chosen, none,
                                          search->scale, &whitened))
            continue;
        is_free[k] = true;
        const double reached = least(&whitened, is_free, alone);
        const double growth = fmax(chi_square_of(&whitened, none, residual) - reached, 0);
        any->p = fmin(any->p, (double)kinds * 0.5 * gsl_cdf_chisq_Q(growth, 1));
        memcpy(all, search->best, sizeof all);
        if (reached - least(&whitened, search->usable, all) <= enough)
            any->alone[k] = fmin(alone[k], 1);
    }
    any->seen = any->p < 1 - confidence;
}

bool invert_levels(const struct invert_curves *curves, const struct invert_reading *reading,
                   double confidence, struct inversion *inversion)
{
    struct search search;
    levels few;
    size_t kinds;
    if (!prepare(&search, curves, reading, confidence, few, &kinds, inversion))
        return false;
    for (size_t k = 0; k < curves->kinds; k++) {
        if (search.usable[k])
            judge(&search, few[k], confidence, k, kinds, &inversion->level[k]);
    }
    find_any(&search, confidence, kinds, &inversion->any);
    return true;
}

static double total_effect(const struct whitened *whitened, const bool *usable,
                           const double effect[INVERT_KINDS][INVERT_POINTS], const levels at)
{
    double sum = 0;
    for (size_t k = 0; k < whitened->kinds; k++)
        sum += usable[k] ? effect_at(whitened, effect[k], fmin(at[k], 1)) : 0;
    return sum;
}

/* Levels pulled by a strength, from the best fit. Whether chi-square stays below `most`. */
static bool pulled(const struct search *search, const struct whitened *whitened,
                   const double effect[INVERT_KINDS][INVERT_POINTS], double strength, double most,
                   levels at)
{
    const struct pull pull = {.strength = strength, .effect = effect};
    for (size_t k = 0; k < whitened->kinds; k++)
        at[k] = fmin(search->best[k], 1);
    return descend(whitened, &pull, search->usable, at) <= most;
}

/* The farthest effect within the band: the levels are pulled until chi-square has grown by the
 * limit (a Lagrange multiplier: what a strength reaches is the farthest for its chi-square). */
static double farthest(const struct search *search, const struct whitened *whitened,
                       const double effect[INVERT_KINDS][INVERT_POINTS], double sign, double limit)
{
    levels at;
    double weak = 0, strong = sign;
    memcpy(at, search->best, sizeof at);
    const double most = least(whitened, search->usable, at) + limit;
    double reached = total_effect(whitened, search->usable, effect, at);
    for (size_t i = 0; i < DOUBLINGS; i++) {
        if (!pulled(search, whitened, effect, strong, most, at))
            break;
        reached = total_effect(whitened, search->usable, effect, at);
        weak = strong;
        strong *= 2;
    }
    for (size_t i = 0; i < BISECTIONS; i++) {
        const double middle = (weak + strong) / 2;
        if (pulled(search, whitened, effect, middle, most, at)) {
            reached = total_effect(whitened, search->usable, effect, at);
            weak = middle;
        } else {
            strong = middle;
        }
    }
    return reached;
}

bool invert_effect(const struct invert_curves *curves, const struct invert_reading *reading,
                   double confidence, const double effect[INVERT_KINDS][INVERT_POINTS],
                   struct invert_effect *result)
{
    struct search search;
    struct whitened whitened;
    struct inversion inversion;
    levels few;
    size_t kinds;
    if (!prepare(&search, curves, reading, confidence, few, &kinds, &inversion) ||
        !whiten(curves, reading, &search.chosen, few, search.scale, &whitened))
        return false;
    const double limit = gsl_cdf_chisq_Pinv(confidence, 1);
    result->estimate = total_effect(&whitened, search.usable, effect, few);
    result->lo = fmin(farthest(&search, &whitened, effect, -1, limit), result->estimate);
    result->hi = fmax(farthest(&search, &whitened, effect, 1, limit), result->estimate);
    return true;
}
