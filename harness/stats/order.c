#include "order.h"

#include <math.h>

static void fit_line(const double *value, size_t n, double mean, double squares,
                     struct order *order)
{
    double count = (double)n, middle = (count - 1) / 2, xy = 0;
    double xx = count * (count * count - 1) / 12;
    for (size_t i = 0; i < n; i++)
        xy += ((double)i - middle) * (value[i] - mean);
    double slope = xy / xx, rest = fmax(squares - slope * xy, 1e-12 * squares);
    order->trend = slope * (count - 1);
    order->trend_t = slope / sqrt(rest / (count - 2) / xx);
}

static void find_step(const double *value, size_t n, double mean, double squares,
                      struct order *order)
{
    double before = 0, count = (double)n;
    for (size_t k = 1; k < n; k++) {
        before += value[k - 1] - mean;
        double first = (double)k, last = count - first;
        double gap = -before / last - before / first;
        double between = gap * gap * first * last / count;
        double rest = fmax(squares - between, 1e-12 * squares);
        double t = copysign(sqrt(between / (rest / (count - 2))), gap);
        // A single run at either end is an outlier or a warm-up, no step.
        if (k >= 2 && k + 2 <= n && fabs(t) > fabs(order->step_t)) {
            order->step_t = t;
            order->step = gap;
            order->step_at = k;
        }
    }
}

static double first_against_rest(const double *value, size_t n)
{
    double mean = 0, squares = 0, count = 0;
    for (size_t i = n / 2; i < n; i++) {
        double delta = value[i] - mean;
        mean += delta / ++count;
        squares += delta * (value[i] - mean);
    }
    double sd = sqrt(squares / (count - 1) * (1 + 1 / count));
    return sd > 0 ? (value[0] - mean) / sd : 0;
}

static void find_moments(const double *value, size_t n, double *mean, double *squares)
{
    *mean = *squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double delta = value[i] - *mean;
        *mean += delta / (double)(i + 1);
        *squares += delta * (value[i] - *mean);
    }
}

double order_trend_t(const double *value, size_t n)
{
    double mean, squares;
    struct order order = {0};
    find_moments(value, n, &mean, &squares);
    if (n >= 4 && squares > 0)
        fit_line(value, n, mean, squares, &order);
    return order.trend_t;
}

struct order order_analyse(const double *value, size_t n)
{
    double mean, squares;
    struct order order = {0};
    find_moments(value, n, &mean, &squares);
    if (n < 4 || !(squares > 0))
        return order;
    fit_line(value, n, mean, squares, &order);
    find_step(value, n, mean, squares, &order);
    order.first_z = first_against_rest(value, n);
    return order;
}
