#include "steady.h"

#include <math.h>

/* fio 3.33, steadystate.c: slope = (Sxy - Sx Sy / n) / (Sxx - Sx Sx / n) with
 * x = 0, 1, ... n-1, and for a limit in percent 100 slope / mean. Written with
 * the deviations from the means here: the same number, less cancellation. */
static double slope_of(const double *samples, size_t count, double mean)
{
    double middle = ((double)count - 1) / 2, products = 0, squares = 0;

    for (size_t i = 0; i < count; i++) {
        double x = (double)i - middle;

        products += x * (samples[i] - mean);
        squares += x * x;
    }
    return squares > 0 && mean > 0 ? 100 * products / squares / mean : 0;
}

struct steady steady_of(const double *samples, size_t count)
{
    struct steady result = {0};
    double sum = 0, squares = 0;

    if (count == 0)
        return result;
    result.minimum = result.maximum = samples[0];
    for (size_t i = 0; i < count; i++) {
        sum += samples[i];
        result.minimum = fmin(result.minimum, samples[i]);
        result.maximum = fmax(result.maximum, samples[i]);
    }
    result.mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        squares += (samples[i] - result.mean) * (samples[i] - result.mean);
    result.sd = count > 1 ? sqrt(squares / ((double)count - 1)) : 0;
    result.slope = slope_of(samples, count, result.mean);
    result.steady = count >= 3 && result.mean > 0 && fabs(result.slope) < STEADY_SLOPE_LIMIT;
    return result;
}
