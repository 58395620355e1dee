// What a start of a service does to the runs after it, apart from what a load leaves behind.
#include "starts.h"

#include "messages.h"
#include "metrics.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

// Of a difference that is named: how sure, for all metrics together.
static const double level = 0.01;
enum { LEAST_RUNS = 2, LEAST_DF = 3 };

// The logarithms of values that are alike but for chance.
struct group {
    size_t count;
    double mean, squares; // of deviations from the mean
};

static void group_add(struct group *group, double value)
{
    if (!(value > 0))
        return;
    const double apart = log(value) - group->mean;
    group->mean += apart / (double)++group->count;
    group->squares += apart * (log(value) - group->mean);
}

// The runs of a block that have been made before that one, or after it.
static size_t runs_beside(const struct session *session, const struct observation *run, bool before)
{
    const size_t width = session->settings->condition_count;
    size_t count = 0;
    for (size_t i = 0; i < width; i++) {
        const int other = session->table[(run->block - 1) * width + i];
        if (other >= 0 && &session->runs[other] != run)
            count += (session->runs[other].order < run->order) == before;
    }
    return count;
}

// Of the runs of a condition those that come first after a start, and last before the next one.
struct ends {
    struct group first, last;
};

// `follows`: the load that the last ones come after, or ALL_LOADS.
static void ends_add(const struct session *session, size_t condition, size_t metric, int follows,
                     struct ends *ends)
{
    const struct settings *settings = session->settings;
    EACH_USED (run, session, condition) {
        const size_t before = runs_beside(session, run, true),
                     after = runs_beside(session, run, false);
        if (run->failure != FAILURE_NONE || before + after + 1 < settings->condition_count)
            continue;
        if (before == 0)
            group_add(&ends->first, run->value[metric]);
        else if (after == 0 && (follows == ALL_LOADS ||
                                (run->follows >= 0 &&
                                 (int)settings_load(settings, (size_t)run->follows) == follows)))
            group_add(&ends->last, run->value[metric]);
    }
}

struct carry_over starts_carry_over(struct session *session, int load, size_t metric)
{
    const struct settings *settings = session->settings;
    struct ends alone = {0}, beside = {0};
    struct carry_over result = {NAN, NAN, NAN, NAN, 0, 0};
    if (settings->variants > 1)
        return result;
    ends_add(session, 0, metric, load, &alone);
    for (size_t i = 1; i < settings->condition_count; i++)
        if (settings_is_loaded(settings, (int)i) &&
            (load == ALL_LOADS || (int)settings_load(settings, i) == load))
            ends_add(session, i, metric, ALL_LOADS, &beside);
    const struct group *const all[] = {&alone.first, &alone.last, &beside.first, &beside.last};
    double squares = 0, weight = 0, df = -4;
    result.after = alone.last.count;
    result.others = alone.first.count;
    for (size_t i = 0; i < 4; i++) {
        if (all[i]->count < LEAST_RUNS)
            return result;
        squares += all[i]->squares;
        weight += 1 / (double)all[i]->count;
        df += (double)all[i]->count;
    }
    if (df < LEAST_DF || !(squares > 0))
        return result;
    const double error = sqrt(squares / df * weight);
    const double difference =
        alone.last.mean - alone.first.mean - (beside.last.mean - beside.first.mean);
    carry_over_settle(&result, &session->critical, difference, error, df);
    return result;
}

// How many times as high the values of some runs are as those of others.
struct apart {
    double ratio;
    bool shows; // it is no chance, and large enough for a word
};

// `sum`: of differences, each over its variance but for `squares / df`; `weight`: of these weights.
static struct apart apart_of(const struct session *session, double sum, double weight,
                             double squares, double df)
{
    struct apart apart = {.ratio = NAN};
    if (df < LEAST_DF || !(weight > 0))
        return apart;
    const double difference = sum / weight, error = sqrt(squares / df / weight);
    const double tests = (double)metrics_deciding(&session->settings->metrics);
    apart.ratio = exp(difference);
    apart.shows = fabs(difference) > session->settings->error &&
                  2 * gsl_cdf_tdist_Q(fabs(difference) / error, df) < level / tests;
    return apart;
}

// The unmeasured runs after a start, which are of the baseline, against its measured ones.
static struct apart unmeasured_apart(const struct session *session, size_t metric)
{
    struct group start = {0}, rest = {0};
    for (size_t i = 0; i < session->start_count; i++)
        if (session->starts[i].condition == 0)
            group_add(&start, session->starts[i].value[metric]);
    EACH_USED (run, session, 0)
        if (run->failure == FAILURE_NONE)
            group_add(&rest, run->value[metric]);
    if (start.count == 0 || rest.count < LEAST_RUNS)
        return (struct apart){.ratio = NAN};
    const double weight = 1 / (1 / (double)start.count + 1 / (double)rest.count);
    return apart_of(session, weight * (start.mean - rest.mean), weight,
                    start.squares + rest.squares, (double)(start.count + rest.count) - 2);
}

// The first measured runs after a start against the last ones, each condition by itself.
static struct apart measured_apart(const struct session *session, size_t metric)
{
    double sum = 0, weights = 0, squares = 0, df = 0;
    for (size_t i = 0; session->settings->each_block && i < session->settings->condition_count;
         i++) {
        struct ends ends = {0};
        ends_add(session, i, metric, ALL_LOADS, &ends);
        if (ends.first.count < LEAST_RUNS || ends.last.count < LEAST_RUNS)
            continue;
        const double weight = 1 / (1 / (double)ends.first.count + 1 / (double)ends.last.count);
        sum += weight * (ends.first.mean - ends.last.mean);
        weights += weight;
        squares += ends.first.squares + ends.last.squares;
        df += (double)(ends.first.count + ends.last.count) - 2;
    }
    return apart_of(session, sum, weights, squares, df);
}

static void add(const struct session *session, enum flag flag, size_t metric, struct apart apart,
                json_t *warnings)
{
    const struct settings *settings = session->settings;
    const struct metric_setting *one = &settings->metrics.item[metric];
    const bool is_cold = one->higher_is_better ? apart.ratio < 1 : apart.ratio > 1;
    struct message message = {.flag = flag, .metric = one->name, .matters = true};
    message_detail(&message, "metric", "%s", one->name);
    message_detail(&message, "times", "%.3g", apart.ratio);
    message_detail(&message, "starts", "%zu", session->start_count);
    message_detail(&message, "meaning", "%s",
                   is_cold ? "the service still warms up while it is measured"
                           : "the service gets worse while it is used (a leak, a log or a table "
                             "that grows)");
    if (is_cold)
        message_detail(&message, "remedy", "give --service-warmup %zu, or --keep-service",
                       settings->service_warmup < 2 ? (size_t)4 : 2 * settings->service_warmup);
    else
        message_detail(&message, "remedy", "find what grows, or make each run shorter");
    message_add(warnings, &message);
}

void starts_warnings(struct session *session, json_t *warnings)
{
    for (size_t m = 0; m < session->settings->metrics.count; m++) {
        if (!metric_is_asked(session, 0, m))
            continue;
        const struct apart unmeasured = unmeasured_apart(session, m),
                           measured = measured_apart(session, m);
        if (unmeasured.shows)
            add(session, FLAG_COLD_START, m, unmeasured, warnings);
        if (measured.shows)
            add(session, FLAG_START_DIFFERS, m, measured, warnings);
    }
}
