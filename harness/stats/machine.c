// Sums up what the machine itself reached, by the probes in the records, and notes what drifted.
#include "harness/record/settings.h"
#include "messages.h"
#include "result.h"
#include "sample.h"
#include "session.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <gsl/gsl_cdf.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A drift is worth a note from here on, and where chance makes one in a hundred experiments.
static const double much = 0.1, drift_level = 0.01;
enum { DRIFT_LEAST = 5 }; // readings

// What one reporter found: a reading for each probe that it was part of. A reading's *cost* is a
// logarithm that is larger where the machine is worse.
struct readings {
    const char *name, *unit; // of the records
    bool lower_is_worse;
    size_t last_probe;
    struct sample value, cost;
};

struct machine {
    struct readings *readings;
    size_t count, probes;
};

// ---- reading ----

// A new one, unless it is there.
static struct readings *readings_of(struct machine *machine, const json_t *reading)
{
    const char *name = json_text_or_empty(reading, "name");
    for (size_t i = 0; i < machine->count; i++)
        if (strcmp(machine->readings[i].name, name) == 0)
            return &machine->readings[i];
    machine->readings =
        must(reallocarray(machine->readings, machine->count + 1, sizeof *machine->readings));
    struct readings *one = &machine->readings[machine->count++];
    *one = (struct readings){.name = name,
                             .unit = json_text_or_empty(reading, "unit"),
                             .lower_is_worse = json_text_is(reading, "worse", "lower")};
    return one;
}

// From the probes in front of runs that count.
static void take_all(struct machine *machine, const struct session *session)
{
    for (size_t i = 0; i < session->count; i++) {
        const json_t *probe = json_object_get(session->runs[i].record, "probe");
        if (session->runs[i].block <= session_left_out(session) || !json_is_object(probe))
            continue;
        JSON_EACH (reading, json_object_get(probe, "reporters")) {
            struct readings *one = readings_of(machine, reading);
            const double value = json_number_at(reading, "value");
            // A probe has one reading of each.
            if (!(value > 0) || (one->value.count > 0 && one->last_probe == machine->probes))
                continue;
            one->last_probe = machine->probes;
            sample_add(&one->value, value);
            sample_add(&one->cost, one->lower_is_worse ? -log(value) : log(value));
        }
        machine->probes++;
    }
}

// ---- figures ----

struct drift {
    double change;    // of the line from the first value to the last; NAN: too few, or equal ones
    double low, high; // its interval
    double p;         // two-sided, of no change
};

// Correlation of each value's deviation from the line with the next.
static double neighbours(const double *value, size_t n, const struct fit *fit)
{
    double cross = 0, squares = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        const double here = value[i] - fit->mean - fit->slope * ((double)i - (double)(n - 1) / 2);
        squares += here * here;
        cross += before * here;
        before = here;
    }
    return squares > 0 ? cross / squares : 0;
}

// The drift of n values in the order of time, by a straight line; neighbours that resemble each
// other beyond the line widen its interval.
static struct drift drift_of(const double *y, size_t n, double confidence)
{
    const double count = (double)n;
    const struct fit fit = fit_of(y, n);
    if (n < DRIFT_LEAST || !(fit.squares > 0))
        return (struct drift){NAN, NAN, NAN, NAN};
    // A process of first order: the variance of a mean or a slope is (1 + r) / (1 - r) as large.
    // What is left of so few about a line shows less of r than there is: (2 + 4 r) / n on average
    // (F. H. C. Marriott and J. A. Pope, Biometrika 41 (1954) 390-402).
    const double seen = neighbours(y, n, &fit);
    const double r = fmin(fmax((seen * count + 2) / (count - 4), 0), 0.9);
    const double df = fmax((count - 2) * (1 - r) / (1 + r), 1);
    const double error = fit.error * sqrt((1 + r) / (1 - r)) * (count - 1);
    const double change = fit.slope * (count - 1);
    const double half = gsl_cdf_tdist_Qinv((1 - confidence) / 2, df) * error;
    return (struct drift){change, change - half, change + half,
                          2 * gsl_cdf_tdist_Q(fabs(change) / error, df)};
}

// ---- json ----

static void warn_of_drift(const struct readings *one, const struct drift *drift, size_t tests,
                          json_t *warnings)
{
    if (!(drift->p < drift_level / (double)tests) || !(fabs(drift->change) > log1p(much)))
        return;
    struct message message = {.flag = FLAG_MACHINE_CHANGED};
    message_detail(&message, "what", "%s", one->name);
    message_detail(&message, "change", "%.3g %%", 100 * expm1(fabs(drift->change)));
    message_detail(&message, "better", drift->change > 0 ? "worse" : "better");
    message_detail(&message, "interval", "[%.3g, %.3g]",
                   100 * expm1(drift->change > 0 ? drift->low : -drift->high),
                   100 * expm1(drift->change > 0 ? drift->high : -drift->low));
    message_detail(&message, "probes", "%zu", one->cost.count);
    message_add(warnings, &message);
}

json_t *machine_json(const struct session *session, json_t *warnings)
{
    struct machine machine = {0};
    json_t *list = json_array();
    take_all(&machine, session);
    for (size_t i = 0; i < machine.count; i++) {
        struct readings *one = &machine.readings[i];
        const struct sample *cost = &one->cost;
        if (cost->count > 0) {
            const struct drift drift =
                drift_of(cost->value, cost->count, session->settings->confidence);
            json_t *json = isnan(drift.change)
                               ? json_null()
                               : json_pack("{s:o, s:[o, o], s:o}", "change",
                                           json_figure(drift.change), "ci", json_figure(drift.low),
                                           json_figure(drift.high), "p", json_figure(drift.p));
            json_array_append_new(
                list, json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "name", one->name, "unit",
                                one->unit, "worse", one->lower_is_worse ? "lower" : "higher", "n",
                                (int)cost->count, "median", json_figure(sample_median(&one->value)),
                                "spread", json_figure(sample_robust_sd(cost)), "drift", json));
            warn_of_drift(one, &drift, machine.count, warnings);
        }
        sample_free(&one->value);
        sample_free(&one->cost);
    }
    free(machine.readings);
    if (machine.probes > 0)
        return json_pack("{s:i, s:o}", "probes", (int)machine.probes, "reporters", list);
    json_decref(list);
    return json_null();
}
