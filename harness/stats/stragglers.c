#include "stragglers.h"

#include "metrics.h"
#include "sample.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

// Worse than the median by so much: below, a run is an oddity (FLAG_OUTLIERS), and no straggler.
static const double least_times = 1.25;

static double times_worse(double value, double median, bool higher_is_better)
{
    return higher_is_better ? median / value : value / median;
}

// The i-th worst of the values, from 0.
static double worst_of(const struct sample *sample, size_t i, bool higher_is_better)
{
    return sample->sorted[higher_is_better ? i : sample->count - 1 - i];
}

struct stragglers stragglers_of(const struct session *session, size_t condition, size_t metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    const bool higher = session->settings->metrics.item[metric].higher_is_better;
    const struct outliers outliers = shape_outliers(sample);
    const double median = sample_median(sample), tail = (1 - session->critical.confidence) / 2;
    struct stragglers found = {.count = higher ? outliers.low : outliers.high,
                               .runs = sample->count,
                               .limit = NAN,
                               .times = NAN,
                               .high = 1};
    while (found.count > 0 &&
           times_worse(worst_of(sample, found.count - 1, higher), median, higher) < least_times)
        found.count--;
    const double count = (double)found.count, others = (double)(found.runs - found.count);
    if (found.count > 0) {
        found.limit = worst_of(sample, found.count - 1, higher);
        found.times = times_worse(worst_of(sample, found.count / 2, higher), median, higher);
        found.low = gsl_cdf_beta_Pinv(tail, count, others + 1);
    }
    if (others > 0)
        found.high = gsl_cdf_beta_Qinv(tail, count + 1, others);
    return found;
}

size_t stragglers_needed(const struct stragglers *stragglers)
{
    if (stragglers->count == 0 || stragglers->count >= STRAGGLERS_KNOWN)
        return 0;
    return stragglers->runs * STRAGGLERS_KNOWN / stragglers->count;
}

static bool is_one(const struct stragglers *of, double value, bool higher_is_better)
{
    return of->count > 0 && (higher_is_better ? value <= of->limit : value >= of->limit);
}

// A pair's two stragglers: x's are those of the condition where higher is better.
struct sides {
    struct stragglers x, y;
    bool higher;
};

static struct sides sides_of(const struct session *session, size_t condition, enum against against,
                             size_t metric)
{
    const size_t reference = settings_reference(session->settings, condition, against);
    const bool higher = session->settings->metrics.item[metric].higher_is_better;
    const struct stragglers own = stragglers_of(session, condition, metric),
                            other = stragglers_of(session, reference, metric);
    return (struct sides){.x = higher ? own : other, .y = higher ? other : own, .higher = higher};
}

double stragglers_p(const struct session *session, size_t condition, enum against against,
                    size_t metric)
{
    const struct pairs *pairs = &session->conditions[condition].pairs[against][metric];
    const struct sides sides = sides_of(session, condition, against, metric);
    unsigned only_x = 0, only_y = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const bool x = is_one(&sides.x, pairs->x[i], sides.higher);
        const bool y = is_one(&sides.y, pairs->y[i], sides.higher);
        only_x += x && !y;
        only_y += y && !x;
    }
    if (only_x + only_y == 0)
        return 1;
    const unsigned fewer = only_x < only_y ? only_x : only_y;
    return fmin(2 * gsl_cdf_binomial_P(fewer, 0.5, only_x + only_y), 1);
}

// The longest of the values that are no stragglers: what a straggler is cut to.
static double cut(const struct stragglers *of, const double *value, size_t n, bool higher)
{
    double longest = higher ? INFINITY : -INFINITY;
    for (size_t i = 0; i < n; i++)
        if (!is_one(of, value[i], higher))
            longest = higher ? fmin(longest, value[i]) : fmax(longest, value[i]);
    return longest;
}

// The interval of the ratio of the means, with the stragglers of x, of y, or of neither cut.
static struct interval mean_ratio(struct session *session, const struct pairs *pairs,
                                  enum against against, const struct sides *sides, bool cut_x,
                                  bool cut_y)
{
    const double most_x = cut(&sides->x, pairs->x, pairs->count, sides->higher);
    const double most_y = cut(&sides->y, pairs->y, pairs->count, sides->higher);
    struct pairs rest = {0};
    for (size_t i = 0; i < pairs->count; i++) {
        const bool x = cut_x && is_one(&sides->x, pairs->x[i], sides->higher);
        const bool y = cut_y && is_one(&sides->y, pairs->y[i], sides->higher);
        pairs_add(&rest, x ? most_x : pairs->x[i], y ? most_y : pairs->y[i]);
    }
    const struct interval ratio = metric_mean_ratio(session, &rest, against, sides->higher);
    pairs_free(&rest);
    return ratio;
}

static bool all_above_one(const struct pairs *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        if (!(pairs->y[i] > pairs->x[i]))
            return false;
    return true;
}

struct interval stragglers_mean(struct session *session, size_t condition, enum against against,
                                size_t metric)
{
    const struct pairs *pairs = &session->conditions[condition].pairs[against][metric];
    const struct sides sides = sides_of(session, condition, against, metric);
    const bool open_x = stragglers_needed(&sides.x) > 0, open_y = stragglers_needed(&sides.y) > 0;
    struct interval ratio = mean_ratio(session, pairs, against, &sides, false, false);
    if (open_x || open_y) {
        ratio.low = mean_ratio(session, pairs, against, &sides, false, open_y).low;
        ratio.high = open_y ? NAN : mean_ratio(session, pairs, against, &sides, open_x, false).high;
    }
    // Of the reference's stragglers more may come, too.
    if (open_x && !open_y)
        ratio.low = NAN;
    if (!(ratio.low > 0))
        ratio.low = all_above_one(pairs) ? 1 : NAN;
    return ratio;
}
