#include "describe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "carry_over.h"
#include "metrics.h"
#include "order.h"
#include "shape.h"
#include "statistic.h"

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
static void name_run(const struct view *view, json_t *runs, size_t i)
{
    if (view->sample->count == view->condition->runs)
        json_array_append_new(runs, json_integer((json_int_t)view->condition->order[i]));
}

static void name_range(const struct view *view, json_t *runs, size_t first, size_t end)
{
    for (size_t i = first; i < end; i++)
        name_run(view, runs, i);
}

static void name_from(const struct view *view, json_t *runs, double least)
{
    for (size_t i = 0; i < view->sample->count; i++)
        if (view->sample->value[i] >= least)
            name_run(view, runs, i);
}

static void name_up_to(const struct view *view, json_t *runs, double most)
{
    for (size_t i = 0; i < view->sample->count; i++)
        if (view->sample->value[i] <= most)
            name_run(view, runs, i);
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
    const double highest = sample->sorted[sample->count - 1] / median;
    const double lowest = sample->sorted[0] / median;
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
        name_from(view, message->runs, sample->sorted[sample->count - outliers.high]);
    if (outliers.low > 0)
        name_up_to(view, message->runs, sample->sorted[outliers.low - 1]);
    run_names(message->runs, names, sizeof names);
    message_detail(message, "few", "%zu", outliers.low + outliers.high);
    message_detail(message, "all", "%zu", sample->count);
    message_detail(message, "runs", "%s", names);
    add_extreme(view, message);
    add_pull(view, percent(sample->mean - outliers.mean, sample->mean), message);
}

static void add_modes(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const struct split split = shape_split(sample);
    char names[NAMES_SIZE];
    if (2 * split.lower > sample->count) // the upper group is the smaller one
        name_from(view, message->runs, sample->sorted[split.lower]);
    else
        name_up_to(view, message->runs, sample->sorted[split.lower - 1]);
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
    name_range(view, message->runs, 0, 1);
    const double pull = percent(excess / (double)sample->count, sample->mean);
    message_detail(message, "first", "%s %.3g times the median", is_time(view) ? "takes" : "shows",
                   sample->value[0] / median);
    message_detail(message, "pull", "%s by %.2g", pull < 0 ? "down" : "up", fabs(pull));
}

static void add_step(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    const struct order order = order_analyse(sample->value, sample->count);
    name_range(view, message->runs, order.step_at, sample->count);
    message_detail(message, "run", "%zu", view->condition->order[order.step_at]);
    message_detail(message, "change", "%+.3g", percent(order.step, sample->mean));
}

static void add_trend(const struct view *view, struct message *message)
{
    const struct sample *sample = view->sample;
    name_range(view, message->runs, 0, sample->count);
    message_detail(message, "change", "%+.3g",
                   percent(order_analyse(sample->value, sample->count).trend, sample->mean));
}

static void add_dependence(const struct view *view, struct message *message)
{
    name_range(view, message->runs, 0, view->sample->count);
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
    name_range(view, message->runs, 0, sample->count);
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
    name_range(view, message->runs, 0, sample->count);
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
    message_detail(message, "remedy", "%s",
                   washed > 0 || pause_s > 0
                       ? "give a longer --washout, or restore the state with --prepare, or measure "
                         "baseline and load apart and compare them (docs/interleaving.md)"
                       : "separate them with --washout 1, or restore the state with --prepare "
                         "(docs/interleaving.md)");
}

// Of the ratio that changes; of several, the one with what it is compared with alone.
static void add_unsteady(const struct view *view, struct message *message)
{
    struct session *session = view->session;
    const bool alone = settings_compares(session->settings, view->index, AGAINST_ALONE) &&
                       metric_is_unsteady(session, view->index, AGAINST_ALONE, view->metric);
    const enum against against = alone ? AGAINST_ALONE : AGAINST_REFERENCE;
    const struct pairs *pairs = &view->condition->pairs[against][view->metric];
    const size_t third = pairs->count / 3;
    double x[2] = {0}, y[2] = {0};
    for (size_t i = 0; i < third; i++) {
        x[0] += pairs->x[i];
        y[0] += pairs->y[i];
        x[1] += pairs->x[pairs->count - 1 - i];
        y[1] += pairs->y[pairs->count - 1 - i];
    }
    name_range(view, message->runs, 0, view->sample->count);
    message_detail(message, "effect", "%s", alone && is_time(view) ? "slowdown" : "ratio");
    message_detail(message, "all", "%zu", pairs->count);
    message_detail(message, "first", "%.3g", y[0] / x[0]);
    message_detail(message, "last", "%.3g", y[1] / x[1]);
    message_detail(message, "rho", "%.2f",
                   metric_pairs_rho(session, view->index, against, view->metric));
}

static void (*const add[ODDITIES])(const struct view *, struct message *) = {
    [FLAG_OUTLIERS] = add_outliers,     [FLAG_TWO_MODES] = add_modes,
    [FLAG_WARM_UP] = add_warm_up,       [FLAG_STEP] = add_step,
    [FLAG_TREND] = add_trend,           [FLAG_AUTOCORRELATION] = add_dependence,
    [FLAG_COARSE_CLOCK] = add_clock,    [FLAG_LOAD_VARIANCE] = add_variance,
    [FLAG_CARRY_OVER] = add_carry_over, [FLAG_UNSTEADY] = add_unsteady,
};

void describe_oddity(struct session *session, size_t condition, size_t metric,
                     struct message *message)
{
    const struct condition *one = &session->conditions[condition];
    const struct view view = {session, condition, metric, one, &one->metric[metric]};
    add[message->flag](&view, message);
}
