#include "threshold.h"

#include <math.h>
#include <stdbool.h>

enum { PASSES = 8, RESCALE = 32, BISECTIONS = 40 };
enum { LINE, HYPERBOLA };
enum axis { THETA, SLOPE, NOISE, AXES };

static const double near = THRESHOLD_NEAR;
static const double lapse = 0.05;                  // runs that fail at any rate
static const double guess = 0.01;                  // runs that keep the objective at any rate
static const double stray = 0.05 / THRESHOLD_NEAR; // the density of such runs' y
static const double beyond = 0.6931471805599453;   // of the range's ends: log 2
static const double least_slope = 0.2, most_slope = 200;
static const double least_noise = 0.002, most_noise = 1;
static const double negligible = 1e-4;   // of the largest mass: outside the window
static const double least_step = 0.0005; // of x: a run's rate need not be finer

// Where the grid is: of theta, log slope and log noise.
struct window {
    double low[AXES], high[AXES];
};

// The place of a mass in its row.
struct place {
    size_t shape, slope, noise;
};

static struct place place_of(size_t k)
{
    return (struct place){k / (THRESHOLD_SIDE * THRESHOLD_SIDE),
                          k / THRESHOLD_SIDE % THRESHOLD_SIDE, k % THRESHOLD_SIDE};
}

static double theta_of(const struct threshold *threshold, size_t cell)
{
    return threshold->first + (double)cell * threshold->step;
}

// The logistic distribution function.
static double logistic(double u)
{
    return u > 40 ? 1 : u < -40 ? 0 : 1 / (1 + exp(-u));
}

static double curve(size_t shape, double slope, double from_theta)
{
    if (shape == LINE)
        return slope * from_theta;
    const double left = 1 - slope * expm1(from_theta); // of the distance to the pole
    return -log(fmax(left, 1e-9));
}

// The probability (density) of a trial's y.
static double chance(double y, double center, double scale)
{
    const double sure = 1 - lapse - guess;
    if (y >= near)
        return lapse + sure * logistic((center - near) / scale);
    if (y <= -near)
        return guess + sure * logistic((-near - center) / scale);
    const double below = logistic((y - center) / scale);
    return sure * below * (1 - below) / scale + (lapse + guess) * stray;
}

// Adds the logarithms of a trial's chances to those of a row.
static void weigh(const struct threshold *threshold, const struct trial *trial, size_t cell,
                  double *product)
{
    double center = 0;
    for (size_t k = 0; k < THRESHOLD_ROW; k++) {
        const struct place place = place_of(k);
        const double slope = threshold->slope[place.slope];
        if (place.noise == 0)
            center = curve(place.shape, slope, trial->x - theta_of(threshold, cell));
        // What is narrower than the grid would fall between its cells.
        const double scale = fmax(threshold->noise[place.noise], slope * threshold->step / 2);
        product[k] *= chance(trial->y, center, scale);
    }
}

static void fill_row(struct threshold *threshold, size_t cell, const struct trial *trials,
                     size_t count)
{
    double product[THRESHOLD_ROW], *logs = threshold->joint[cell];
    for (size_t k = 0; k < THRESHOLD_ROW; k++) {
        product[k] = 1;
        logs[k] = 0;
    }
    for (size_t i = 0; i < count; i++) {
        weigh(threshold, &trials[i], cell, product);
        // Before it underflows.
        for (size_t k = 0; (i % RESCALE == RESCALE - 1 || i + 1 == count) && k < THRESHOLD_ROW;
             k++) {
            logs[k] += log(product[k]);
            product[k] = 1;
        }
    }
}

// From logarithms to masses that sum to 1.
static void normalize(struct threshold *threshold)
{
    double most = -INFINITY, sum = 0;
    for (size_t i = 0; i < THRESHOLD_CELLS; i++)
        for (size_t k = 0; k < THRESHOLD_ROW; k++)
            most = fmax(most, threshold->joint[i][k]);
    for (size_t i = 0; i < THRESHOLD_CELLS; i++)
        for (size_t k = 0; k < THRESHOLD_ROW; k++)
            sum += threshold->joint[i][k] = exp(threshold->joint[i][k] - most);
    for (size_t i = 0; i < THRESHOLD_CELLS; i++) {
        threshold->mass[i] = 0;
        for (size_t k = 0; k < THRESHOLD_ROW; k++)
            threshold->mass[i] += threshold->joint[i][k] /= sum;
    }
}

static double side_of(const struct window *window, enum axis axis, size_t i)
{
    const double width = window->high[axis] - window->low[axis];
    return exp(window->low[axis] + width * ((double)i + 0.5) / THRESHOLD_SIDE);
}

static void fill(struct threshold *threshold, const struct window *window,
                 const struct trial *trials, size_t count)
{
    threshold->step = (window->high[THETA] - window->low[THETA]) / THRESHOLD_CELLS;
    threshold->first = window->low[THETA] + threshold->step / 2;
    for (size_t i = 0; i < THRESHOLD_SIDE; i++) {
        threshold->slope[i] = side_of(window, SLOPE, i);
        threshold->noise[i] = side_of(window, NOISE, i);
    }
    for (size_t i = 0; i < THRESHOLD_CELLS; i++)
        fill_row(threshold, i, trials, count);
    normalize(threshold);
}

// Makes an axis of the window as narrow as its mass, with a cell more at each end. Whether
// it became a good deal narrower.
static bool narrow(struct window *window, enum axis axis, const double *mass, size_t cells)
{
    const double from = window->low[axis], width = window->high[axis] - from;
    const double step = width / (double)cells;
    double most = 0;
    size_t first = cells, last = 0;
    for (size_t i = 0; i < cells; i++)
        most = fmax(most, mass[i]);
    for (size_t i = 0; i < cells; i++) {
        if (mass[i] < negligible * most)
            continue;
        first = i < first ? i : first;
        last = i;
    }
    window->low[axis] = fmax(from, from + ((double)first - 1) * step);
    window->high[axis] = fmin(from + width, from + ((double)last + 2) * step);
    return window->high[axis] - window->low[axis] < 0.7 * width;
}

static bool narrow_all(const struct threshold *threshold, struct window *window)
{
    double slope[THRESHOLD_SIDE] = {0}, noise[THRESHOLD_SIDE] = {0};
    for (size_t i = 0; i < THRESHOLD_CELLS; i++)
        for (size_t k = 0; k < THRESHOLD_ROW; k++) {
            slope[place_of(k).slope] += threshold->joint[i][k];
            noise[place_of(k).noise] += threshold->joint[i][k];
        }
    const bool theta = narrow(window, THETA, threshold->mass, THRESHOLD_CELLS);
    const bool slopes = narrow(window, SLOPE, slope, THRESHOLD_SIDE);
    return narrow(window, NOISE, noise, THRESHOLD_SIDE) || theta || slopes;
}

void threshold_fit(struct threshold *threshold, const struct stimuli *range,
                   const struct trial *trials, size_t count)
{
    struct window window = {
        .low = {range->low - beyond, log(least_slope), log(least_noise)},
        .high = {range->high + beyond, log(most_slope), log(most_noise)},
    };
    for (size_t pass = 0; pass < PASSES; pass++) {
        fill(threshold, &window, trials, count);
        if (!narrow_all(threshold, &window))
            return;
    }
}

double threshold_below(const struct threshold *threshold, double theta)
{
    double below = 0;
    for (size_t i = 0; i < THRESHOLD_CELLS; i++) {
        const double part = (theta - theta_of(threshold, i)) / threshold->step + 0.5;
        if (part <= 0)
            break;
        below += threshold->mass[i] * fmin(part, 1);
    }
    return below;
}

double threshold_quantile(const struct threshold *threshold, double share)
{
    double below = 0;
    for (size_t i = 0; i < THRESHOLD_CELLS; i++) {
        const double mass = threshold->mass[i];
        if (mass > 0 && below + mass >= share)
            return theta_of(threshold, i) + ((share - below) / mass - 0.5) * threshold->step;
        below += mass;
    }
    return theta_of(threshold, THRESHOLD_CELLS - 1) + threshold->step / 2;
}

// The probability that a run at x keeps the objective, as far as is known.
static double keeps_at(const struct threshold *threshold, double x)
{
    double keeps = 0;
    for (size_t i = 0; i < THRESHOLD_CELLS; i++)
        for (size_t k = 0; k < THRESHOLD_ROW; k++) {
            const struct place place = place_of(k);
            if (threshold->joint[i][k] < negligible / THRESHOLD_ROW)
                continue;
            const double center =
                curve(place.shape, threshold->slope[place.slope], x - theta_of(threshold, i));
            keeps += threshold->joint[i][k] * logistic(-center / threshold->noise[place.noise]);
        }
    return guess + (1 - lapse - guess) * keeps;
}

double threshold_next(const struct threshold *threshold, const struct stimuli *range, double keeps)
{
    double low = range->low, high = range->high;
    if (keeps_at(threshold, high) >= keeps)
        return high;
    if (keeps_at(threshold, low) <= keeps)
        return low;
    while (high - low > least_step) {
        const double middle = (low + high) / 2;
        if (keeps_at(threshold, middle) >= keeps)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}

double threshold_difference(const struct threshold *a, const struct threshold *b, double share)
{
    double low = a->first - theta_of(b, THRESHOLD_CELLS);
    double high = theta_of(a, THRESHOLD_CELLS) - b->first;
    for (size_t i = 0; i < BISECTIONS; i++) {
        const double middle = (low + high) / 2;
        double below = 0;
        for (size_t j = 0; j < THRESHOLD_CELLS; j++)
            below += b->mass[j] * threshold_below(a, theta_of(b, j) + middle);
        if (below < share)
            low = middle;
        else
            high = middle;
    }
    return (low + high) / 2;
}
