#include "significance.h"

#include "metrics.h"

#include <math.h>

enum { HALVINGS = 50 };

// Which ratio.
struct figure {
    struct session *session;
    size_t condition, metric;
    enum against against;
};

// The ratio's interval at the confidence 1 - p.
static struct interval interval_at(const void *user, double p)
{
    const struct figure *figure = user;
    struct session *session = figure->session;
    const struct critical own = session->critical;
    critical_init(&session->critical, 1 - p);
    const struct interval ratio =
        metric_ratio(session, figure->condition, figure->against, figure->metric);
    critical_free(&session->critical);
    session->critical = own;
    return ratio;
}

static bool excludes_one(const struct interval *ratio)
{
    return ratio->low > 1 || ratio->high < 1;
}

double significance_of(struct interval (*interval)(const void *user, double p), const void *user)
{
    const struct interval half = interval(user, 0.5), widest = interval(user, SIGNIFICANCE_LEAST);
    if (!isfinite(half.low) || !isfinite(half.high) || !(half.high > half.low))
        return NAN;
    if (excludes_one(&widest))
        return SIGNIFICANCE_LEAST;
    // Intervals of a higher confidence contain those of a lower one.
    double low = log(SIGNIFICANCE_LEAST), high = 0;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        const struct interval ratio = interval(user, exp(middle));
        if (excludes_one(&ratio))
            high = middle;
        else
            low = middle;
    }
    return exp(high);
}

double significance_p(struct session *session, size_t condition, enum against against,
                      size_t metric)
{
    const struct figure figure = {session, condition, metric, against};
    if (session->settings->statistic == STATISTIC_TYPICAL && against != AGAINST_BOTH)
        return metric_effect_p(session, condition, against, metric);
    return significance_of(interval_at, &figure);
}
