#include "gauge_warnings.h"

#include "gate.h"
#include "gauge_json.h"
#include "messages.h"
#include "metrics.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

// The runs that a gauge has to save for it to be recommended; it takes some 3 % of the time.
static const double pays_from = 0.20;

// Of one metric's ratios.
struct seen {
    double explained[MAX_CONDITIONS], saved[MAX_CONDITIONS];
    size_t known, all; // figures above; ratios with gauges
};

static double median(double *values, size_t count)
{
    gsl_sort(values, 1, count);
    return gsl_stats_median_from_sorted_data(values, 1, count);
}

static void finish(json_t *list, struct message *message)
{
    json_array_append_new(list, message_finish(message, false));
}

static void add_not_used(const struct session *session, size_t condition, size_t metric,
                         enum gauge_use use, json_t *list)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    struct message message = {.flag = FLAG_GAUGE_NOT_USED,
                              .condition = settings->conditions[condition],
                              .metric = settings->metrics.item[metric].name,
                              .runs = json_array()};
    const struct pairs *pairs = &session->conditions[condition].pairs[against][metric];
    message_detail(&message, "effect", "%s", settings->variants > 1 ? "ratio" : "slowdown");
    if (use == GAUGE_USE_MOVED) {
        message_detail(&message, "why",
                       "right after its runs the gauge itself is %+.1f %% off, which is no chance: "
                       "what the gauge explains would be part of the effect",
                       100 * (exp(pairs->mean_after) - 1));
        message_detail(&message, "remedy", "a longer --settle, or --washout, if it fades");
    } else {
        message_detail(&message, "why", "%zu pairs have gauges, and it takes %d to know a slope",
                       pairs->gauged, COVARIATE_PAIRS);
        message_detail(&message, "remedy", "raise --min-runs");
    }
    finish(list, &message);
}

static void look_at(struct session *session, size_t condition, size_t metric, struct seen *seen)
{
    double saved;
    const double explained =
        gauge_worth(session, condition, settings_decides_by(session->settings), metric, &saved);
    seen->all++;
    if (!isfinite(explained) || !isfinite(saved))
        return;
    seen->explained[seen->known] = explained;
    seen->saved[seen->known++] = saved;
}

static void add_used(const struct session *session, size_t metric, struct seen *seen, size_t all,
                     json_t *list)
{
    struct message message = {.flag = FLAG_GAUGE_USED,
                              .metric = session->settings->metrics.item[metric].name,
                              .runs = json_array()};
    const double saved = median(seen->saved, seen->known);
    message_detail(&message, "few", "%zu", seen->all);
    message_detail(&message, "all", "%zu", all);
    message_detail(&message, "explained", "%.0f", 100 * median(seen->explained, seen->known));
    message_detail(&message, "saved", "%.0f", 100 * fabs(saved));
    message_detail(&message, "verb", saved < 0 ? "costs" : "saves");
    finish(list, &message);
}

static void add_pays(const struct session *session, size_t metric, struct seen *seen, json_t *list)
{
    struct message message = {.flag = FLAG_GAUGE_PAYS,
                              .metric = session->settings->metrics.item[metric].name,
                              .runs = json_array()};
    const double saved = median(seen->saved, seen->known);
    if (saved < pays_from) {
        json_decref(message.runs);
        return;
    }
    message_detail(&message, "saved", "%.0f", 100 * saved);
    message_detail(&message, "all", "%zu", seen->known);
    finish(list, &message);
}

static void add_metric(struct session *session, size_t metric, json_t *list)
{
    const struct settings *settings = session->settings;
    const enum against against = settings_decides_by(settings);
    struct seen used = {.all = 0}, unused = {.all = 0};
    size_t all = 0;
    for (size_t i = 0; i < settings->condition_count; i++) {
        if (!gate_decides(settings, i) || metric_is_negligible(session, i, metric))
            continue;
        const enum gauge_use use = metric_gauge_use(session, i, against, metric);
        all++;
        if (use == GAUGE_USED)
            look_at(session, i, metric, &used);
        else if (use == GAUGE_USE_UNDECLARED && metric_gauge_could(session, i, against, metric))
            look_at(session, i, metric, &unused);
        else if (use == GAUGE_USE_MOVED || use == GAUGE_USE_FEW)
            add_not_used(session, i, metric, use, list);
    }
    if (used.known > 0)
        add_used(session, metric, &used, all, list);
    if (unused.known > 0)
        add_pays(session, metric, &unused, list);
}

void gauge_warnings(struct session *session, json_t *list)
{
    const struct settings *settings = session->settings;
    for (size_t m = 0; m < settings->metrics.count && settings->gauge != GAUGE_OFF; m++)
        if (settings->metrics.item[m].decides && metrics_is_gauged(&settings->metrics, m))
            add_metric(session, m, list);
}
