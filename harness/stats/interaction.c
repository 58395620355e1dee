#include "statistic.h"

#include <math.h>
#include <stdlib.h>

// Of the logarithm of the ratio.
static const double sign[CORNERS] = {
    [REFERENCE_ALONE] = 1, [VARIANT_ALONE] = -1, [REFERENCE_LOADED] = -1, [VARIANT_LOADED] = 1};

// The loads add delays where loaded values vary by more than this: variances of relative
// values, as for a slowdown.
static const double delays_from = 4;

void crossed_free(struct crossed *crossed)
{
    for (enum corner i = 0; i < CORNERS; i++)
        free(crossed->value[i]);
    *crossed = (struct crossed){0};
}

static struct interval around(double logarithm, double down, double up)
{
    struct interval ratio = {
        .center = exp(logarithm), .low = exp(logarithm - down), .high = exp(logarithm + up)};
    if (!isfinite(down) || !isfinite(up))
        return interval_unbounded(ratio.center);
    if (!(down > 0) && !(up > 0))
        return interval_constant(ratio.center);
    ratio.error = (ratio.high - ratio.low) / 2 / ratio.center;
    return ratio;
}

// What is estimated of each corner, and the values that its error is that of.
struct center {
    double estimate, least, most; // values below and above count as these
    double spread;                // relative variance
};

static void find_centers(enum statistic statistic, const struct crossed *crossed,
                         struct center *centers, struct sample *values)
{
    for (enum corner i = 0; i < CORNERS; i++) {
        sample_fill(values, crossed->value[i], crossed->count);
        const size_t cut = statistic == STATISTIC_TRIMMED ? statistic_trimmed(crossed->count) : 0;
        centers[i].estimate = statistic_value(statistic, values->sorted, values->count);
        centers[i].least = values->sorted[cut];
        centers[i].most = values->sorted[values->count - 1 - cut];
        centers[i].spread = sample_variance(values) / pow(centers[i].estimate, 2);
    }
}

// Each block's part in the logarithm, times `direction`.
static void add_parts(const struct crossed *crossed, const struct center *centers, double direction,
                      struct sample *parts)
{
    sample_clear(parts);
    for (size_t block = 0; block < crossed->count; block++) {
        double part = 0;
        for (enum corner i = 0; i < CORNERS; i++)
            part += direction * sign[i] *
                    fmin(fmax(crossed->value[i][block], centers[i].least), centers[i].most) /
                    centers[i].estimate;
        sample_add(parts, part);
    }
}

static bool is_delayed(const struct center *centers)
{
    return centers[REFERENCE_LOADED].spread + centers[VARIANT_LOADED].spread >
           delays_from * (centers[REFERENCE_ALONE].spread + centers[VARIANT_ALONE].spread);
}

// Half-width towards `direction`, of means. A delay of the reference's loaded runs moves the
// ratio down as one of the variant's moves it up, so either side may be the long one.
static double reach_of_means(const struct crossed *crossed, const struct center *centers,
                             double direction, double t, struct sample *parts)
{
    add_parts(crossed, centers, direction, parts);
    const double n = (double)crossed->count;
    return t * stretch_of(parts, is_delayed(centers), false).high *
           sqrt(sample_variance(parts) / n);
}

// The same of trimmed means: the values that are cut count as the last that are not
// (J. W. Tukey and D. H. McLaughlin, Sankhya A 25 (1963) 331-352).
static double reach_of_trimmed(const struct crossed *crossed, const struct center *centers,
                               double t, struct sample *parts)
{
    add_parts(crossed, centers, 1, parts);
    const double left = (double)(crossed->count - 2 * statistic_trimmed(crossed->count));
    const double squares = sample_variance(parts) * ((double)crossed->count - 1);
    return t * sqrt(squares / (left - 1) / left);
}

static struct interval of_means(struct critical *critical, enum statistic statistic,
                                const struct crossed *crossed, double widen, struct sample *values)
{
    struct center centers[CORNERS] = {0};
    double logarithm = 0;
    find_centers(statistic, crossed, centers, values);
    for (enum corner i = 0; i < CORNERS; i++)
        logarithm += sign[i] * log(centers[i].estimate);
    if (!isfinite(logarithm))
        return interval_unbounded(NAN);
    if (statistic == STATISTIC_TRIMMED) {
        const size_t left = crossed->count - 2 * statistic_trimmed(crossed->count);
        const double t = widen * critical_t(critical, (double)left - 1);
        const double reach = crossed->count < statistic_runs(statistic, critical->confidence)
                                 ? INFINITY
                                 : reach_of_trimmed(crossed, centers, t, values);
        return around(logarithm, reach, reach);
    }
    const double t = widen * critical_t(critical, (double)crossed->count - 1);
    const double down = reach_of_means(crossed, centers, -1, t, values);
    return around(logarithm, down, reach_of_means(crossed, centers, 1, t, values));
}

// A quantile, and how far its bounds are, as logarithms of ratios.
struct part {
    double center, below, above;
};

static bool find_parts(struct critical *critical, enum statistic statistic,
                       const struct crossed *crossed, double widen, struct part *parts,
                       struct sample *values)
{
    for (enum corner i = 0; i < CORNERS; i++) {
        sample_fill(values, crossed->value[i], crossed->count);
        const struct interval one = statistic_location(critical, statistic, values, widen);
        if (!(one.center > 0))
            return false;
        parts[i].center = one.center;
        // An end below 0 is no bound of a logarithm.
        parts[i].below = one.low > 0 ? log(one.center / one.low) : INFINITY;
        parts[i].above = isfinite(one.high) ? log(one.high / one.center) : INFINITY;
    }
    return true;
}

// How far the sum of the four logarithms may be off in that direction.
static double reach_of_quantiles(const struct crossed *crossed, const struct part *parts,
                                 double direction)
{
    double reach[CORNERS], square = 0;
    for (enum corner i = 0; i < CORNERS; i++) {
        reach[i] = direction * sign[i] > 0 ? parts[i].above : parts[i].below;
        if (!isfinite(reach[i]))
            return INFINITY;
        square += reach[i] * reach[i];
    }
    for (enum corner i = 0; i < CORNERS; i++)
        for (enum corner k = i + 1; k < CORNERS; k++)
            square += 2 * sign[i] * sign[k] * reach[i] * reach[k] *
                      statistic_correlation(crossed->value[i], crossed->value[k], crossed->count,
                                            parts[i].center, parts[k].center);
    return sqrt(fmax(square, 0));
}

// Of quantiles, by the intervals of the four.
static struct interval of_intervals(struct critical *critical, enum statistic statistic,
                                    const struct crossed *crossed, double widen,
                                    struct sample *values)
{
    struct part parts[CORNERS] = {0};
    double logarithm = 0;
    if (!find_parts(critical, statistic, crossed, widen, parts, values))
        return interval_unbounded(NAN);
    for (enum corner i = 0; i < CORNERS; i++)
        logarithm += sign[i] * log(parts[i].center);
    return around(logarithm, reach_of_quantiles(crossed, parts, -1),
                  reach_of_quantiles(crossed, parts, 1));
}

// The centre of what the blocks' four values say, and its signed ranks.
static struct interval of_blocks(struct critical *critical, const struct crossed *crossed,
                                 double widen, struct sample *values)
{
    sample_clear(values);
    for (size_t block = 0; block < crossed->count; block++) {
        double logarithm = 0;
        for (enum corner i = 0; i < CORNERS; i++)
            logarithm += sign[i] * log(crossed->value[i][block]);
        if (!isfinite(logarithm))
            return interval_unbounded(NAN);
        sample_add(values, logarithm);
    }
    return typical_of(critical, CHANGE_LOGARITHM, values, widen);
}

struct interval interaction_ratio(struct critical *critical, enum statistic statistic,
                                  const struct crossed *crossed, double widen,
                                  struct sample *values)
{
    if (crossed->count < 2)
        return interval_unbounded(NAN);
    if (statistic == STATISTIC_TYPICAL)
        return of_blocks(critical, crossed, widen, values);
    return statistic == STATISTIC_MEAN || statistic == STATISTIC_TRIMMED
               ? of_means(critical, statistic, crossed, widen, values)
               : of_intervals(critical, statistic, crossed, widen, values);
}
