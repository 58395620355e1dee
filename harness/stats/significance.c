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
static struct interval interval_at(const struct figure *figure, double p)
{
    struct session *session = figure->session;
    const struct critical own = session->critical;
    critical_init(&session->critical, 1 - p);
    const struct interval ratio =
        metric_ratio(session, figure->condition, figure->against, figure->metric);
    critical_free(&session->critical);
    session->critical = own;
    return ratio;
}

static bool excludes_one(const struct figure *figure, double p)
{
    const struct interval ratio = interval_at(figure, p);
    return ratio.low > 1 || ratio.high < 1;
}

double significance_p(struct session *session, size_t condition, enum against against,
                      size_t metric)
{
    const struct figure figure = {session, condition, metric, against};
    const struct interval half = interval_at(&figure, 0.5);
    if (!isfinite(half.low) || !isfinite(half.high) || !(half.high > half.low))
        return NAN;
    if (excludes_one(&figure, SIGNIFICANCE_LEAST))
        return SIGNIFICANCE_LEAST;
    // Intervals of a higher confidence contain those of a lower one.
    double low = log(SIGNIFICANCE_LEAST), high = 0;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        if (excludes_one(&figure, exp(middle)))
            high = middle;
        else
            low = middle;
    }
    return exp(high);
}
