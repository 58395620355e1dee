#include "oddities.h"

#include "carry_over.h"
#include "metrics.h"
#include "order.h"
#include "shape.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

// Thresholds by simulation: of independent normal samples that the stopping
// rule ends, each flags about 1 % (docs/statistics.md).
static const double warm_z = 4.5, step_t = 4.0, trend_p = 0.01;
// Probability from which on runs are called dependent. A lone mean
// is all there is; among others it is only context, and false alarms are worse.
static const double dependent_alone = 0.4, dependent_among = 0.8;
static const double coarse_share = 0.5; // clock step over standard deviation
static const double variance_ratio_p = 0.001;
static const double variance_ratio_least = 4;
enum { ORDER_FROM = 6, MODES_FROM = 10 };

static unsigned bit(enum flag flag, bool set)
{
    return set ? 1U << flag : 0;
}

// What changes the mean by less than this is not worth a word.
static double least_share(const struct settings *settings)
{
    return fmin(0.01, settings->error / 5);
}

static bool has_outliers(const struct sample *sample, double least)
{
    struct outliers outliers = shape_outliers(sample);
    double median = sample_median(sample), off = 0;
    if (outliers.high > 0)
        off = sample->sorted[sample->count - 1] - median;
    if (outliers.low > 0)
        off = fmax(off, median - sample->sorted[0]);
    return off > least * fabs(median);
}

static bool has_modes(const struct sample *sample, double least)
{
    struct split split = shape_split(sample);
    size_t n = sample->count, upper = n - split.lower;
    size_t fewer = split.lower < upper ? split.lower : upper;
    return n >= MODES_FROM && fewer >= 2 && 10 * fewer > n &&
           split.high_mean - split.low_mean > least * fabs(sample->mean);
}

static unsigned shape_flags(const struct sample *sample, double least, bool is_time)
{
    double step = shape_step(sample), variance = sample_variance(sample);
    bool same = sample->count >= 3 && !(variance > 0);
    return bit(FLAG_OUTLIERS, has_outliers(sample, least)) |
           bit(FLAG_TWO_MODES, has_modes(sample, least)) |
           bit(FLAG_COARSE_CLOCK, is_time && (same || step > coarse_share * sqrt(variance)));
}

// `worse`: 1 where what warms up begins above the rest, -1 where it begins below.
static unsigned order_flags(const struct sample *sample, double least, bool dependent, double worse)
{
    struct order order = order_analyse(sample->value, sample->count);
    if (sample->count < ORDER_FROM || !(sample_variance(sample) > pow(least * sample->mean, 2)))
        return 0;
    double df = (double)sample->count - 2;
    bool trend = 2 * gsl_cdf_tdist_Q(fabs(order.trend_t), df) < trend_p;
    bool step = fabs(order.step_t) > step_t * (1 + 3 / df);
    return bit(FLAG_WARM_UP, worse * order.first_z > warm_z) | bit(FLAG_TREND, trend) |
           bit(FLAG_STEP, step) | bit(FLAG_AUTOCORRELATION, dependent);
}

static bool is_dependent(const struct session *session, size_t metric)
{
    bool alone = session->settings->condition_count == 1;
    return metric_dependence(session, metric) > (alone ? dependent_alone : dependent_among);
}

// The load itself makes the program's times vary: an F test that normal values
// would fail once in a thousand, and a difference that is worth a word.
static bool load_varies(const struct session *session, size_t condition, size_t metric)
{
    const size_t alone = settings_variant(session->settings, condition);
    const struct sample *base = &session->conditions[alone].metric[metric];
    const struct sample *loaded = &session->conditions[condition].metric[metric];
    if (condition == alone || base->count < ORDER_FROM || loaded->count < ORDER_FROM)
        return false;
    double base_cv2 = sample_variance(base) / (base->mean * base->mean);
    double loaded_cv2 = sample_variance(loaded) / (loaded->mean * loaded->mean);
    if (!(loaded_cv2 > variance_ratio_least * base_cv2) || !(base_cv2 > 0))
        return false;
    return gsl_cdf_fdist_Q(loaded_cv2 / base_cv2, (double)loaded->count - 1,
                           (double)base->count - 1) < variance_ratio_p;
}

// What a load leaves behind is said once, not for each variant.
static bool tells_carry_over(struct session *session, size_t condition, size_t metric)
{
    return settings_variant(session->settings, condition) == 0 &&
           carry_over_shows(session, condition, metric);
}

// Against what it is compared with.
static bool is_unsteady(struct session *session, size_t condition, size_t metric)
{
    for (enum against against = 0; against < PAIRINGS; against++)
        if (settings_compares(session->settings, condition, against) &&
            metric_is_unsteady(session, condition, against, metric))
            return true;
    return false;
}

bool oddities_unsteady(struct session *session, size_t condition, size_t metric)
{
    for (size_t i = 0; i < session->settings->condition_count; i++)
        for (enum against against = 0; against < PAIRINGS; against++)
            if ((i == condition ||
                 settings_reference(session->settings, i, against) == condition) &&
                settings_compares(session->settings, i, against) &&
                metric_is_unsteady(session, i, against, metric))
                return true;
    return false;
}

unsigned oddities_find(struct session *session, size_t condition, size_t metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    if (sample->count < 3)
        return 0;
    const struct settings *settings = session->settings;
    const double least = least_share(settings);
    const double worse = settings->metrics.item[metric].higher_is_better ? -1 : 1;
    // What moves with time hides in a small spread longer than what does not.
    return shape_flags(sample, least, metrics_is_time(&settings->metrics, metric)) |
           order_flags(sample, least / 10, is_dependent(session, metric), worse) |
           bit(FLAG_LOAD_VARIANCE, load_varies(session, condition, metric)) |
           bit(FLAG_CARRY_OVER, tells_carry_over(session, condition, metric)) |
           bit(FLAG_UNSTEADY, is_unsteady(session, condition, metric));
}
