#include "figures.h"

#include "gate.h"

#include <math.h>

static const double tick_s = 0.010; // of the slowest common kernel, HZ=100
static const double small_share = 0.01;

struct location figure_location(struct session *session, size_t condition, enum metric metric)
{
    const struct settings *settings = session->settings;
    return location_estimate(&session->critical, &session->conditions[condition].metric[metric],
                             settings_is_sequential(settings), settings_dependent_z(settings));
}

struct interval figure_ratio(struct session *session, size_t condition, enum metric metric)
{
    const struct settings *settings = session->settings;
    const struct pairs *pairs = &session->conditions[condition].pairs[metric];
    if (settings->at_most > 0)
        return interval_ratio(pairs, gate_critical(session->critical.confidence, pairs->count));
    double widen = location_widening(pairs->count, settings_is_sequential(settings));
    return interval_ratio(pairs, widen * critical_t(&session->critical, (double)pairs->count - 1));
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
                                     ? figure_location(session, condition, m).interval
                                     : figure_ratio(session, condition, m);
        worst = fmax(worst, figure.error);
    }
    return worst;
}
