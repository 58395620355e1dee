// Estimates each metric of a condition, as far as its runs depend on each other, and says whether
// it is known well enough.

#include "metrics.h"
#include "looks.h"

#include "signs.h"

#include "common/memory.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>

static const double tick_s = 0.010; // of the slowest common kernel, HZ=100
static const double small_share = 0.01;

// How likely dependence is held to be before the runs are seen: in the rule, where
// more would cost more runs where there is none (docs/statistics.md), and in the
// interval that is to hold under dependence, too.
static const double rule_prior = 0.03, robust_prior = 0.5;

// How the runs depend on each other: with several conditions each run counts by its deviation
// from its own condition, in that condition's standard deviations, since what moves the machine
// moves them all. Runs far off count as less far: a straggler says nothing of its neighbours.
static struct dependence series_of(const struct session *session, size_t metric)
{
    const size_t kinds = session->settings->condition_count;
    double reach[MAX_CONDITIONS];
    OWNED double *value = must(malloc((session->count + 1) * sizeof *value));
    size_t count = 0;
    for (size_t i = 0; i < kinds; i++)
        reach[i] = series_reach(&session->conditions[i].metric[metric]);
    for (size_t i = 0; i < session->count; i++) {
        const struct observation *run = &session->runs[i];
        const struct sample *sample = &session->conditions[run->condition].metric[metric];
        const double variance = sample_variance(sample);
        if (session_uses(session, run) && !isnan(run->value[metric]) && variance > 0)
            value[count++] =
                (series_near(sample, reach[run->condition], run->value[metric]) - sample->mean) /
                sqrt(variance);
    }
    return dependence_of(value, count, kinds);
}

static struct interval estimate(struct session *session, size_t condition, size_t metric,
                                const struct dependence *seen, double prior)
{
    const struct settings *settings = session->settings;
    const struct sample *sample = &session->conditions[condition].metric[metric];
    const double factor = dependence_factor(seen, prior, sample->count, settings->condition_count);
    // What dependence may cost pays for having looked, too, where it is more.
    const double widen = fmax(sqrt(factor), location_widening(settings, sample->count));
    const struct interval interval =
        settings->statistic == STATISTIC_MEAN
            ? location_estimate(&session->critical, sample, widen)
            : statistic_location(&session->critical, settings->statistic, sample, widen);
    // A figure that the target prints may be of both signs.
    const bool may_be_negative = sample->count > 0 && sample_sorted(sample)[0] < 0;
    return may_be_negative ? interval : interval_positive(interval);
}

struct location metric_location(struct session *session, size_t condition, size_t metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    if (session->conditions[condition].censored > 0) {
        // Of values of which some are too small it is a lower bound, without an interval.
        const struct interval bound = interval_unbounded(
            statistic_value(session->settings->statistic, sample_sorted(sample), sample->count));
        return (struct location){.interval = bound, .robust = bound};
    }
    const struct dependence seen = series_of(session, metric);
    const struct outliers outliers = shape_outliers(sample);
    return (struct location){
        // With a fixed number of runs the interval that decides allows for no dependence: of values
        // without skewness it is Student's.
        .interval = estimate(session, condition, metric, &seen,
                             settings_is_sequential(session->settings) ? rule_prior : 0),
        .robust = estimate(session, condition, metric, &seen, robust_prior),
        .outliers = outliers.low + outliers.high,
    };
}

double metric_mean_variance(const struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    const struct sample *sample = &session->conditions[condition].metric[metric];
    double variance = sample_variance(sample) / (double)sample->count;
    if (!settings_is_sequential(settings))
        return variance;
    struct dependence seen = series_of(session, metric);
    double factor = dependence_factor(&seen, rule_prior, sample->count, settings->condition_count);
    return variance * fmax(factor, pow(location_widening(settings, sample->count), 2));
}

double metric_dependence(const struct session *session, size_t metric)
{
    struct dependence seen = series_of(session, metric);
    return dependence_probability(&seen, robust_prior);
}

double metric_rho(const struct session *session, size_t metric)
{
    struct dependence seen = series_of(session, metric);
    return dependence_rho(&seen, robust_prior);
}

// What makes the times vary does so by delays: variances of the relative times that differ by
// more than this.
static const double delays_from = 4;

// And pairs that vary by more than their reference does are moved by something of their own.
static const double varies_from = 2;

// Fills session->scratch with the differences y - r x, in the order of the blocks: the ratio r is
// that for which their mean is 0.
static void take_differences(struct session *session, const struct pairs *pairs)
{
    struct sample *rest = &session->scratch;
    const double ratio = pairs->mean_y / pairs->mean_x;
    sample_begin(rest, pairs->count);
    for (size_t i = 0; i < pairs->count; i++)
        rest->value[i] = pairs->y[i] - ratio * pairs->x[i];
    sample_finish(rest, pairs->count);
}

// What the shape of the differences asks of the interval. A load delays the runs that it is
// compared for; of two variants either may be the one that is delayed.
static struct stretch ratio_stretch(const struct sample *differences, const struct pairs *pairs,
                                    enum against against, bool inverse)
{
    const double ratio = pairs->mean_y / pairs->mean_x, xx = ratio * ratio * pairs->xx;
    const bool y_varies = pairs->yy > delays_from * xx, x_varies = xx > delays_from * pairs->yy;
    const bool other_varies = inverse ? y_varies : x_varies;
    return stretch_of(differences, inverse ? x_varies : y_varies,
                      against == AGAINST_REFERENCE && other_varies);
}

static struct looks planned_looks(const struct session *session)
{
    const struct settings *settings = session->settings;
    const struct looks looks = settings->looks.to > 0 ? settings->looks
                                                      : (struct looks){.from = settings->min_runs,
                                                                       .to = settings->max_runs};
    return looks.for_s > 0 ? looks_in_time(&looks, session_blocks(session), session->spent_s)
                           : looks;
}

// The same, for a look after so many blocks: one that has not come yet is within the plan, since
// what is asked is when to end it.
static struct looks plan_at(struct session *session, size_t blocks)
{
    struct looks plan;
    if (session->plan_runs == 0 || session->plan_runs != session->count)
        session->plan = planned_looks(session);
    session->plan_runs = session->count;
    plan = session->plan;
    if (plan.for_s > 0 && blocks > session_blocks(session) && blocks > plan.to)
        plan.to = blocks;
    return plan;
}

double metric_planned_confidence(const struct session *session)
{
    return metric_confidence(session, planned_looks(session).to);
}

double metric_confidence(const struct session *session, size_t blocks)
{
    const struct looks planned = planned_looks(session);
    const double all = session->critical.confidence;
    return settings_has_gate(session->settings) ? 1 - looks_rate(&planned, 1 - all, blocks) : all;
}

struct critical *metric_critical(struct session *session, size_t blocks)
{
    const double all = session->critical.confidence;
    if (!settings_has_gate(session->settings))
        return &session->critical;
    const struct looks plan = plan_at(session, blocks);
    if (session->look_of != all || session->look_to != plan.to ||
        !looks_alike(&plan, session->look_blocks, blocks)) {
        session->look_blocks = blocks;
        session->look_of = all;
        session->look_to = plan.to;
        critical_free(&session->look);
        critical_init(&session->look, 1 - looks_rate(&plan, 1 - all, blocks));
    }
    return &session->look;
}

static double widening(const struct settings *settings, size_t count)
{
    return settings_has_gate(settings) ? 1 : location_widening(settings, count);
}

// False: there is nothing to look at.
static bool look_at(struct session *session, const struct pairs *pairs, enum against against,
                    bool inverse, struct look *look)
{
    const enum statistic statistic = session->settings->statistic;
    if (pairs->count == 0 || (statistic == STATISTIC_TYPICAL &&
                              typical_changes(pairs, &session->scratch) == CHANGE_NONE))
        return false;
    if (statistic != STATISTIC_TYPICAL)
        take_differences(session, pairs);
    look->steadiness = series_of_pairs(&session->scratch);
    if (statistic == STATISTIC_MEAN)
        look->stretch = ratio_stretch(&session->scratch, pairs, against, inverse);
    look->pairs = pairs->count;
    return true;
}

// What the session's own pairs show, which are looked at once. NULL: as look_at().
static const struct look *look_of(struct session *session, struct ratio of)
{
    const struct pairs *pairs = session_pairs(session, of);
    const bool inverse = session->settings->metrics.item[of.metric].higher_is_better;
    struct look *look = &session->conditions[of.condition].look[of.against][of.metric];
    const bool known = look->pairs > 0 && look->pairs == pairs->count;
    return known || look_at(session, pairs, of.against, inverse, look) ? look : NULL;
}

// How many times as wide an interval of those pairs is as one of so many independent pairs at one
// look.
static double widening_of(const struct settings *settings, const struct look *look)
{
    return fmax(widening(settings, look->pairs), series_widening(&look->steadiness));
}

static struct interval ratio_of_pairs(struct session *session, const struct pairs *pairs,
                                      const struct look *look)
{
    const struct settings *settings = session->settings;
    struct critical *critical = metric_critical(session, session_blocks(session));
    if (!look)
        return interval_unbounded(NAN);
    const double widen = widening_of(settings, look);
    if (settings->statistic != STATISTIC_MEAN)
        return interval_positive(statistic_ratio(critical, settings->statistic, pairs, widen));
    const double t = critical_t(critical, (double)pairs->count - 1) * widen;
    return interval_positive(interval_ratio(pairs, t * look->stretch.low, t * look->stretch.high));
}

struct interval metric_typical(struct session *session, struct ratio of)
{
    const struct pairs *pairs = session_pairs(session, of);
    const struct look *look = look_of(session, of);
    if (!look || session_censored(session, of) > 0)
        return interval_unbounded(NAN);
    return interval_positive(typical_ratio(metric_critical(session, session_blocks(session)), pairs,
                                           widening_of(session->settings, look)));
}

struct interval metric_mean_ratio(struct session *session, const struct pairs *pairs,
                                  enum against against, bool higher_is_better)
{
    struct look look = {.pairs = pairs->count};
    if (pairs->count < 2)
        return interval_unbounded(NAN);
    take_differences(session, pairs);
    look.steadiness = series_of_pairs(&session->scratch);
    const struct stretch stretch =
        ratio_stretch(&session->scratch, pairs, against, higher_is_better);
    const double t = critical_t(&session->critical, (double)pairs->count - 1) *
                     widening_of(session->settings, &look);
    return interval_ratio(pairs, t * stretch.low, t * stretch.high);
}

struct interval metric_pairs_ratio(struct session *session, const struct pairs *pairs)
{
    struct look look;
    const bool good = look_at(session, pairs, AGAINST_REFERENCE, false, &look);
    return ratio_of_pairs(session, pairs, good ? &look : NULL);
}

static struct interval interaction(struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    struct crossed crossed;
    session_crossed(session, condition, metric, &crossed);
    const struct interval ratio =
        interaction_ratio(metric_critical(session, session_blocks(session)), settings->statistic,
                          &crossed, widening(settings, crossed.count), &session->scratch);
    crossed_free(&crossed);
    // The inverse of a ratio is found as the ratio is from its inverse.
    return interval_of_reference(&ratio, settings->metrics.item[metric].higher_is_better);
}

struct interval metric_ratio(struct session *session, struct ratio of)
{
    if (session_censored(session, of) > 0)
        return interval_unbounded(NAN);
    return metric_ratio_of_records(session, of);
}

struct interval metric_ratio_of_records(struct session *session, struct ratio of)
{
    if (of.against == AGAINST_BOTH)
        return interval_positive(interaction(session, of.condition, of.metric));
    const struct pairs *pairs = session_pairs(session, of);
    return ratio_of_pairs(session, pairs, look_of(session, of));
}

// The probability of pairs that differ as much as these, had what is compared done nothing: the
// exact test of the order that the experiment drew (interval.h), of all its looks. NAN: fewer than
// 6 pairs.
static double pairs_effect_p(struct session *session, const struct pairs *pairs)
{
    if (typical_changes(pairs, &session->scratch) == CHANGE_NONE)
        return NAN;
    const double p =
        signs_p(session->scratch.value, session->scratch.count, session->settings->seed);
    // Having looked asks the same of the test as of the interval. That pairs resemble their
    // neighbours does not: the order was drawn anew for each.
    const double z = gsl_cdf_ugaussian_Qinv(p / 2) / widening(session->settings, pairs->count);
    return p < 1 ? 2 * gsl_cdf_ugaussian_Q(z) : p;
}

struct groups metric_groups(const struct session *session, struct ratio of)
{
    return session_censored(session, of) > 0
               ? (struct groups){0}
               : typical_groups(session_pairs(session, of), session->settings->error);
}

// Of the session's own pairs, which are asked once: beyond 17 pairs it is thousands of draws.
static double metric_effect_p(struct session *session, struct ratio of)
{
    const struct pairs *pairs = session_pairs(session, of);
    struct look *look = &session->conditions[of.condition].look[of.against][of.metric];
    if (session_censored(session, of) > 0 || pairs->count == 0)
        return NAN;
    if (look->p_pairs != pairs->count) {
        look->p = pairs_effect_p(session, pairs);
        look->p_pairs = pairs->count;
    }
    return look->p;
}

bool metric_is_unsteady(struct session *session, struct ratio of)
{
    const struct look *look = look_of(session, of);
    return look && series_is_unsteady(&look->steadiness);
}

// By how much single runs vary, over what they typically are: stragglers say nothing of whether
// the others wander.
static double robust_spread(const struct session *session, size_t condition, size_t metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    return sample_mad(sample) / sample_median(sample);
}

// Whether the pairs vary by more than their reference does.
static bool pairs_vary(const struct session *session, struct ratio of)
{
    const struct pairs *pairs = session_pairs(session, of);
    const double ratio = pairs->mean_y / pairs->mean_x;
    double yy = pairs->yy, xx = ratio * ratio * pairs->xx;
    if (session->settings->statistic == STATISTIC_TYPICAL) {
        const size_t reference = settings_reference(session->settings, of.condition, of.against);
        yy = pow(robust_spread(session, of.condition, of.metric), 2);
        xx = pow(robust_spread(session, reference, of.metric), 2);
    }
    return yy > varies_from * xx || xx > varies_from * yy;
}

bool metric_is_suspect(struct session *session, struct ratio of)
{
    const struct look *look = look_of(session, of);
    return look && series_is_suspect(&look->steadiness, pairs_vary(session, of));
}

double metric_pairs_rho(struct session *session, struct ratio of)
{
    const struct look *look = look_of(session, of);
    return look ? dependence_rho(&look->steadiness.seen, robust_prior) : NAN;
}

static bool is_small(const struct condition *condition, size_t metric)
{
    double mean = condition->metric[metric].mean;
    return mean < tick_s || mean < small_share * condition->metric[WALL_S].mean;
}

bool metric_is_negligible(const struct session *session, size_t condition, size_t metric)
{
    const struct settings *settings = session->settings;
    const size_t reference = settings_reference(settings, condition, settings_decides_by(settings));
    const struct condition *one = &session->conditions[condition],
                           *base = &session->conditions[reference];
    if (one->metric[metric].count == 0 || base->metric[metric].count == 0)
        return one->runs > 0 && settings->metrics.item[metric].builtin;
    if (settings->metrics.item[metric].builtin && !(base->metric[metric].mean > 0))
        return settings->condition_count > 1; // none of it: there is no ratio to that
    if (!metrics_is_ticks(&settings->metrics, metric))
        return false;
    return is_small(one, metric) && is_small(base, metric);
}

bool metric_is_asked(const struct session *session, size_t condition, size_t metric)
{
    return session->settings->metrics.item[metric].decides &&
           !metric_is_negligible(session, condition, metric);
}

double metric_worst_error(struct session *session, size_t condition)
{
    double worst = 0;
    for (size_t m = 0; m < session->settings->metrics.count; m++) {
        if (!metric_is_asked(session, condition, m))
            continue;
        worst = fmax(
            worst,
            session->settings->condition_count == 1
                ? metric_location(session, 0, m).interval.error
                : metric_ratio(session, settings_deciding(session->settings, condition, m)).error);
    }
    return worst;
}

double metric_noise_floor(struct session *session, size_t metric)
{
    size_t aa = settings_aa(session->settings);
    if (aa == 0)
        return 0;
    struct interval ratio = metric_ratio(session, (struct ratio){aa, AGAINST_ALONE, metric});
    return isfinite(ratio.error) ? fmax(1 - ratio.low, ratio.high - 1) : INFINITY;
}

bool metric_is_judged(struct session *session, struct ratio of)
{
    return session_censored(session, of) == 0 &&
           (session->settings->statistic != STATISTIC_TYPICAL || of.against == AGAINST_BOTH ||
            !isnan(metric_effect_p(session, of)));
}

bool metric_is_distinguishable(struct session *session, struct ratio of)
{
    const struct interval ratio = metric_ratio(session, of);
    const bool above = of.condition == settings_aa(session->settings) ||
                       fabs(ratio.center - 1) > metric_noise_floor(session, of.metric);
    if (session->settings->statistic != STATISTIC_TYPICAL || of.against == AGAINST_BOTH)
        return above && interval_excludes_one(&ratio);
    const double error_rate = 1 - metric_confidence(session, session_blocks(session));
    return above && interval_excludes_one(&ratio) && metric_effect_p(session, of) <= error_rate;
}

// Whether the pairs differ in which of the two is larger. Where all agree only their number can
// keep the test from seeing it.
static bool pairs_disagree(const struct pairs *pairs)
{
    size_t above = 0, below = 0;
    for (size_t i = 0; i < pairs->count; i++) {
        above += pairs->y[i] > pairs->x[i];
        below += pairs->y[i] < pairs->x[i];
    }
    return above > 0 && below > 0;
}

bool metric_is_hidden(struct session *session, struct ratio of)
{
    if (session->settings->statistic != STATISTIC_TYPICAL || !metric_is_judged(session, of) ||
        !pairs_disagree(session_pairs(session, of)))
        return false;
    const struct interval ratio = metric_ratio(session, of);
    const double error_rate = 1 - metric_confidence(session, session_blocks(session));
    return interval_excludes_one(&ratio) && metric_effect_p(session, of) > error_rate;
}

enum { HALVINGS = 50 };

// Which ratio, of which session: its own, or that of any pairs.
struct figure {
    struct session *session;
    struct ratio of;
    const struct pairs *pairs; // NULL: its own
};

// The ratio's interval at the confidence 1 - p.
static struct interval interval_at(const void *user, double p)
{
    const struct figure *figure = user;
    struct session *session = figure->session;
    const struct critical own = session->critical;
    critical_init(&session->critical, 1 - p);
    const struct interval ratio = figure->pairs ? metric_pairs_ratio(session, figure->pairs)
                                                : metric_ratio(session, figure->of);
    critical_free(&session->critical);
    session->critical = own;
    return ratio;
}

double significance_of(struct interval (*interval)(const void *user, double p), const void *user)
{
    const struct interval half = interval(user, 0.5), widest = interval(user, SIGNIFICANCE_LEAST);
    if (!isfinite(half.low) || !isfinite(half.high) || !(half.high > half.low))
        return NAN;
    if (interval_excludes_one(&widest))
        return SIGNIFICANCE_LEAST;
    // Intervals of a higher confidence contain those of a lower one.
    double low = log(SIGNIFICANCE_LEAST), high = 0;
    for (int i = 0; i < HALVINGS; i++) {
        const double middle = (low + high) / 2;
        const struct interval ratio = interval(user, exp(middle));
        if (interval_excludes_one(&ratio))
            high = middle;
        else
            low = middle;
    }
    return exp(high);
}

double significance_p(struct session *session, struct ratio of)
{
    const struct figure figure = {.session = session, .of = of};
    if (session->settings->statistic == STATISTIC_TYPICAL && of.against != AGAINST_BOTH)
        return metric_effect_p(session, of);
    return significance_of(interval_at, &figure);
}

double significance_of_pairs(struct session *session, const struct pairs *pairs)
{
    const struct figure figure = {.session = session, .pairs = pairs};
    if (session->settings->statistic == STATISTIC_TYPICAL)
        return pairs_effect_p(session, pairs);
    return significance_of(interval_at, &figure);
}
