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

double pressure_mean(const struct pressure_readings *readings, size_t reporter)
{
    return moments_of(readings, reporter).mean;
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
