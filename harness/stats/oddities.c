// Finds what is odd about the values of one condition's runs, and warns of it.
#include "messages.h"

#include "decide.h"
#include "interval.h"
#include "matters.h"
#include "metrics.h"
#include "result.h"
#include "verdict.h"

#include "harness/record/objective.h"
#include "harness/record/settings.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdio.h>

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

static unsigned shape_flags(const struct sample *sample, double least, bool is_time)
{
    const struct outliers outliers = shape_outliers(sample);
    const struct split split = shape_split(sample);
    const size_t n = sample->count, upper = n - split.lower;
    const size_t fewer = split.lower < upper ? split.lower : upper;
    const double median = sample_median(sample), variance = sample_variance(sample);
    double off = 0;
    if (outliers.high > 0)
        off = sample_sorted(sample)[n - 1] - median;
    if (outliers.low > 0)
        off = fmax(off, median - sample_sorted(sample)[0]);
    const bool modes = n >= MODES_FROM && fewer >= 2 && 10 * fewer > n &&
                       split.high_mean - split.low_mean > least * fabs(sample->mean);
    const bool coarse =
        (n >= 3 && !(variance > 0)) || shape_step(sample) > coarse_share * sqrt(variance);
    return bit(FLAG_OUTLIERS, off > least * fabs(median)) | bit(FLAG_TWO_MODES, modes) |
           bit(FLAG_COARSE_CLOCK, is_time && coarse);
}

// `worse`: 1 where what warms up begins above the rest, -1 where it begins below.
static unsigned order_flags(const struct sample *sample, double least, bool dependent, double worse)
{
    struct order order = order_analyse(sample->value, sample->count);
    // What moves with time hides in a small spread longer than what does not.
    if (sample->count < ORDER_FROM ||
        !(sample_variance(sample) > pow(least / 10 * sample->mean, 2)))
        return 0;
    double df = (double)sample->count - 2;
    const double worth = least * fabs(sample->mean);
    bool trend =
        2 * gsl_cdf_tdist_Q(fabs(order.trend_t), df) < trend_p && fabs(order.trend) > worth;
    bool step = fabs(order.step_t) > step_t * (1 + 3 / df) && fabs(order.step) > worth;
    return bit(FLAG_WARM_UP, worse * order.first_z > warm_z) | bit(FLAG_TREND, trend) |
           bit(FLAG_STEP, step) | bit(FLAG_AUTOCORRELATION, dependent);
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

// Whether the ratio of the condition changes, against any that it is compared with; `part`: or one
// of which it is the other side.
static bool is_unsteady(struct session *session, size_t condition, size_t metric, bool part)
{
    for (size_t i = 0; i < session->settings->condition_count; i++)
        for (enum against against = 0; against < PAIRINGS; against++)
            if ((i == condition ||
                 (part && settings_reference(session->settings, i, against) == condition)) &&
                settings_compares(session->settings, i, against) &&
                metric_is_unsteady(session, (struct ratio){i, against, metric}))
                return true;
    return false;
}

unsigned oddities_find(struct session *session, size_t condition, size_t metric)
{
    const struct sample *sample = &session->conditions[condition].metric[metric];
    if (sample->count < 3)
        return 0;
    const struct settings *settings = session->settings;
    // What changes the mean by less than this is not worth a word.
    const double least = fmin(0.01, settings->error / 5);
    const bool dependent =
        metric_dependence(session, metric) >
            (settings->condition_count == 1 ? dependent_alone : dependent_among) &&
        !(metric_location(session, condition, metric).robust.error <= least);
    // What a load leaves behind is said once, not for each variant.
    const bool carries_over =
        settings_variant(settings, condition) == 0 && carry_over_shows(session, condition, metric);
    const double worse = settings->metrics.item[metric].higher_is_better ? -1 : 1;
    return shape_flags(sample, least, metrics_is_time(&settings->metrics, metric)) |
           order_flags(sample, least, dependent, worse) |
           bit(FLAG_LOAD_VARIANCE, load_varies(session, condition, metric)) |
           bit(FLAG_CARRY_OVER, carries_over) |
           bit(FLAG_UNSTEADY, is_unsteady(session, condition, metric, false));
}

enum { RUNS_NAMED = 6, NAMES_SIZE = 128 };

// What the words of an oddity are about.
struct view {
    struct session *session;
    size_t index; // of the condition
    size_t metric;
    const struct condition *condition;
    const struct sample *sample;
};

// Where a metric is missing in some runs, the i-th value is not the i-th run's:
// then no run is named rather than a wrong one.
static void name_run(const struct view *view, struct message *message, size_t i)
{
    if (view->sample->count == view->condition->runs)
        message_run(message, view->condition->order[i]);
}

static void name_range(const struct view *view, struct message *message, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        name_run(view, message, i);
}

static void name_between(const struct view *view, struct message *message, double least,
                         double most)
{
    for (size_t i = 0; i < view->sample->count; i++)
        if (view->sample->value[i] >= least && view->sample->value[i] <= most)
            name_run(view, message, i);
}

// "run 3", "runs 3, 9 and 2 more"
static void run_names(const json_t *runs, char *text, size_t size)
{
    size_t count = json_array_size(runs), used = 0;
    used += (size_t)snprintf(text, size, count == 1 ? "run" : "runs");
    for (size_t i = 0; i < count && i < RUNS_NAMED && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s %lld", i > 0 ? "," : "",
                                 (long long)json_integer_value(json_array_get(runs, i)));
    if (count > RUNS_NAMED && used < size)
        snprintf(text + used, size - used, " and %zu more", count - RUNS_NAMED);
}

static double percent(double part, double whole)
{
    return 100 * part / fabs(whole);
}

// How far the outliers move what is reported.
static void add_pull(const struct view *view, double pull, struct message *message)
{
    const enum statistic statistic = view->session->settings->statistic;
    if (statistic == STATISTIC_MEAN)
        message_detail(message, "pull", "and pull the mean by %+.2g %%: it includes them", pull);
    else if (statistic == STATISTIC_TYPICAL || statistic == STATISTIC_MEDIAN ||
             statistic == STATISTIC_TRIMMED)
        message_detail(message, "pull", "and pull the mean by %+.2g %%, but hardly the %s", pull,
                       statistic_words[statistic]);
    else
        message_detail(message, "pull", "and are what the %s is made of",
                       statistic_words[statistic]);
}

static bool is_time(const struct view *view)
{
    return metrics_is_time(&view->session->settings->metrics, view->metric);
}

// "the slowest takes 3 times the median"; of what is no time, the one that is farthest.
static void add_extreme(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const double median = sample_median(sample);
    const double highest = sample_sorted(sample)[sample->count - 1] / median;
    const double lowest = sample_sorted(sample)[0] / median;
    if (is_time(view))
        message_detail(message, "extreme", "the slowest takes %.3g times the median", highest);
    else
        message_detail(message, "extreme", "the farthest is %.3g times the median",
                       highest - 1 > 1 - lowest ? highest : lowest);
}

static void add_outliers(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const struct outliers outliers = shape_outliers(sample);
    char names[NAMES_SIZE];
    if (outliers.high > 0)
        name_between(view, message, sample_sorted(sample)[sample->count - outliers.high], INFINITY);
    if (outliers.low > 0)
        name_between(view, message, -INFINITY, sample_sorted(sample)[outliers.low - 1]);
    run_names(message->runs, names, sizeof names);
    message_detail(message, "few", "%zu", outliers.low + outliers.high);
    message_detail(message, "all", "%zu", sample->count);
    message_detail(message, "runs", "%s", names);
    add_extreme(view, message);
    double rest, ignored;
    sample_moments(sample_sorted(sample) + outliers.low,
                   sample->count - outliers.low - outliers.high, &rest, &ignored);
    add_pull(view, percent(sample->mean - rest, sample->mean), message);
}

static void add_modes(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const struct split split = shape_split(sample);
    char names[NAMES_SIZE];
    if (2 * split.lower > sample->count) // the upper group is the smaller one
        name_between(view, message, sample_sorted(sample)[split.lower], INFINITY);
    else
        name_between(view, message, -INFINITY, sample_sorted(sample)[split.lower - 1]);
    run_names(message->runs, names, sizeof names);
    const char *unit = view->metric < BASIC_METRICS
                           ? ""
                           : view->session->settings->metrics.item[view->metric].unit;
    message_detail(message, "groups", "%zu near %.4g%s%s and %zu near %.4g%s%s", split.lower,
                   split.low_mean, *unit ? " " : "", unit, sample->count - split.lower,
                   split.high_mean, *unit ? " " : "", unit);
    message_detail(message, "runs", "%s", names);
}

static void add_warm_up(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const double median = sample_median(sample), excess = sample->value[0] - median;
    name_range(view, message, 0, 1);
    const double pull = percent(excess / (double)sample->count, sample->mean);
    message_detail(message, "first", "%s %.3g times the median", is_time(view) ? "takes" : "shows",
                   sample->value[0] / median);
    message_detail(message, "pull", "%s by %.2g", pull < 0 ? "down" : "up", fabs(pull));
    const struct settings *settings = view->session->settings;
    const size_t before = settings->warmup + settings->discard_warmup;
    if (before == 0) {
        message_detail(message, "meaning", "it may have found caches cold");
        message_detail(message, "remedy",
                       "add a warm-up run, or leave the first one out with --discard-warmup");
    } else {
        message_detail(message, "meaning",
                       "%zu run%s that %s not count came before it, so cold caches are an unlikely "
                       "cause",
                       before, before == 1 ? "" : "s", before == 1 ? "does" : "do");
        message_detail(message, "remedy",
                       "look for what else was different then, such as other programs");
    }
}

static void add_step(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const struct order order = order_analyse(sample->value, sample->count);
    name_range(view, message, order.step_at, sample->count);
    message_detail(message, "run", "%zu", view->condition->order[order.step_at]);
    message_detail(message, "change", "%+.3g", percent(order.step, sample->mean));
}

static void add_trend(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    name_range(view, message, 0, sample->count);
    message_detail(message, "change", "%+.3g",
                   percent(order_analyse(sample->value, sample->count).trend, sample->mean));
}

static void add_dependence(const struct view *view, struct message *message)
{
    name_range(view, message, 0, view->sample->count);
    const struct location location = metric_location(view->session, view->index, view->metric);
    message_detail(message, "rho", "%.2f", metric_rho(view->session, view->metric));
    if (isfinite(location.robust.error))
        message_detail(message, "known", "; allowing for that, the %s is known to ± %.*f %% only",
                       statistic_words[view->session->settings->statistic],
                       location.robust.error < 0.1 ? 1 : 0, 100 * location.robust.error);
}

static void add_clock(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const double step = shape_step(sample);
    name_range(view, message, 0, sample->count);
    if (step > 0)
        message_detail(message, "clock",
                       "the clock moves in steps of %.3g s (%.2g %% of the mean), coarse compared "
                       "with the spread of the runs: the mean may be off by half a step whatever "
                       "the interval says",
                       step, percent(step, sample->mean));
    else
        message_detail(message, "clock",
                       "all %zu runs read exactly %.6g s, so the clock is too coarse to see their "
                       "spread: there is no interval",
                       sample->count, sample->mean);
    message_detail(message, "remedy", "%s",
                   view->metric == WALL_S ? "use a longer input, or a finer clock"
                                          : "the kernel counts this CPU time in ticks: use a "
                                            "longer input");
}

static void add_variance(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const size_t variant = settings_variant(view->session->settings, view->index);
    const struct sample *base = &view->session->conditions[variant].metric[view->metric];
    const double own = sqrt(sample_variance(sample)) / sample->mean;
    const double alone = sqrt(sample_variance(base)) / base->mean;
    name_range(view, message, 0, sample->count);
    message_detail(message, "times", "%.3g", own / alone);
    message_detail(message, "values", "%s", is_time(view) ? "times" : "figures");
    message_detail(message, "own", "%.2g", 100 * own);
    message_detail(message, "base", "%.2g", 100 * alone);
}

static void add_carry_over(const struct view *view, struct message *message)
{
    const struct carry_over found = carry_over_estimate(view->session, view->index, view->metric);
    const size_t washed = view->session->washed;
    const double pause_s = view->session->settings->washout.pause_s;
    if (is_time(view))
        message_detail(message, "effect", "take %.3g times as long as", found.ratio);
    else
        message_detail(message, "effect", "show %.3g times the figure of", found.ratio);
    // A baseline that the load makes better makes the ratio too high.
    if (view->session->settings->metrics.item[view->metric].higher_is_better ? found.ratio > 1
                                                                             : found.ratio < 1)
        message->bias = BIAS_ALL;
    message_detail(message, "after", "%zu", found.after);
    message_detail(message, "others", "%zu", found.others);
    if (washed > 0)
        message_detail(message, "washout", ", in spite of %zu washout run%s", washed,
                       washed == 1 ? "" : "s");
    else if (pause_s > 0)
        message_detail(message, "washout", ", in spite of a pause of %g s", pause_s);
    message_detail(
        message, "remedy", "%s",
        washed > 0 || pause_s > 0
            ? "give a longer --washout, or restore the state with --prepare, or measure "
              "baseline and load apart and compare them (docs/statistics.md#interleaving)"
            : "separate them with --washout 1, or restore the state with --prepare "
              "(docs/statistics.md#interleaving)");
}

// The ratio of the condition that changes: of several one that matters, or that to what it is
// alone.
static struct ratio unsteady_ratio(const struct view *view)
{
    struct session *session = view->session;
    struct ratio found = {view->index, PAIRINGS, view->metric};
    for (enum against against = PAIRINGS; against-- > 0;) {
        const struct ratio of = {view->index, against, view->metric};
        if (settings_compares(session->settings, of.condition, against) &&
            metric_is_unsteady(session, of) &&
            (found.against == PAIRINGS || matters_unsteady(session, of) ||
             !matters_unsteady(session, found)))
            found = of;
    }
    return found;
}

static void add_unsteady(const struct view *view, struct message *message)
{
    struct session *session = view->session;
    const struct ratio of = unsteady_ratio(view);
    const bool alone = of.against == AGAINST_ALONE;
    const struct pairs *pairs = session_pairs(session, of);
    const size_t third = pairs->count / 3;
    double x[2] = {0}, y[2] = {0};
    for (size_t i = 0; i < third; i++) {
        x[0] += pairs->x[i];
        y[0] += pairs->y[i];
        x[1] += pairs->x[pairs->count - 1 - i];
        y[1] += pairs->y[pairs->count - 1 - i];
    }
    name_range(view, message, 0, view->sample->count);
    message_detail(message, "effect", "%s", alone && is_time(view) ? "slowdown" : "ratio");
    message_detail(message, "all", "%zu", pairs->count);
    message_detail(message, "first", "%.3g", y[0] / x[0]);
    message_detail(message, "last", "%.3g", y[1] / x[1]);
    message_detail(message, "rho", "%.2f", metric_pairs_rho(session, of));
}

static void (*const add[ODDITIES])(const struct view *, struct message *) = {
    [FLAG_OUTLIERS] = add_outliers,     [FLAG_TWO_MODES] = add_modes,
    [FLAG_WARM_UP] = add_warm_up,       [FLAG_STEP] = add_step,
    [FLAG_TREND] = add_trend,           [FLAG_AUTOCORRELATION] = add_dependence,
    [FLAG_COARSE_CLOCK] = add_clock,    [FLAG_LOAD_VARIANCE] = add_variance,
    [FLAG_CARRY_OVER] = add_carry_over, [FLAG_UNSTEADY] = add_unsteady,
};

static bool matters(const struct view *view, enum flag flag)
{
    if (flag == FLAG_CARRY_OVER)
        return matters_carry_over(view->session, view->index, view->metric);
    if (flag == FLAG_UNSTEADY) {
        const struct ratio of = unsteady_ratio(view);
        return of.against < PAIRINGS && matters_unsteady(view->session, of);
    }
    return matters_alone(view->session, view->index, view->metric, flag);
}

// Other programs come and go: what that does to the runs one after the other has been said.
static bool follows_from_others(const struct session *session, size_t condition, enum flag flag)
{
    const bool is_course = flag == FLAG_STEP || flag == FLAG_TREND ||
                           flag == FLAG_AUTOCORRELATION || flag == FLAG_UNSTEADY;
    return is_course && disturbed_and_said(session) && disturbed_by_others(session, condition);
}

void oddities_add(struct session *session, size_t condition, size_t metric, json_t *warnings)
{
    const struct settings *settings = session->settings;
    const struct condition *one = &session->conditions[condition];
    const struct view view = {session, condition, metric, one, &one->metric[metric]};
    const unsigned flags = oddities_find(session, condition, metric);
    for (enum flag flag = 0; flag < ODDITIES; flag++) {
        if (!(flags >> flag & 1U))
            continue;
        struct message message = {.flag = flag,
                                  .condition = settings->conditions[condition],
                                  .metric = settings->metrics.item[metric].name,
                                  .matters = matters(&view, flag),
                                  .follows = follows_from_others(session, condition, flag)};
        message_detail(&message, "statistic", "%s", statistic_words[settings->statistic]);
        if (settings->condition_count > 1 && !is_unsteady(session, condition, metric, true))
            message_detail(&message, "pairs", "; slowdowns from pairs hold");
        add[flag](&view, &message);
        message_add(warnings, &message);
    }
}
