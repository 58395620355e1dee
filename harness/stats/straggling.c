// Finds the runs of a session that straggle, and the ratio of the means with bounds that they do
// not spoil.
#include "straggling.h"

#include "interval.h"
#include "metrics.h"
#include "sample.h"
#include "session.h"
#include "stragglers.h"

#include "harness/record/settings.h"

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
    return sample_sorted(sample)[higher_is_better ? i : sample->count - 1 - i];
}

// The runs that shape_outliers() finds on the side that is worse, where they are worse by a
// quarter of the median at least.
static struct stragglers stragglers_of(const struct session *session, size_t condition,
                                       size_t metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    const bool higher = session->settings->metrics.item[metric].higher_is_better;
    const struct outliers outliers = shape_outliers(sample);
    const double median = sample_median(sample);
    struct stragglers found = {.count = higher ? outliers.low : outliers.high,
                               .runs = sample->count,
                               .limit = NAN,
                               .times = NAN};
    while (found.count > 0 &&
           times_worse(worst_of(sample, found.count - 1, higher), median, higher) < least_times)
        found.count--;
    if (found.count > 0) {
        found.limit = worst_of(sample, found.count - 1, higher);
        found.times = times_worse(worst_of(sample, found.count / 2, higher), median, higher);
    }
    stragglers_share(&found, session->critical.confidence);
    return found;
}

static bool is_one(const struct stragglers *of, double value, bool higher_is_better)
{
    return of->count > 0 && (higher_is_better ? value <= of->limit : value >= of->limit);
}

struct straggler_sides stragglers_sides(const struct session *session, struct ratio of)
{
    const size_t reference = settings_reference(session->settings, of.condition, of.against);
    const bool higher = session->settings->metrics.item[of.metric].higher_is_better;
    const struct stragglers own = stragglers_of(session, of.condition, of.metric),
                            other = stragglers_of(session, reference, of.metric);
    return (struct straggler_sides){
        .x = higher ? own : other, .y = higher ? other : own, .higher = higher};
}

double stragglers_pairs_p(const struct pairs *pairs, const struct straggler_sides *sides)
{
    unsigned only_x = 0, only_y = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        const bool x = is_one(&sides->x, pairs->x[i], sides->higher);
        const bool y = is_one(&sides->y, pairs->y[i], sides->higher);
        only_x += x && !y;
        only_y += y && !x;
    }
    return stragglers_p(only_x, only_y, 0.5);
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
                                  enum against against, const struct straggler_sides *sides,
                                  bool cut_x, bool cut_y)
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

struct interval stragglers_mean(struct session *session, struct ratio of)
{
    const struct pairs *pairs = session_pairs(session, of);
    const struct straggler_sides sides = stragglers_sides(session, of);
    const bool open_x = stragglers_needed(&sides.x) > 0, open_y = stragglers_needed(&sides.y) > 0;
    struct interval ratio = mean_ratio(session, pairs, of.against, &sides, false, false);
    if (open_x || open_y) {
        ratio.low = mean_ratio(session, pairs, of.against, &sides, false, open_y).low;
        ratio.high =
            open_y ? NAN : mean_ratio(session, pairs, of.against, &sides, open_x, false).high;
    }
    // Of the reference's stragglers more may come, too.
    if (open_x && !open_y)
        ratio.low = NAN;
    bool all_above = true;
    for (size_t i = 0; i < pairs->count; i++)
        all_above = all_above && pairs->y[i] > pairs->x[i];
    if (!(ratio.low > 0))
        ratio.low = all_above ? 1 : NAN;
    return ratio;
}
