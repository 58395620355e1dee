#include "metrics.h"

#include "series.h"

#include <math.h>

static const double tick_s = 0.010; // of the slowest common kernel, HZ=100
static const double small_share = 0.01;

// How likely dependence is held to be before the runs are seen. More in the
// rule would cost more runs where there is none (docs/statistics.md); what is
// reported can be more cautious as long as it keeps within the error of the settings.
static const double rule_prior = 0.1, report_prior = 0.5;

static struct location estimate(struct session *session, size_t condition, enum metric metric,
                                double factor)
{
    return location_estimate(&session->critical, &session->conditions[condition].metric[metric],
                             settings_is_sequential(session->settings), factor);
}

struct location metric_location(struct session *session, size_t condition, enum metric metric)
{
    const struct settings *settings = session->settings;
    const size_t n = session->conditions[condition].metric[metric].count;
    const size_t every = settings->condition_count;
    struct dependence seen = series_dependence(session, metric);
    double report = dependence_factor(&seen, report_prior, n, every);
    if (every > 1) // the means do not decide: nothing holds them to an error
        return estimate(session, condition, metric, report);
    double rule = dependence_factor(&seen, rule_prior, n, every);
    struct location location = estimate(session, condition, metric, rule);
    if (settings_is_sequential(settings))
        location_admit(&location, sqrt(report / rule), settings->error);
    return location;
}

double metric_mean_variance(const struct session *session, size_t condition, enum metric metric)
{
    const struct settings *settings = session->settings;
    const struct sample *sample = &session->conditions[condition].metric[metric];
    double variance = sample_variance(sample) / (double)sample->count;
    if (!settings_is_sequential(settings))
        return variance;
    struct dependence seen = series_dependence(session, metric);
    double factor = dependence_factor(&seen, rule_prior, sample->count, settings->condition_count);
    return variance * fmax(factor, pow(location_widening(sample->count, true), 2));
}

// The error of a lone condition as the stopping rule sees it.
static double rule_error(struct session *session, enum metric metric)
{
    struct dependence seen = series_dependence(session, metric);
    double factor =
        dependence_factor(&seen, rule_prior, session->conditions[0].metric[metric].count, 1);
    return estimate(session, 0, metric, factor).interval.error;
}

double metric_dependence(const struct session *session, enum metric metric)
{
    struct dependence seen = series_dependence(session, metric);
    return dependence_probability(&seen, report_prior);
}

double metric_rho(const struct session *session, enum metric metric)
{
    struct dependence seen = series_dependence(session, metric);
    return dependence_rho(&seen, report_prior);
}

struct interval metric_ratio(struct session *session, size_t condition, enum metric metric)
{
    const struct settings *settings = session->settings;
    const struct pairs *pairs = &session->conditions[condition].pairs[metric];
    if (settings_has_gate(settings))
        return interval_ratio(pairs, critical_sequence(session->critical.confidence, pairs->count));
    double widen = location_widening(pairs->count, settings_is_sequential(settings));
    return interval_ratio(pairs, widen * critical_t(&session->critical, (double)pairs->count - 1));
}

static bool is_small(const struct condition *condition, enum metric metric)
{
    double mean = condition->metric[metric].mean;
    return mean < tick_s || mean < small_share * condition->metric[WALL_S].mean;
}

bool metric_is_negligible(const struct session *session, size_t condition, enum metric metric)
{
    const struct condition *one = &session->conditions[condition], *base = session->conditions;
    if (one->metric[metric].count == 0 || base->metric[metric].count == 0)
        return one->runs > 0;
    if (metric != USER_S && metric != SYSTEM_S)
        return false;
    return is_small(one, metric) && is_small(base, metric);
}

double metric_worst_error(struct session *session, size_t condition)
{
    double worst = 0;
    for (enum metric m = 0; m < METRICS; m++) {
        if (!session->settings->metric[m] || metric_is_negligible(session, condition, m))
            continue;
        worst = fmax(worst, session->settings->condition_count == 1
                                ? rule_error(session, m)
                                : metric_ratio(session, condition, m).error);
    }
    return worst;
}

double metric_noise_floor(struct session *session, enum metric metric)
{
    size_t aa = settings_aa(session->settings);
    if (aa == 0)
        return 0;
    struct interval ratio = metric_ratio(session, aa, metric);
    return isfinite(ratio.error) ? fmax(1 - ratio.low, ratio.high - 1) : INFINITY;
}

bool metric_is_distinguishable(struct session *session, size_t condition, enum metric metric)
{
    struct interval ratio = metric_ratio(session, condition, metric);
    bool away = ratio.low > 1 || ratio.high < 1;
    bool above = condition == settings_aa(session->settings) ||
                 fabs(ratio.center - 1) > metric_noise_floor(session, metric);
    return away && above;
}
