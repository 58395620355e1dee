#include "machine.h"

#include "json.h"
#include "judge.h"
#include "messages.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

// A drift is worth a note from here on, and where chance makes one in a hundred experiments.
static const double much = 0.1, drift_level = 0.01;
static const double mad_to_sd = 1.4826;
enum { DRIFT_LEAST = 5 }; // readings

// What one reporter found: a reading for each probe that it was part of. A reading's *cost* is a
// logarithm that is larger where the machine is worse.
struct readings {
    const char *name, *unit; // of the records
    bool lower_is_worse;
    size_t count, last_probe;
    double *value, *cost;
};

struct machine {
    struct readings *readings;
    size_t count, probes;
};

// ---- reading ----

static struct readings *find(const struct machine *machine, const char *name)
{
    for (size_t i = 0; i < machine->count; i++)
        if (strcmp(machine->readings[i].name, name) == 0)
            return &machine->readings[i];
    return NULL;
}

// A new one with room for as many readings.
static struct readings *add(struct machine *machine, const json_t *reading, size_t most)
{
    machine->readings =
        must(reallocarray(machine->readings, machine->count + 1, sizeof *machine->readings));
    struct readings *one = &machine->readings[machine->count++];
    *one = (struct readings){.name = json_text_or_empty(reading, "name"),
                             .unit = json_text_or_empty(reading, "unit"),
                             .lower_is_worse =
                                 strcmp(json_text_or_empty(reading, "worse"), "lower") == 0,
                             .value = must(calloc(most + 1, sizeof(double))),
                             .cost = must(calloc(most + 1, sizeof(double)))};
    return one;
}

static void take_reading(struct machine *machine, const json_t *reading, size_t most)
{
    struct readings *one = find(machine, json_text_or_empty(reading, "name"));
    if (!one)
        one = add(machine, reading, most);
    const double value = json_number_at(reading, "value");
    // A probe has one reading of each.
    if (!(value > 0) || (one->count > 0 && one->last_probe == machine->probes))
        return;
    one->last_probe = machine->probes;
    one->value[one->count] = value;
    one->cost[one->count++] = one->lower_is_worse ? -log(value) : log(value);
}

// From the probes in front of runs that count.
static void take_all(struct machine *machine, const struct session *session,
                     const struct replay *replay)
{
    for (size_t i = 0; i < session->count; i++) {
        const json_t *probe = json_object_get(replay->used[i], "probe");
        const json_t *list = json_object_get(probe, "reporters");
        if (session->runs[i].block <= session_left_out(session) || !json_is_object(probe))
            continue;
        for (size_t k = 0; k < json_array_size(list); k++)
            take_reading(machine, json_array_get(list, k), session->count);
        machine->probes++;
    }
}

// ---- figures ----

static double median_of(const double *value, size_t n, double *scratch)
{
    memcpy(scratch, value, n * sizeof *value);
    gsl_sort(scratch, 1, n);
    return gsl_stats_median_from_sorted_data(scratch, 1, n);
}

// Standard deviation, by the median of the distances from the median.
static double robust_sd(const double *value, size_t n, double *scratch)
{
    const double middle = median_of(value, n, scratch);
    for (size_t i = 0; i < n; i++)
        scratch[i] = fabs(value[i] - middle);
    gsl_sort(scratch, 1, n);
    return mad_to_sd * gsl_stats_median_from_sorted_data(scratch, 1, n);
}

struct drift {
    double change;    // of the line from the first value to the last; NAN: too few, or equal ones
    double low, high; // its interval
    double p;         // two-sided, of no change
};

// Correlation of each value's deviation from the line a + b i with the next.
static double neighbours(const double *value, size_t n, double a, double b)
{
    double cross = 0, squares = 0;
    for (size_t i = 0; i < n; i++) {
        const double here = value[i] - a - b * (double)i;
        squares += here * here;
        if (i + 1 < n)
            cross += here * (value[i + 1] - a - b * (double)(i + 1));
    }
    return squares > 0 ? cross / squares : 0;
}

// The drift of n values in the order of time, by a straight line; neighbours that resemble each
// other beyond the line widen its interval.
static struct drift drift_of(const double *y, size_t n, double confidence)
{
    const double count = (double)n, middle = (count - 1) / 2;
    double mean = 0, xy = 0, yy = 0;
    for (size_t i = 0; i < n; i++)
        mean += y[i] / count;
    for (size_t i = 0; i < n; i++) {
        xy += ((double)i - middle) * (y[i] - mean);
        yy += (y[i] - mean) * (y[i] - mean);
    }
    if (n < DRIFT_LEAST || !(yy > 0))
        return (struct drift){NAN, NAN, NAN, NAN};
    const double xx = count * (count * count - 1) / 12, slope = xy / xx;
    const double rest = fmax(yy - slope * xy, 1e-12 * yy);
    // A process of first order: the variance of a mean or a slope is (1 + r) / (1 - r) as large.
    // What is left of so few about a line shows less of r than there is: (2 + 4 r) / n on average
    // (F. H. C. Marriott and J. A. Pope, Biometrika 41 (1954) 390-402).
    const double seen = neighbours(y, n, mean - slope * middle, slope);
    const double r = fmin(fmax((seen * count + 2) / (count - 4), 0), 0.9);
    const double df = fmax((count - 2) * (1 - r) / (1 + r), 1);
    const double error = sqrt(rest / (count - 2) / xx * (1 + r) / (1 - r)) * (count - 1);
    const double change = slope * (count - 1);
    const double half = gsl_cdf_tdist_Qinv((1 - confidence) / 2, df) * error;
    return (struct drift){change, change - half, change + half,
                          2 * gsl_cdf_tdist_Q(fabs(change) / error, df)};
}

// ---- json ----

static json_t *drift_json(const struct drift *drift)
{
    if (isnan(drift->change))
        return json_null();
    return json_pack("{s:o, s:[o, o], s:o}", "change", json_figure(drift->change), "ci",
                     json_figure(drift->low), json_figure(drift->high), "p", json_figure(drift->p));
}

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
    message_detail(&message, "probes", "%zu", one->count);
    message_add(warnings, &message);
}

static void add_json(const struct machine *machine, const struct readings *one,
                     const struct settings *settings, json_t *list, json_t *warnings)
{
    if (one->count == 0)
        return;
    double *scratch = must(calloc(one->count, sizeof *scratch));
    const struct drift drift = drift_of(one->cost, one->count, settings->confidence);
    json_array_append_new(
        list, json_pack("{s:s, s:s, s:s, s:i, s:o, s:o, s:o}", "name", one->name, "unit", one->unit,
                        "worse", one->lower_is_worse ? "lower" : "higher", "n", (int)one->count,
                        "median", json_figure(median_of(one->value, one->count, scratch)), "spread",
                        json_figure(robust_sd(one->cost, one->count, scratch)), "drift",
                        drift_json(&drift)));
    warn_of_drift(one, &drift, machine->count, warnings);
    free(scratch);
}

json_t *machine_json(const struct session *session, const struct replay *replay, json_t *warnings)
{
    struct machine machine = {0};
    json_t *list = json_array();
    take_all(&machine, session, replay);
    for (size_t i = 0; i < machine.count; i++) {
        add_json(&machine, &machine.readings[i], session->settings, list, warnings);
        free(machine.readings[i].value);
        free(machine.readings[i].cost);
    }
    free(machine.readings);
    if (machine.probes > 0)
        return json_pack("{s:i, s:o}", "probes", (int)machine.probes, "reporters", list);
    json_decref(list);
    return json_null();
}
