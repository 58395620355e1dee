#include "words.h"

#include "figures.h"
#include "order.h"
#include "shape.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { MESSAGE_SIZE = 512, RUNS_NAMED = 6 };

struct warning {
    const struct condition *condition;
    const struct sample *sample;
    json_t *runs; // orders
    char text[MESSAGE_SIZE];
};

__attribute__((format(printf, 2, 3))) static void say(struct warning *warning, const char *format,
                                                      ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(warning->text, sizeof warning->text, format, arguments);
    va_end(arguments);
}

// Where a metric is missing in some runs, the i-th value is not the i-th run's:
// then no run is named rather than a wrong one.
static void name_runs(struct warning *warning, bool (*picks)(double value, double limit),
                      double limit)
{
    for (size_t i = 0; i < warning->sample->count; i++)
        if (warning->sample->count == warning->condition->runs &&
            picks(warning->sample->value[i], limit))
            json_array_append_new(warning->runs,
                                  json_integer((json_int_t)warning->condition->order[i]));
}

static void name_run_range(struct warning *warning, size_t first, size_t end)
{
    for (size_t i = first; i < end && warning->sample->count == warning->condition->runs; i++)
        json_array_append_new(warning->runs,
                              json_integer((json_int_t)warning->condition->order[i]));
}

static bool is_at_least(double value, double limit)
{
    return value >= limit;
}

static bool is_at_most(double value, double limit)
{
    return value <= limit;
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

static void say_outliers(struct warning *warning, size_t set_aside)
{
    const struct sample *sample = warning->sample;
    struct outliers outliers = shape_outliers(sample);
    char names[128];
    if (outliers.high > 0)
        name_runs(warning, is_at_least, sample->sorted[sample->count - outliers.high]);
    if (outliers.low > 0)
        name_runs(warning, is_at_most, sample->sorted[outliers.low - 1]);
    run_names(warning->runs, names, sizeof names);
    double pull = percent(sample->mean - outliers.mean, sample->mean);
    say(warning,
        "%zu of %zu runs lie far off the others (%s; the slowest is %.3g times the median) and "
        "pull "
        "the mean by %+.2g %%: %s; look at what else ran then, or compare medians",
        outliers.low + outliers.high, sample->count, names,
        sample->sorted[sample->count - 1] / sample_median(sample), pull,
        set_aside > 0 ? "the interval is of the mean without them"
                      : "the interval is wider for them");
}

static void say_modes(struct warning *warning)
{
    const struct sample *sample = warning->sample;
    struct split split = shape_split(sample);
    char names[128];
    bool upper_is_fewer = 2 * split.lower > sample->count;
    if (upper_is_fewer)
        name_runs(warning, is_at_least, sample->sorted[split.lower]);
    else
        name_runs(warning, is_at_most, sample->sorted[split.lower - 1]);
    run_names(warning->runs, names, sizeof names);
    say(warning,
        "the runs fall into two groups, %zu near %.4g and %zu near %.4g (the smaller one: %s): no "
        "run is like the mean, and the share of each group decides it; look for what differs "
        "(placement, caches, frequency) or measure the two apart",
        split.lower, split.low_mean, sample->count - split.lower, split.high_mean, names);
}

static void say_order(struct warning *warning, enum flag flag)
{
    const struct sample *sample = warning->sample;
    size_t n = sample->count;
    struct order order = order_analyse(sample->value, n);
    if (flag == FLAG_WARM_UP) {
        name_run_range(warning, 0, 1);
        say(warning,
            "the first run is %.3g times the median of all: it warms caches, and pulls the mean up "
            "by %.2g %%; add a warm-up run, or leave the first out with --discard-warmup",
            sample->value[0] / sample_median(sample),
            percent((sample->value[0] - sample_median(sample)) / (double)n, sample->mean));
    } else if (flag == FLAG_STEP) {
        name_run_range(warning, order.step_at, n);
        say(warning,
            "from run %zu on the level is %+.3g %% of the mean: something changed for good, and "
            "the mean mixes two states; slowdowns from pairs hold, a mean alone does not; find "
            "out what changed, and measure again",
            warning->condition->order[order.step_at], percent(order.step, sample->mean));
    } else {
        name_run_range(warning, 0, n);
        say(warning,
            "the runs drift by %+.3g %% of the mean from the first to the last: the mean depends "
            "on when one stops; slowdowns from pairs hold, a mean alone does not; look for heat, "
            "a filling disk or a growing cache",
            percent(order.trend, sample->mean));
    }
}

static void say_dependence(struct warning *warning, double rho)
{
    name_run_range(warning, 0, warning->sample->count);
    say(warning,
        "neighbouring runs are alike (correlation about %.2f): they tell less than their number, "
        "and the interval of the mean is wider for it or may be too narrow; slowdowns from pairs "
        "hold; measure longer or at another time",
        rho);
}

static void say_coarse(struct warning *warning, bool counts_cpu)
{
    const struct sample *sample = warning->sample;
    double step = shape_step(sample);
    const char *advice = counts_cpu
                             ? "the kernel counts this CPU time in ticks: take a longer input"
                             : "take a longer input, or a finer clock";
    name_run_range(warning, 0, sample->count);
    if (step > 0)
        say(warning,
            "the clock moves in steps of %.3g s (%.2g %% of the mean), coarse beside the spread of "
            "the runs: the mean may be off by half a step whatever the interval says; %s",
            step, percent(step, sample->mean), advice);
    else
        say(warning,
            "all %zu runs read exactly %.6g s, so the clock is too coarse to see their spread: the "
            "interval has no width and means nothing; %s",
            sample->count, sample->mean, advice);
}

static void say_variance(struct warning *warning, const struct sample *base)
{
    const struct sample *sample = warning->sample;
    double own = sqrt(sample_variance(sample)) / sample->mean;
    name_run_range(warning, 0, sample->count);
    say(warning,
        "the runs vary %.3g times as much as the baseline's (%.2g %% against %.2g %%): the load "
        "itself makes the times vary, so single runs differ from the mean, and the interval needs "
        "more runs; a steadier load or a longer input helps",
        own * base->mean / sqrt(sample_variance(base)), 100 * own,
        percent(sqrt(sample_variance(base)), base->mean));
}

static void say_flag(struct session *session, struct warning *warning, size_t condition,
                     enum metric metric, enum flag flag)
{
    switch (flag) {
    case FLAG_OUTLIERS:
        say_outliers(warning, figure_location(session, condition, metric).set_aside);
        break;
    case FLAG_TWO_MODES:
        say_modes(warning);
        break;
    case FLAG_COARSE_CLOCK:
        say_coarse(warning, metric != WALL_S);
        break;
    case FLAG_LOAD_VARIANCE:
        say_variance(warning, &session->conditions[0].metric[metric]);
        break;
    case FLAG_AUTOCORRELATION:
        say_dependence(warning, figure_rho(session, metric));
        break;
    default:
        say_order(warning, flag);
        break;
    }
}

json_t *words_of(struct session *session, size_t condition, enum metric metric, enum flag flag)
{
    struct warning warning = {.condition = &session->conditions[condition]};
    warning.sample = &warning.condition->metric[metric];
    warning.runs = json_array();
    say_flag(session, &warning, condition, metric, flag);
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "flag", flag_names[flag], "condition",
                     session->settings->conditions[condition], "metric", metric_names[metric],
                     "message", warning.text, "runs", warning.runs);
}
