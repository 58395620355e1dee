#include "forecast.h"

#include "location.h"
#include "metrics.h"

#include <math.h>

enum { BLOCKS_NEEDED = 3 };

// The smallest n with error(now) * (t_n / sqrt n) / (t_now / sqrt now) <= settings->error.
static size_t blocks_for(struct session *session, size_t now, double error)
{
    const struct settings *settings = session->settings;
    size_t low = now, high = settings->max_runs;
    double unit = error / critical_t(&session->critical, (double)now - 1) * sqrt((double)now) /
                  location_widening(settings, now);
    while (low < high) {
        size_t n = low + (high - low) / 2;
        double t = critical_t(&session->critical, (double)n - 1) * location_widening(settings, n);
        if (unit * t / sqrt((double)n) <= settings->error)
            high = n;
        else
            low = n + 1;
    }
    return low;
}

// With that standard error of one run, the smallest n whose confidence sequence
// is as narrow as `gap`; max_runs if there is none.
static size_t blocks_to_decide(struct session *session, size_t now, double unit, double gap)
{
    size_t low = now, high = session->settings->max_runs;
    while (low < high) {
        size_t n = low + (high - low) / 2;
        if (unit * critical_sequence(session->critical.confidence, n) / sqrt((double)n) <= gap)
            high = n;
        else
            low = n + 1;
    }
    return low;
}

static bool is_asked(const struct session *session, size_t condition, size_t metric)
{
    return session->settings->metrics[metric].decides &&
           !metric_is_negligible(session, condition, metric);
}

// What the interval of the gate would be of a single pair, over its factor
// critical_sequence.
static double one_run(struct session *session, size_t condition, size_t metric,
                      struct interval *ratio)
{
    const struct pairs *pairs = &session->conditions[condition].pairs[metric];
    const double n = (double)pairs->count;
    if (session->settings->statistic == STATISTIC_MEAN) {
        // With 1 in the place of t the half-width is the standard error.
        *ratio = interval_ratio(pairs, 1, 1);
        return ratio->error * ratio->center * sqrt(n);
    }
    *ratio = metric_ratio(session, condition, metric);
    return ratio->error * ratio->center * sqrt(n) /
           critical_sequence(session->critical.confidence, pairs->count);
}

// The gate ends when one load is above the limit, or else when all are below.
static size_t blocks_for_gate(struct session *session, size_t now)
{
    const struct settings *settings = session->settings;
    size_t below = now, above = settings->max_runs;
    bool is_above = false;
    for (size_t i = 1; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metric_count; m++) {
            if (i == settings_aa(settings) || !is_asked(session, i, m))
                continue;
            struct interval ratio;
            double unit = one_run(session, i, m, &ratio);
            double gap = fabs(ratio.center - settings->at_most);
            size_t blocks =
                isfinite(unit) ? blocks_to_decide(session, now, unit, gap) : settings->max_runs;
            if (ratio.center > settings->at_most) {
                is_above = true;
                above = blocks < above ? blocks : above;
            } else {
                below = blocks > below ? blocks : below;
            }
        }
    return is_above ? above : below;
}

long forecast_runs(struct session *session, double worst_error)
{
    const struct settings *settings = session->settings;
    size_t now = session_blocks(session), width = settings->condition_count;
    if (now < BLOCKS_NEEDED)
        return -1;
    size_t blocks = settings_has_gate(settings) ? blocks_for_gate(session, now)
                    : isfinite(worst_error)     ? blocks_for(session, now, worst_error)
                                                : settings->max_runs;
    if (blocks < settings->min_runs)
        blocks = settings->min_runs;
    if (blocks <= now && session->count % width == 0)
        blocks = now + 1;
    size_t total = (blocks + session_left_out(session)) * width;
    return total > session->count ? (long)(total - session->count) : 0;
}
