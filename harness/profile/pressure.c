#include "pressure.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// Mean and variance of a reporter over the blocks that have it.
struct moments {
    size_t n;
    double mean, variance; // of one block, with n - 1; NAN below two
};

static double at(const struct pressure_readings *readings, size_t block, size_t reporter)
{
    return readings->log_ratio[block * readings->reporters + reporter];
}

static struct moments moments_of(const struct pressure_readings *readings, size_t reporter)
{
    struct moments moments = {0, 0, NAN};
    double squares = 0;
    for (size_t b = 0; b < readings->blocks; b++) {
        const double value = at(readings, b, reporter), delta = value - moments.mean;
        if (!isfinite(value))
            continue;
        moments.mean += delta / (double)++moments.n;
        squares += delta * (value - moments.mean);
    }
    if (moments.n == 0)
        moments.mean = NAN;
    if (moments.n > 1)
        moments.variance = squares / (double)(moments.n - 1);
    return moments;
}

void pressure_reporters(struct program_profile *profile, const struct pressure_readings *readings)
{
    profile->reporters = 0;
    for (size_t r = 0; r < readings->reporters && r < PROFILE_REPORTERS; r++) {
        const struct moments moments = moments_of(readings, r);
        struct profile_reporter *one = &profile->reporter[profile->reporters++];
        *one = (struct profile_reporter){.log_ratio = moments.mean, .n = moments.n};
        snprintf(one->name, sizeof one->name, "%s", readings->name[r]);
        one->sd = sqrt(moments.variance / (double)moments.n);
        one->low = one->high = NAN;
        if (moments.n > 1) {
            const double t =
                gsl_cdf_tdist_Pinv(0.5 + profile->confidence / 2, (double)moments.n - 1);
            one->low = one->log_ratio - t * one->sd;
            one->high = one->log_ratio + t * one->sd;
        }
    }
}

// Their correlation over the blocks that have both; 0 where few have.
static double correlation(const struct pressure_readings *readings, size_t a, size_t b)
{
    double mean_a = 0, mean_b = 0, aa = 0, bb = 0, ab = 0;
    size_t n = 0;
    for (size_t i = 0; i < readings->blocks; i++) {
        const double x = at(readings, i, a), y = at(readings, i, b);
        if (!isfinite(x) || !isfinite(y))
            continue;
        const double dx = x - mean_a, dy = y - mean_b, count = (double)++n;
        mean_a += dx / count;
        mean_b += dy / count;
        aa += dx * (x - mean_a);
        bb += dy * (y - mean_b);
        ab += dx * (y - mean_b);
    }
    return n > 2 && aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

// By how much correlations are multiplied: 1 - sum of their variances / sum of their squares,
// with the variance (1 - r^2)^2 / (n - 1) of each.
static double shrinkage(const struct pressure_readings *readings)
{
    double variances = 0, squares = 0;
    for (size_t a = 0; a < readings->reporters; a++)
        for (size_t b = 0; b < a; b++) {
            const double r = correlation(readings, a, b), rest = 1 - r * r;
            variances += rest * rest / fmax((double)readings->blocks - 1, 1);
            squares += r * r;
        }
    return squares > 0 ? fmax(0, 1 - variances / squares) : 0;
}

// The index of a reporter that has an error; readings->reporters: none.
static size_t find(const struct pressure_readings *readings, const char *name)
{
    for (size_t r = 0; r < readings->reporters; r++)
        if (strcmp(readings->name[r], name) == 0)
            return moments_of(readings, r).n > 1 ? r : readings->reporters;
    return readings->reporters;
}

static void clear(struct invert_reading *reading)
{
    *reading = (struct invert_reading){0};
    for (size_t i = 0; i < INVERT_REPORTERS; i++)
        reading->log_ratio[i] = NAN;
}

// The variance of a mean as one that is known would have to be for the same interval. One
// without variation is not taken for exact.
static double known_variance(const struct moments *moments, double confidence)
{
    static const double least = 1e-8;
    const double t = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, (double)moments->n - 1);
    const double z = gsl_cdf_ugaussian_Pinv(0.5 + confidence / 2);
    return fmax(moments->variance / (double)moments->n * (t / z) * (t / z), least);
}

void pressure_reading(struct invert_reading *reading, const struct pressure_readings *readings,
                      double confidence, const char *const *names, size_t count)
{
    const double shrunk = shrinkage(readings);
    size_t index[INVERT_REPORTERS];
    clear(reading);
    for (size_t i = 0; i < count && i < INVERT_REPORTERS; i++) {
        index[i] = find(readings, names[i]);
        if (index[i] == readings->reporters)
            continue;
        const struct moments moments = moments_of(readings, index[i]);
        reading->log_ratio[i] = moments.mean;
        reading->covariance[i][i] = known_variance(&moments, confidence);
    }
    for (size_t i = 0; i < count && i < INVERT_REPORTERS; i++)
        for (size_t k = 0; k < i; k++) {
            if (!isfinite(reading->log_ratio[i]) || !isfinite(reading->log_ratio[k]))
                continue;
            const double both = sqrt(reading->covariance[i][i] * reading->covariance[k][k]);
            reading->covariance[i][k] = reading->covariance[k][i] =
                shrunk * correlation(readings, index[i], index[k]) * both;
        }
}

void pressure_reading_of(struct invert_reading *reading, const double *log_ratio, const double *sd,
                         size_t count)
{
    clear(reading);
    for (size_t i = 0; i < count && i < INVERT_REPORTERS; i++) {
        if (!isfinite(log_ratio[i]) || !(sd[i] > 0))
            continue;
        reading->log_ratio[i] = log_ratio[i];
        reading->covariance[i][i] = sd[i] * sd[i];
    }
}

bool pressure_levels(struct program_profile *profile, const struct invert_curves *curves,
                     const char *const *kind_names, const struct invert_reading *reading,
                     double *misfit_p)
{
    struct inversion inversion;
    profile->levels = 0;
    *misfit_p = NAN;
    if (!invert_levels(curves, reading, profile->confidence, &inversion))
        return false;
    *misfit_p = inversion.misfit_p;
    for (size_t k = 0; k < curves->kinds && k < SENSITIVITY_KINDS; k++) {
        const struct invert_level *from = &inversion.level[k];
        if (!from->known)
            continue;
        struct profile_level *to = &profile->level[profile->levels++];
        *to = (struct profile_level){.level = from->level,
                                     .low = from->lo,
                                     .high = from->hi,
                                     .open = from->open,
                                     .beyond = from->beyond,
                                     .seen = from->seen};
        snprintf(to->kind, sizeof to->kind, "%s", kind_names[k]);
    }
    return profile->levels > 0;
}
