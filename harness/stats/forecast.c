#include "forecast.h"

#include "gate.h"
#include "location.h"
#include "metrics.h"
#include "typical.h"

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

static double t_of_look(struct session *session, size_t n)
{
    return critical_t(metric_critical(session, n), (double)n - 1);
}

// With that standard error of one run, the smallest n at which a look is as narrow as `gap`;
// max_runs if there is none.
static size_t blocks_to_decide(struct session *session, size_t now, double unit, double gap)
{
    size_t low = now, high = session->settings->max_runs;
    while (low < high) {
        size_t n = low + (high - low) / 2;
        if (unit * t_of_look(session, n) / sqrt((double)n) <= gap)
            high = n;
        else
            low = n + 1;
    }
    return low;
}

static bool is_asked(const struct session *session, size_t condition, size_t metric)
{
    return session->settings->metrics.item[metric].decides &&
           !metric_is_negligible(session, condition, metric);
}

// What the interval of the gate would be of a single pair, over its factor t.
static double one_run(struct session *session, size_t condition, size_t metric,
                      struct interval *ratio)
{
    const enum against against = settings_decides_by(session->settings);
    const struct pairs *pairs = &session->conditions[condition].pairs[against][metric];
    const double n = (double)pairs->count;
    if (session->settings->statistic == STATISTIC_MEAN) {
        // With 1 in the place of t the half-width is the standard error.
        *ratio = interval_ratio(pairs, 1, 1);
        return ratio->error * ratio->center * sqrt(n);
    }
    *ratio = metric_ratio(session, condition, against, metric);
    if (session->settings->statistic == STATISTIC_TYPICAL)
        return ratio->center * typical_error_of_one(pairs);
    return ratio->error * ratio->center * sqrt(n) / t_of_look(session, session_blocks(session));
}

// How far a bound may be from the ratio for --same-within to know what it is: away from 1,
// or within the limit on both sides.
static double gap_of_relation(const struct settings *settings, double ratio)
{
    const double away = fabs(ratio - 1);
    return fmax(away, settings->same_within - away);
}

// Blocks until one ratio that decides is above --at-most, or else until all is known.
struct outlook {
    size_t above, rest;
    bool is_above;
};

static void add_outlook(struct session *session, size_t condition, size_t metric, size_t now,
                        struct outlook *outlook)
{
    const struct settings *settings = session->settings;
    struct interval ratio;
    const double unit = one_run(session, condition, metric, &ratio);
    const double gap = settings->at_most > 0 ? fabs(ratio.center - settings->at_most) : INFINITY;
    const double own =
        settings->same_within > 0 ? gap_of_relation(settings, ratio.center) : INFINITY;
    const bool known = isfinite(unit);
    if (settings->at_most > 0 && ratio.center > settings->at_most) {
        const size_t blocks =
            known ? blocks_to_decide(session, now, unit, gap) : settings->max_runs;
        outlook->is_above = true;
        outlook->above = blocks < outlook->above ? blocks : outlook->above;
        return;
    }
    const size_t blocks =
        known ? blocks_to_decide(session, now, unit, fmin(gap, own)) : settings->max_runs;
    outlook->rest = blocks > outlook->rest ? blocks : outlook->rest;
}

static size_t blocks_for_gate(struct session *session, size_t now)
{
    const struct settings *settings = session->settings;
    struct outlook outlook = {.above = settings->max_runs, .rest = now};
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (gate_decides(settings, i) && is_asked(session, i, m))
                add_outlook(session, i, m, now, &outlook);
    return outlook.is_above ? outlook.above : outlook.rest;
}

// The largest relative error that the typical ratios will have after so many blocks: known before
// there are enough for an interval.
static double error_of_few(struct session *session, size_t now)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    double worst = 0;
    for (size_t i = 0; i < settings->condition_count; i++)
        for (size_t m = 0; m < settings->metrics.count; m++)
            if (settings_compares(settings, i, against) && is_asked(session, i, m))
                worst =
                    fmax(worst, typical_error_of_one(&session->conditions[i].pairs[against][m]));
    return settings->statistic == STATISTIC_TYPICAL && settings->condition_count > 1
               ? worst * critical_t(&session->critical, (double)now - 1) / sqrt((double)now)
               : INFINITY;
}

long forecast_runs(struct session *session, double worst_error)
{
    const struct settings *settings = session->settings;
    size_t now = session_blocks(session), width = settings->condition_count;
    if (now < BLOCKS_NEEDED)
        return -1;
    if (!isfinite(worst_error))
        worst_error = error_of_few(session, now);
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
