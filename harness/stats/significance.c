#include "significance.h"

#include "metrics.h"

#include <math.h>

enum { HALVINGS = 50 };

// The ratio's interval at the confidence 1 - p.
static struct interval interval_at(struct session *session, size_t condition, size_t metric,
                                   double p)
{
    const struct critical own = session->critical;
    critical_init(&session->critical, 1 - p);
    const struct interval ratio = metric_ratio(session, condition, metric);
    critical_free(&session->critical);
    session->critical = own;
    return ratio;
}

static bool excludes_one(struct session *session, size_t condition, size_t metric, double p)
{
    const struct interval ratio = interval_at(session, condition, metric, p);
    return ratio.low > 1 || ratio.high < 1;
}

double significance_p(struct session *session, size_t condition, size_t metric)
{
    const struct interval half = interval_at(session, condition, metric, 0.5);
    if (!isfinite(half.low) || !isfinite(half.high) || !(half.high > half.low))
        return NAN;
    if (excludes_one(session, condition, metric, SIGNIFICANCE_LEAST))
        return SIGNIFICANCE_LEAST;
    // Intervals of a higher confidence contain those of a lower one.
    double low = log(SIGNIFICANCE_LEAST), high = 0;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (excludes_one(session, condition, metric, exp(middle)))
            high = middle;
        else
            low = middle;
    }
    return exp(high);
}
