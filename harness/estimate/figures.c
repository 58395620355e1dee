#include "figures.h"

#include <math.h>

static const double tick_s = 0.010; // of the slowest common kernel, HZ=100
static const double small_share = 0.01;

struct interval figure_mean(struct session *session, size_t condition, enum metric metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    return interval_mean(&session->critical, sample->mean, sample_variance(sample), sample->count,
                         1);
}

struct interval figure_ratio(struct session *session, size_t condition, enum metric metric)
{
    const struct pairs *pairs = &session->conditions[condition].pairs[metric];
    return interval_ratio(pairs, critical_t(&session->critical, (double)pairs->count - 1));
}

static bool is_small(const struct condition *condition, enum metric metric)
{
    double mean = condition->metric[metric].mean;
    return mean < tick_s || mean < small_share * condition->metric[WALL_S].mean;
}

bool figure_is_negligible(const struct session *session, size_t condition, enum metric metric)
{
    const struct condition *one = &session->conditions[condition], *base = session->conditions;
    if (one->metric[metric].count == 0 || base->metric[metric].count == 0)
        return one->runs > 0;
    if (metric != USER_S && metric != SYSTEM_S)
        return false;
    return is_small(one, metric) && is_small(base, metric);
}

double figure_worst_error(struct session *session, size_t condition)
{
    double worst = 0;
    for (enum metric m = 0; m < METRICS; m++) {
        if (!session->settings->metric[m] || figure_is_negligible(session, condition, m))
            continue;
        struct interval figure = session->settings->condition_count == 1
                                     ? figure_mean(session, condition, m)
                                     : figure_ratio(session, condition, m);
        worst = fmax(worst, figure.error);
    }
    return worst;
}
