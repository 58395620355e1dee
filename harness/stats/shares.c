#include "shares.h"

#include <math.h>

// Below this part of its time a target's own CPU time and waiting here say nothing
// of what it took the rest for: docker and ssh, which wait for others, use some percent.
static const double least_present = 0.10;
// But where they make up this part of the extra time, they do.
static const double most_of_it = 0.5;
// What its interval does not keep above 0 is not worth a word below this part of all.
static const double small_part = 0.10;
// Stalls and clocks are read one after the other: a little too much is no overlap.
static const double overlapping_from = 1.05;

// The pairs of runs.
struct given {
    const struct times *before, *after;
    size_t n;
    struct threads threads;
    double before_s; // mean wall time alone
};

static const enum cause waits[] = {HOST, CPU, MEMORY, IO};
enum { WAITS = sizeof waits / sizeof *waits };

static double extra_s(const struct given *given, size_t i, enum cause cause)
{
    return times_part_s(&given->after[i], cause, &given->threads) -
           times_part_s(&given->before[i], cause, &given->threads);
}

static struct interval scaled(struct interval interval, double factor)
{
    interval.center *= factor;
    interval.low *= factor;
    interval.high *= factor;
    return interval;
}

// Points that those extra times are, in percent of the time alone; empties the pairs.
static struct interval points_of(struct pairs *pairs, struct critical *critical)
{
    const double t = critical_t(critical, (double)pairs->count - 1);
    const struct interval points = scaled(interval_ratio(pairs, t, t), 100);
    pairs_free(pairs);
    return points;
}

// Points of one cause; NAN where a run does not say.
static struct interval measure(const struct given *given, enum cause cause,
                               struct critical *critical)
{
    struct pairs pairs = {0};
    for (size_t i = 0; i < given->n; i++)
        pairs_add(&pairs, given->before[i].wall_s, extra_s(given, i, cause));
    return points_of(&pairs, critical);
}

// Points that the shares leave over, each cause's times `scale`.
static struct interval measure_rest(const struct given *given, const double *scale,
                                    struct critical *critical)
{
    struct pairs pairs = {0};
    for (size_t i = 0; i < given->n; i++) {
        double rest_s = given->after[i].wall_s - given->before[i].wall_s;
        for (enum cause k = 0; k < UNEXPLAINED; k++)
            rest_s -= scale[k] > 0 ? scale[k] * extra_s(given, i, k) : 0;
        pairs_add(&pairs, given->before[i].wall_s, rest_s);
    }
    return points_of(&pairs, critical);
}

static enum stall_source weakest(const struct given *given)
{
    enum stall_source source = SOURCE_CGROUP;
    for (size_t i = 0; i < given->n; i++) {
        source = given->before[i].source < source ? given->before[i].source : source;
        source = given->after[i].source < source ? given->after[i].source : source;
    }
    return source;
}

// Points that the machine's stalls allow; NAN where a run does not know them.
static double allowed(const struct given *given, enum cause cause)
{
    double allowed_s = 0;
    for (size_t i = 0; i < given->n; i++)
        allowed_s += given->after[i].at_most_s[cause];
    return allowed_s / (double)given->n / given->before_s * 100;
}

// Where the target's own figures leave a cause open.
static void bound(struct shares *shares, const struct given *given)
{
    for (enum cause k = CPU; k <= IO; k++) {
        const double most = allowed(given, k);
        const bool open = isnan(shares->interval[k].center) || (k == CPU && shares->is_more);
        if (open && !isnan(most))
            shares->at_most[k] = fmin(shares->points[k] + shares->points[UNEXPLAINED], most);
    }
}

// The larger of the two that are left without the largest.
static double middle(double a, double b, double c)
{
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

// What each share is multiplied by. CPU time is exact and goes first; the waits
// share what it leaves.
static void share_out(struct shares *shares, double *scale)
{
    const double *points = shares->points;
    double claims = 0;
    for (size_t i = 0; i < WAITS; i++)
        claims += points[waits[i]];
    scale[EXECUTION] = points[EXECUTION] > 0 ? fmin(shares->total / points[EXECUTION], 1) : 0;
    const double rest = fmax(shares->total - scale[EXECUTION] * points[EXECUTION], 0);
    shares->is_overlapping = claims > overlapping_from * rest &&
                             middle(points[CPU], points[MEMORY], points[IO]) > rest / 10;
    for (size_t i = 0; i < WAITS; i++)
        scale[waits[i]] = points[waits[i]] > 0 ? fmin(rest / claims, 1) : 0;
}

// One without bounds (NAN) is not.
static bool is_worth_saying(const struct interval *interval, double total)
{
    return interval->low > 0 || (isfinite(interval->low) && interval->center >= small_part * total);
}

static void measure_shares(struct shares *shares, const struct given *given,
                           struct critical *critical)
{
    double scale[CAUSES] = {0}, explained = 0;
    for (enum cause k = 0; k < UNEXPLAINED; k++) {
        shares->interval[k] = measure(given, k, critical);
        shares->points[k] =
            is_worth_saying(&shares->interval[k], shares->total) ? shares->interval[k].center : 0;
    }
    share_out(shares, scale);
    for (enum cause k = 0; k < UNEXPLAINED; k++) {
        if (scale[k] > 0)
            shares->interval[k] = scaled(shares->interval[k], scale[k]);
        shares->points[k] *= scale[k];
        explained += shares->points[k];
    }
    shares->points[UNEXPLAINED] = fmax(shares->total - explained, 0);
    shares->interval[UNEXPLAINED] = measure_rest(given, scale, critical);
    shares->ambiguous =
        shares->is_overlapping ||
        (shares->several && shares->points[CPU] + shares->points[MEMORY] + shares->points[IO] > 0);
    shares->attributed =
        shares->present >= least_present || explained >= most_of_it * shares->total;
}

static void give_up(struct shares *shares)
{
    for (enum cause k = 0; k < CAUSES; k++)
        shares->points[k] = k == UNEXPLAINED ? shares->total : 0;
}

struct shares shares_of(const struct times *before, const struct times *after, size_t n,
                        struct critical *critical)
{
    const struct sums alone = times_sum(before, n), loaded = times_sum(after, n);
    const struct threads quiet = threads_of(&alone), busy = threads_of(&loaded);
    const bool several = quiet.several || busy.several;
    const struct given given = {
        .before = before,
        .after = after,
        .n = n,
        .threads = {.one = quiet.one && busy.one,
                    .several = several,
                    .busy = several ? threads_busy(&alone) : 1},
        .before_s = alone.wall_s / (double)n,
    };
    const enum stall_source source = weakest(&given);
    struct shares shares = {
        .present = fmin((loaded.cpu_s + loaded.waits_s) / loaded.wall_s, 1),
        .total = (loaded.wall_s / alone.wall_s - 1) * 100,
        .at_most = {NAN, NAN, NAN, NAN, NAN, NAN},
        .source = source,
        .is_more = source == SOURCE_SCHEDSTAT && !given.threads.one,
        .several = several,
        .moves = alone.cpus > 1 || loaded.cpus > 1,
        .threads = given.threads.busy,
    };
    measure_shares(&shares, &given, critical);
    if (shares.attributed)
        bound(&shares, &given);
    else
        give_up(&shares);
    for (enum cause k = 0; k < CAUSES; k++)
        shares.seconds[k] = shares.points[k] / 100 * given.before_s;
    return shares;
}
