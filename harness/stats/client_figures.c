// Warns where a client's figures cannot be what they seem.
#include "harness/record/settings.h"
#include "interval.h"
#include "messages.h"
#include "record.h"
#include "result.h"
#include "sample.h"
#include "session.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- clients and services ----

// So many requests beyond a quantile make its relative error about a tenth (that of a count).
static const double needed_beyond = 100;
// A rate that is missed by more is not the one that was to be measured.
static const double rate_share = 0.05;
// Halves of a run that differ by less may differ as runs do.
static const double halves_share = 0.05;

// Of one condition; their definitions are those of settings.metrics.
struct view {
    struct session *session;
    const json_t *definitions;
    size_t condition;
    json_t *warnings;
};

// ---- definitions ----

static bool is_figure(const json_t *definition)
{
    const char *role = json_text_or_empty(definition, "role");
    return *role == '\0' || strcmp(role, "result") == 0;
}

// The helper of that role for a figure, or of any figure where that is NULL; NULL: there is none.
static const json_t *helper_of(const struct view *view, const json_t *figure, const char *role)
{
    JSON_EACH (one, view->definitions)
        if (json_text_is(one, "role", role) &&
            strcmp(json_text_or_empty(one, "adapter"), json_text_or_empty(figure, "adapter")) == 0)
            return one;
    return NULL;
}

// Of p99, p999_us, lat_p50: 0.99, 0.999, 0.5. NAN: the name says no quantile.
static double quantile_of_name(const char *name)
{
    for (const char *at = name; (at = strchr(at, 'p')) != NULL; at++) {
        const size_t digits = strspn(at + 1, "0123456789");
        const char after = at[1 + digits];
        if (digits < 1 || (at != name && at[-1] != '_') || (after != '\0' && after != '_'))
            continue;
        if (strncmp(at, "p100", 4) == 0) // the largest
            return NAN;
        return strtod(at + 1, NULL) / pow(10, digits == 1 ? 2 : (double)digits);
    }
    return NAN;
}

// ---- what the runs of a condition say ----

// Of a run a helper's value; NAN: it is not known.
static double run_value(const struct view *view, const struct observation *run,
                        const json_t *helper)
{
    size_t i = 0;
    while (json_array_get(view->definitions, i) != helper)
        i++;
    return view->session->defined[run->fact * json_array_size(view->definitions) + i];
}

// In a search for the capacity the runs beyond it are as bad as they have to be.
static bool is_meant(const struct observation *run)
{
    return !(run->y > 0);
}

static struct message about(const struct view *view, enum flag flag, const json_t *figure)
{
    return (struct message){.flag = flag,
                            .condition = view->session->settings->conditions[view->condition],
                            .metric = figure ? json_text_or_empty(figure, "name") : NULL};
}

// ---- the warnings ----

static void warn_of_few(const struct view *view, const json_t *figure)
{
    const double given = json_number_at(figure, "quantile");
    const double quantile =
        isnan(given) ? quantile_of_name(json_text_or_empty(figure, "name")) : given;
    const json_t *helper = helper_of(view, figure, "requests");
    if (!helper || !(quantile > 0 && quantile < 1))
        return;
    const double needed = ceil(needed_beyond / (1 - quantile) - 1e-6);
    struct message message = about(view, FLAG_FEW_REQUESTS, figure);
    double least = INFINITY;
    EACH_USED (run, view->session, view->condition) {
        const double value = run_value(view, run, helper);
        if (!is_meant(run))
            continue;
        message.of_runs++;
        if (value < needed)
            message_run(&message, run->order);
        least = fmin(least, isnan(value) ? INFINITY : value);
    }
    message_detail(&message, "least", "%.0f", least);
    message_detail(&message, "needed", "%.0f", needed);
    message_detail(&message, "quantile", "%.5g", 100 * quantile);
    message_add_some(view->warnings, &message);
}

static void warn_of_errors(const struct view *view)
{
    struct message message = about(view, FLAG_CLIENT_ERRORS, NULL);
    const json_t *helper = NULL;
    double sum = 0, requests = 0;
    JSON_EACH (one, view->definitions)
        helper = !helper && json_text_is(one, "role", "requests") ? one : helper;
    EACH_USED (run, view->session, view->condition) {
        double errors = NAN; // of all kinds
        JSON_EACH (one, view->definitions)
            if (json_text_is(one, "role", "errors") && is_meant(run))
                errors = (isnan(errors) ? 0 : errors) + fmax(run_value(view, run, one), 0);
        message.of_runs += isnan(errors) ? 0 : 1;
        requests += helper && is_meant(run) ? run_value(view, run, helper) : 0;
        if (!(errors > 0))
            continue;
        message_run(&message, run->order);
        sum += errors;
    }
    message_detail(&message, "errors", "%.0f error%s", sum, sum == 1 ? "" : "s");
    // Some clients do not count what failed among their requests.
    if (requests > 0)
        message_detail(&message, "share", ", %.3g for each 100 requests, ", 100 * sum / requests);
    else
        message_detail(&message, "share", " ");
    message_add_some(view->warnings, &message);
}

// By the rate that the client was told to make: what was varied, or else what its command, or it
// itself, says. What it has sent may be less.
static void warn_of_rate(const struct view *view, const json_t *achieved)
{
    const json_t *offered = helper_of(view, achieved, "offered");
    const struct settings *settings = view->session->settings;
    const bool varies_rate = settings_varies_rate(settings);
    struct message message = about(view, FLAG_RATE_MISSED, NULL);
    double least = INFINITY;
    EACH_USED (run, view->session, view->condition) {
        const double done = run_value(view, run, achieved);
        const double due = varies_rate ? exp(run->x)
                           : offered   ? run_value(view, run, offered)
                                       : NAN;
        // In a search for the capacity a rate that was not sent is never kept.
        if ((!varies_rate && !is_meant(run)) || !(due > 0) || isnan(done))
            continue;
        message.of_runs++;
        if (varies_rate ? !run->unsent : !(fabs(done - due) > rate_share * due))
            continue;
        message_run(&message, run->order);
        least = fabs(done / due - 1) > fabs(least - 1) || isinf(least) ? done / due : least;
    }
    message_detail(&message, "percent", "%.3g", 100 * least);
    message_detail(&message, "meaning", "%s",
                   varies_rate ? "such runs count as not kept although their answers were in time, "
                                 "so the capacity may be the client's"
                               : "its latencies are of another rate");
    message_add_some(view->warnings, &message);
}

// Whether the mean of the runs' own ratios of halves is surely apart from 1, and by enough.
static void warn_of_halves(const struct view *view, const json_t *helper)
{
    struct sample sample = {0};
    EACH_USED (run, view->session, view->condition)
        if (is_meant(run) && isfinite(run_value(view, run, helper)))
            sample_add(&sample, run_value(view, run, helper));
    if (sample.count >= 3) {
        const double half = critical_t(&view->session->critical, (double)sample.count - 1) *
                            sqrt(sample_variance(&sample) / (double)sample.count);
        const double apart = fabs(sample.mean - 1);
        if (apart > half && apart > halves_share) {
            struct message message = about(view, FLAG_HALVES, NULL);
            message_detail(&message, "name", "%s", json_text_or_empty(helper, "name"));
            message_detail(&message, "change", "%+.3g", 100 * (sample.mean - 1));
            message_detail(&message, "error", "%.2g", 100 * half);
            message.of_runs = sample.count;
            message_add(view->warnings, &message);
        }
    }
    sample_free(&sample);
}

// A loop that is rated is open where the client was told a rate.
static bool is_closed(const struct view *view, const json_t *figure)
{
    const json_t *offered = helper_of(view, figure, "offered");
    if (json_text_is(figure, "loop", "closed"))
        return true;
    if (!json_text_is(figure, "loop", "rated"))
        return false;
    for (size_t i = 0; offered && i < view->session->count; i++)
        if (run_value(view, &view->session->runs[i], offered) > 0)
            return false;
    return true;
}

// Once for all figures of closed loops, as it is about the client.
static void warn_of_loop(const struct view *view)
{
    OWNED char *names = NULL;
    size_t count = 0;
    JSON_EACH (one, view->definitions) {
        if (!is_figure(one) || !is_closed(view, one))
            continue;
        names = text_joined(names, ", ", json_text_or_empty(one, "name"));
        count++;
    }
    if (count == 0)
        return;
    // A rate that the client does not keep while the service stalls is no capacity.
    struct message message = {.flag = settings_has_capacity(view->session->settings)
                                          ? FLAG_CLOSED_CAPACITY
                                          : FLAG_CLOSED_LOOP};
    message_detail(&message, "names", "%s", names);
    message_detail(&message, "verb", "%s", count == 1 ? "leaves" : "leave");
    message_add(view->warnings, &message);
}

void client_warnings(struct session *session, json_t *warnings)
{
    struct view view = {.session = session,
                        .definitions = experiment_setting(session->experiment, "metrics"),
                        .warnings = warnings};
    warn_of_loop(&view);
    for (; view.condition < session->settings->condition_count; view.condition++) {
        JSON_EACH (one, view.definitions) {
            if (is_figure(one))
                warn_of_few(&view, one);
            else if (json_text_is(one, "role", "achieved"))
                warn_of_rate(&view, one);
            else if (json_text_is(one, "role", "halves"))
                warn_of_halves(&view, one);
        }
        warn_of_errors(&view);
    }
}
