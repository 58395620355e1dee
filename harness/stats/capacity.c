// Finds the rate at which a service no longer keeps its objectives, from runs at several rates.
#include "capacity.h"
#include "interval.h"

#include "common/memory.h"

#include <math.h>
#include <stdlib.h>

// The rate at which a service no longer keeps an objective, from runs at several rates, each
// with the distance of its figure from the limit. A noisy root, searched adaptively.
//
// x is the logarithm of a rate, y that of figure / limit: y < 0 keeps the objective. Near
// the threshold theta a run has
//   y = curve(x - theta) + noise * logistic noise,    curve(0) = 0, slope `slope` at 0
// where the curve is a line, or the hyperbola by which an open queue's latency grows,
// 1 / (capacity - rate). Only runs with |y| < THRESHOLD_NEAR say more than whether they kept
// it: far above, latency grows with the run's length, and a run that timed out has no figure.
// They count by the probability to be above (below), as in a censored regression. A few runs
// fail at any rate (a hiccup of the machine), and fewer keep it at any.
//
// Theta, slope, noise and the curve's shape are unknown and have a posterior on a grid whose
// cells become narrow where the mass is. Priors: uniform in theta over the range and a factor 2
// beyond each end (so that "below" and "above" are answers, too), in log slope and log noise; each
// shape 1/2. All but theta is averaged over. Adaptive estimation of a threshold by such a
// posterior: A. B. Watson and D. G. Pelli, "QUEST: A Bayesian adaptive psychometric method",
// Percept. Psychophys. 33 (1983) 113-120; L. L. Kontsevich and C. W. Tyler, "Bayesian
// adaptive estimation of psychometric slope and threshold", Vision Res. 39 (1999) 2729-2737.
// Probabilistic bisection (R. Waeber, P. I. Frazier and S. G. Henderson, "Bisection search
// with noisy responses", SIAM J. Control Optim. 51 (2013) 2261-2279) has no magnitudes, and
// needs a known error rate of the answers, which near a threshold is one half. How often the
// intervals hold is found by simulation (bats-tests/simulate/capacity.c).

struct trial {
    double x, y; // y may be INFINITY or -INFINITY
};

// Where x may be; low < high.
struct stimuli {
    double low, high;
};

#define THRESHOLD_NEAR 0.4 // a factor of 1.5

enum { THRESHOLD_CELLS = 44, THRESHOLD_SIDE = 6, THRESHOLD_SHAPES = 2 };
enum { THRESHOLD_ROW = THRESHOLD_SHAPES * THRESHOLD_SIDE * THRESHOLD_SIDE };

struct threshold {
    double edge[THRESHOLD_CELLS + 1]; // of theta: cell i is from edge i to the next
    double mass[THRESHOLD_CELLS];     // of theta alone; sums to 1
    double slope[THRESHOLD_SIDE], noise[THRESHOLD_SIDE];
    double joint[THRESHOLD_CELLS][THRESHOLD_ROW]; // of shape, slope, noise, in this order
};

enum { TAIL = 9, PASSES = 6, RESCALE = 32, BISECTIONS = 40 };
enum { LINE, HYPERBOLA };
enum axis { SLOPE, NOISE, AXES };

static const double near = THRESHOLD_NEAR;
static const double lapse = 0.05;                  // runs that fail at any rate
static const double guess = 0.01;                  // runs that keep the objective at any rate
static const double stray = 0.05 / THRESHOLD_NEAR; // the density of such runs' y
static const double beyond = 0.6931471805599453;   // of the range's ends: log 2
static const double least_slope = 0.2, most_slope = 200;
static const double least_noise = 0.002, most_noise = 1;
static const double most_doubt = 0.5;    // noise / slope: the width in x of what is in doubt
static const double margin = 0.5;        // cells that stay at each end of the grid
static const double outside = 0.002;     // of the mass, at each end: outside the equal cells
static const double rare = 1e-6;         // a mass that changes no prediction
static const double negligible = 1e-2;   // of the largest mass: outside the window
static const double least_step = 0.0005; // of x: a run's rate need not be finer

// Where the grid is: of log slope and log noise.
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

static double width_of(const struct threshold *threshold, size_t cell)
{
    return threshold->edge[cell + 1] - threshold->edge[cell];
}

static double theta_of(const struct threshold *threshold, size_t cell)
{
    return (threshold->edge[cell] + threshold->edge[cell + 1]) / 2;
}

// The logistic distribution function, from a table: it is all that a fit does.
enum { STEPS = 1024, REACH = 20 };

struct logistic {
    double value[STEPS + 2];
};

static double logistic(const struct logistic *table, double u)
{
    const double at = u * (STEPS / (2.0 * REACH)) + STEPS / 2;
    if (at <= 0 || at >= STEPS)
        return at <= 0 ? table->value[0] : table->value[STEPS];
    const int cell = (int)at;
    return table->value[cell] + (at - cell) * (table->value[cell + 1] - table->value[cell]);
}

static double curve(size_t shape, double slope, double from_theta)
{
    if (shape == LINE)
        return slope * from_theta;
    const double left = 1 - slope * expm1(from_theta); // of the distance to the pole
    return -log(fmax(left, 1e-9));
}

// One pass over the grid: how much it is blurred, in widths of a cell. At first that finds
// where the mass is; in the end it would only add some where there is none.
struct pass {
    struct logistic table;
    struct window window;
    double blur;
};

// The probability (density) of a trial's y; `per` is 1 / the noise.
static double chance(const struct logistic *table, double y, double center, double per)
{
    const double sure = 1 - lapse - guess;
    if (y >= near)
        return lapse + sure * logistic(table, (center - near) * per);
    if (y <= -near)
        return guess + sure * logistic(table, (-near - center) * per);
    const double below = logistic(table, (y - center) * per);
    return sure * below * (1 - below) * per + (lapse + guess) * stray;
}

// Multiplies a row's products by the chances of a trial.
static void weigh(const struct threshold *threshold, const struct logistic *table,
                  const struct trial *trial, double theta, const double *per, double *product)
{
    for (size_t k = 0; k < THRESHOLD_ROW; k += THRESHOLD_SIDE) {
        const struct place place = place_of(k);
        const double center = curve(place.shape, threshold->slope[place.slope], trial->x - theta);
        for (size_t n = 0; n < THRESHOLD_SIDE; n++)
            product[k + n] *= chance(table, trial->y, center, per[k + n]);
    }
}

static void fill_row(struct threshold *threshold, const struct pass *pass, size_t cell,
                     const struct trial *trials, size_t count)
{
    double product[THRESHOLD_ROW], per[THRESHOLD_ROW], *logs = threshold->joint[cell];
    const double width = width_of(threshold, cell);
    for (size_t k = 0; k < THRESHOLD_ROW; k++) {
        const struct place place = place_of(k);
        // What is narrower than the grid would fall between its cells.
        per[k] = 1 / fmax(threshold->noise[place.noise],
                          pass->blur * threshold->slope[place.slope] * width);
        product[k] = 1;
        const double doubt = threshold->noise[place.noise] / threshold->slope[place.slope];
        logs[k] = doubt <= most_doubt ? log(width) : -INFINITY; // the prior
    }
    for (size_t i = 0; i < count; i++) {
        weigh(threshold, &pass->table, &trials[i], theta_of(threshold, cell), per, product);
        // Before it underflows.
        for (size_t k = 0; (i % RESCALE == RESCALE - 1 || i + 1 == count) && k < THRESHOLD_ROW;
             k++) {
            logs[k] += log(product[k]);
            product[k] = 1;
        }
    }
}

static void fill(struct threshold *threshold, const struct pass *pass, const struct trial *trials,
                 size_t count)
{
    const struct window *window = &pass->window;
    for (enum axis axis = 0; axis < AXES; axis++)
        for (size_t i = 0; i < THRESHOLD_SIDE; i++)
            (axis == SLOPE ? threshold->slope : threshold->noise)[i] =
                exp(window->low[axis] +
                    (window->high[axis] - window->low[axis]) * ((double)i + 0.5) / THRESHOLD_SIDE);
    for (size_t i = 0; i < THRESHOLD_CELLS; i++)
        fill_row(threshold, pass, i, trials, count);
    // From logarithms to masses that sum to 1.
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

// How much of the posterior lies below that theta.
static double threshold_below(const struct threshold *threshold, double theta)
{
    double below = 0;
    for (size_t i = 0; i < THRESHOLD_CELLS && theta > threshold->edge[i]; i++)
        below +=
            threshold->mass[i] * fmin((theta - threshold->edge[i]) / width_of(threshold, i), 1);
    return below;
}

// The theta below which lies that share of the posterior.
static double threshold_quantile(const struct threshold *threshold, double share)
{
    double below = 0;
    for (size_t i = 0; i < THRESHOLD_CELLS; i++) {
        const double mass = threshold->mass[i];
        if (mass > 0 && below + mass >= share)
            return threshold->edge[i] + (share - below) / mass * width_of(threshold, i);
        below += mass;
    }
    return threshold->edge[THRESHOLD_CELLS];
}

// How far from the equal cells, with that step, the i-th edge of the outer ones is: at first
// in steps as wide as theirs, and at `all` in the end.
static double tail_edge(double step, double all, size_t i)
{
    const double part = (double)i / TAIL, growth = all / (step * TAIL);
    return growth > 1 ? part * step * TAIL * pow(growth, part) : part * all;
}

// Puts the edges: equal cells in the core, and outside of it cells that grow to the ends, so
// that none is much wider than its neighbour.
static void place_edges(double *edge, const struct stimuli *all, const struct stimuli *core)
{
    enum { CORE = THRESHOLD_CELLS - 2 * TAIL };
    const double step = (core->high - core->low) / CORE;
    for (size_t i = 0; i < CORE; i++)
        edge[TAIL + i] = core->low + step * (double)i;
    edge[TAIL + CORE] = core->high; // exactly, as no cell may have a negative width
    for (size_t i = 1; i <= TAIL; i++) {
        edge[TAIL - i] = core->low - tail_edge(step, core->low - all->low, i);
        edge[TAIL + CORE + i] = core->high + tail_edge(step, all->high - core->high, i);
    }
}

// Makes the equal cells as narrow as nearly all of the mass, with a margin. Whether they
// became a good deal narrower.
static bool refine(struct threshold *threshold, const struct stimuli *all, struct stimuli *core)
{
    const double from = threshold_quantile(threshold, outside);
    const double to = threshold_quantile(threshold, 1 - outside), before = core->high - core->low;
    core->low = fmax(from - 0.15 * (to - from), all->low);
    core->high = fmin(to + 0.15 * (to - from), all->high);
    place_edges(threshold->edge, all, core);
    return core->high - core->low < 0.8 * before;
}

// Makes an axis of the window as narrow as its mass, with a margin at each end. Whether it
// became a good deal narrower.
static bool narrow(struct window *window, enum axis axis, const double *mass)
{
    const double from = window->low[axis], width = window->high[axis] - from;
    const double step = width / THRESHOLD_SIDE;
    double most = 0;
    size_t first = THRESHOLD_SIDE, last = 0;
    for (size_t i = 0; i < THRESHOLD_SIDE; i++)
        most = fmax(most, mass[i]);
    for (size_t i = 0; i < THRESHOLD_SIDE; i++) {
        if (mass[i] < negligible * most)
            continue;
        first = i < first ? i : first;
        last = i;
    }
    window->low[axis] = fmax(from, from + ((double)first - margin) * step);
    window->high[axis] = fmin(from + width, from + ((double)last + 1 + margin) * step);
    return window->high[axis] - window->low[axis] < 0.8 * width;
}

// Passes until the grid has found its place.
static void settle(struct threshold *threshold, struct pass *pass, const struct stimuli *all,
                   const struct trial *trials, size_t count)
{
    struct stimuli core = {threshold->edge[TAIL], threshold->edge[THRESHOLD_CELLS - TAIL]};
    for (size_t i = 1;; i++) {
        fill(threshold, pass, trials, count);
        struct threshold next = *threshold;
        double slope[THRESHOLD_SIDE] = {0}, noise[THRESHOLD_SIDE] = {0};
        for (size_t cell = 0; cell < THRESHOLD_CELLS; cell++)
            for (size_t k = 0; k < THRESHOLD_ROW; k++) {
                slope[place_of(k).slope] += threshold->joint[cell][k];
                noise[place_of(k).noise] += threshold->joint[cell][k];
            }
        const bool slopes = narrow(&pass->window, SLOPE, slope);
        const bool sides = narrow(&pass->window, NOISE, noise) || slopes;
        if ((!refine(&next, all, &core) && !sides) || i == PASSES)
            return;
        *threshold = next;
    }
}

// The posterior after those trials, of which there may be none.
static void threshold_fit(struct threshold *threshold, const struct stimuli *range,
                          const struct trial *trials, size_t count)
{
    const struct stimuli all = {range->low - beyond, range->high + beyond};
    struct pass pass = {.window = {.low = {log(least_slope), log(least_noise)},
                                   .high = {log(most_slope), log(most_noise)}},
                        .blur = 0.25};
    for (size_t i = 0; i < STEPS + 2; i++)
        pass.table.value[i] = 1 / (1 + exp(REACH - 2.0 * REACH * (double)i / STEPS));
    for (size_t i = 0; i <= THRESHOLD_CELLS; i++)
        threshold->edge[i] = all.low + (all.high - all.low) * (double)i / THRESHOLD_CELLS;
    settle(threshold, &pass, &all, trials, count);
    pass.blur = 0;
    settle(threshold, &pass, &all, trials, count);
}

// The probability that a run at x keeps the objective, as far as is known.
static double keeps_at(const struct threshold *threshold, double x)
{
    double keeps = 0;
    for (size_t i = 0; i < THRESHOLD_CELLS; i++)
        for (size_t k = 0; k < THRESHOLD_ROW; k++) {
            const struct place place = place_of(k);
            if (threshold->joint[i][k] < rare)
                continue;
            const double center =
                curve(place.shape, threshold->slope[place.slope], x - theta_of(threshold, i));
            keeps += threshold->joint[i][k] / (1 + exp(center / threshold->noise[place.noise]));
        }
    return guess + (1 - lapse - guess) * keeps;
}

// The x in the range whose run will keep the objective with that probability; an end of
// the range, if none has it.
static double threshold_next(const struct threshold *threshold, const struct stimuli *range,
                             double keeps)
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

// The quantile of theta of `a` minus theta of `b`, which are independent.
static double threshold_difference(const struct threshold *a, const struct threshold *b,
                                   double share)
{
    double low = a->edge[0] - b->edge[THRESHOLD_CELLS];
    double high = a->edge[THRESHOLD_CELLS] - b->edge[0];
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

// How likely the next run is to keep the objectives, from block to block: in the middle the
// answer is least known, at the sides runs show the slope and the noise.
static const double chances[] = {0.5, 0.15, 0.5, 0.85};
enum { CHANCES = sizeof chances / sizeof *chances };

static const double known = 1; // an error above this is none

// The share of the posterior outside of an interval, over 1 - confidence: an interval that ends
// the search when it is narrow is too narrow a little more often than one that does not. By
// simulation (simulate --tables capacity).
static const double early = 0.6;

struct capacity_fit {
    struct threshold threshold;
    size_t of; // so many of the condition's runs and one more; 0: not fitted
};

static struct stimuli range_of(const struct settings *settings)
{
    return (struct stimuli){log(settings->vary.low), log(settings->vary.high)};
}

static bool is_trial(const struct observation *run)
{
    return !isnan(run->x) && !isnan(run->y);
}

// The posterior of a condition, fitted again once it has more runs.
static const struct threshold *posterior(struct session *session, size_t condition)
{
    if (!session->fits)
        session->fits = must(calloc(session->settings->condition_count, sizeof *session->fits));
    struct capacity_fit *one = &session->fits[condition];
    if (one->of == session->conditions[condition].seen + 1)
        return &one->threshold;
    OWNED struct trial *trials = must(calloc(session->count + 1, sizeof *trials));
    const struct stimuli range = range_of(session->settings);
    size_t count = 0;
    EACH_USED (run, session, condition)
        if (is_trial(run))
            trials[count++] = (struct trial){run->x, run->y};
    threshold_fit(&one->threshold, &range, trials, count);
    one->of = session->conditions[condition].seen + 1;
    return &one->threshold;
}

// The largest value that keeps the objectives is an integer where all are.
static double settle_value(const struct vary *vary, double theta)
{
    const double value = exp(theta);
    return vary->whole ? floor(value) : value;
}

struct capacity capacity_of(struct session *session, size_t condition)
{
    const struct settings *settings = session->settings;
    const struct threshold *threshold = posterior(session, condition);
    const double side = early * (1 - settings->confidence) / 2;
    struct capacity capacity = {.value = NAN, .low = NAN, .high = NAN, .error = INFINITY};
    EACH_USED (run, session, condition) {
        if (!is_trial(run))
            continue;
        capacity.runs++;
        capacity.kept += run->y < 0 ? 1 : 0;
        capacity.timed_out += run->missed ? 1 : 0;
    }
    if (capacity.runs == 0)
        return capacity;
    const struct stimuli range = range_of(settings);
    const double middle = threshold_quantile(threshold, 0.5);
    const double below = threshold_below(threshold, range.low);
    const double above = 1 - threshold_below(threshold, range.high);
    capacity.value = settle_value(&settings->vary, middle);
    capacity.low = settle_value(&settings->vary, threshold_quantile(threshold, side));
    capacity.high = settle_value(&settings->vary, threshold_quantile(threshold, 1 - side));
    if (middle < range.low)
        capacity.bound = CAPACITY_BELOW;
    else if (middle >= range.high)
        capacity.bound = CAPACITY_AT_LEAST;
    capacity.is_sure =
        capacity.bound != CAPACITY_INSIDE && fmax(below, above) >= settings->confidence;
    if (capacity.bound == CAPACITY_INSIDE)
        capacity.error = (capacity.high - capacity.low) / 2 / capacity.value;
    else if (capacity.is_sure)
        capacity.error = 0;
    return capacity;
}

double capacity_error(struct session *session)
{
    double worst = 0;
    for (size_t i = 0; i < session->settings->condition_count; i++)
        worst = fmax(worst, capacity_of(session, i).error);
    return worst < known ? worst : INFINITY;
}

double capacity_next(struct session *session, size_t condition, size_t block)
{
    const struct stimuli range = range_of(session->settings);
    const struct threshold *threshold = posterior(session, condition);
    return vary_value(&session->settings->vary,
                      threshold_next(threshold, &range, chances[(block - 1) % CHANCES]));
}

long capacity_forecast(struct session *session, double error)
{
    const struct settings *settings = session->settings;
    const double now = (double)session_blocks(session), width = (double)settings->condition_count;
    if (!(error < known) || now < 1)
        return -1;
    double blocks = fmax(ceil(now * pow(error / settings->error, 2)), (double)settings->min_runs);
    blocks = fmax(fmin(blocks, (double)settings->max_runs), now + 1);
    const double total = (blocks + (double)session_left_out(session)) * width;
    return (long)fmax(total - (double)session->count, 0);
}

struct interval capacity_ratio(struct session *session, size_t condition, size_t reference)
{
    const double side = early * (1 - session->settings->confidence) / 2;
    const struct threshold *a = posterior(session, condition), *b = posterior(session, reference);
    if (capacity_of(session, condition).bound != CAPACITY_INSIDE ||
        capacity_of(session, reference).bound != CAPACITY_INSIDE)
        return interval_unbounded(NAN);
    return interval_between(exp(threshold_difference(a, b, 0.5)),
                            exp(threshold_difference(a, b, side)),
                            exp(threshold_difference(a, b, 1 - side)));
}
