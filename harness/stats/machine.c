#include "result.h"

#include "messages.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"
#include "common/trust.h"

#include <fcntl.h>
#include <gsl/gsl_cdf.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// A drift is worth a note from here on, and where chance makes one in a hundred experiments.
static const double much = 0.1, drift_level = 0.01;
static const double mad_to_sd = 1.4826;
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

// Standard deviation, by the median of the distances from the median.
static double robust_sd(const struct sample *sample)
{
    return mad_to_sd * sample_mad(sample);
}

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
                                "spread", json_figure(robust_sd(cost)), "drift", json));
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

// Experiments that are looked at, the newest ones; and lines that a file has at most.
enum { LOOKED_AT = 200, LINES_MOST = 1000 };
// The 95 % of a range are its two sides.
static const double side = 0.025;
// Medians of quiet machines differ by about so much from experiment to experiment.
static const double least_sd = 0.01;
// What is surely worse by less is not worth a word.
static const double worth_saying = 0.03;

static const struct {
    const char *reporter, *words;
} told[] = {
    {"l2", "the CPU"},
    {"gap", "getting a CPU"},
    {"memory", "the memory"},
};
enum { TOLD = sizeof told / sizeof *told };

// "" where there is none.
static const char *text_in(const json_t *experiment, const char *object, const char *name)
{
    return json_text_or_empty(json_object_get(experiment, object), name);
}

// The path of the file. False: there is no place for one, or it is not to be trusted.
static bool find_file(const json_t *experiment, char path[PATH_MAX])
{
    const char *host = text_in(experiment, "environment", "host");
    char name[NAME_MAX];
    const int length = snprintf(name, sizeof name, "machine/%s.jsonl", host);
    return *host != '\0' && strchr(host, '/') == NULL && length < (int)sizeof name &&
           kept_path(name, path) == 0 && trust_path(path);
}

static double median_in(const json_t *machine, const char *reporter)
{
    return json_number_at(json_named(json_object_get(machine, "reporters"), "name", reporter),
                          "median");
}

// A line of the file, a new reference.
static json_t *entry_of(const json_t *experiment, const json_t *machine)
{
    char now[DATE_SIZE];
    json_t *medians = json_object();
    for (size_t i = 0; i < TOLD; i++)
        json_object_set_new(medians, told[i].reporter,
                            json_figure(median_in(machine, told[i].reporter)));
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "schema", SCHEMA_MACHINE, "time",
                     date_utc(time(NULL), now), "kernel",
                     text_in(experiment, "environment", "kernel"), "cpus",
                     text_in(experiment, "settings", "target_cpus"), "medians", medians);
}

// The newest earlier lines that are comparable, in their order, and in *lines how many the file
// has; what is no line of ours is passed over.
static json_t *read_earlier(const char *path, const json_t *entry, size_t *lines)
{
    json_t *earlier = json_array();
    FILE *file = file_open_record(path);
    OWNED char *line = NULL;
    size_t size = 0;
    *lines = 0;
    while (file && getline(&line, &size, file) > 0) {
        json_t *one = json_loads(line, 0, NULL);
        ++*lines;
        if (json_text_is(one, "schema", SCHEMA_MACHINE) &&
            json_equal(json_object_get(entry, "kernel"), json_object_get(one, "kernel")) &&
            json_equal(json_object_get(entry, "cpus"), json_object_get(one, "cpus")))
            json_array_append(earlier, one);
        if (json_array_size(earlier) > LOOKED_AT)
            json_array_remove(earlier, 0);
        json_decref(one);
    }
    if (file)
        fclose(file);
    return earlier;
}

// Since when: the first of the newest earlier ones that were all as unusual. index: which entry
// each value is of.
static json_t *since(const json_t *earlier, const struct sample *logs, const size_t *index,
                     double from)
{
    size_t first = logs->count;
    while (first > 0 && logs->value[first - 1] > from)
        first--;
    return first == logs->count
               ? json_null()
               : json_string(json_text_or_empty(json_array_get(earlier, index[first]), "time"));
}

// By the logarithms of that reporter's medians. What one more experiment differs by from the usual:
// from the median of the earlier ones, and half the width of the interval in which 95 % of the next
// ones are (a prediction interval, with a robust standard deviation).
static void compare_one(const json_t *earlier, const char *reporter, double now, json_t *unusual)
{
    struct sample logs = {0};
    OWNED size_t *index = must(calloc(json_array_size(earlier) + 1, sizeof *index));
    for (size_t i = 0; i < json_array_size(earlier); i++) {
        const double value =
            json_number_at(json_object_get(json_array_get(earlier, i), "medians"), reporter);
        if (!(value > 0))
            continue;
        index[logs.count] = i;
        sample_add(&logs, log(value));
    }
    if (logs.count >= USUAL_LEAST && now > 0) {
        const double center = sample_median(&logs), count = (double)logs.count;
        const double half = gsl_cdf_tdist_Qinv(side, count - 1) * fmax(robust_sd(&logs), least_sd) *
                            sqrt(1 + 1 / count);
        const double change = log(now) - center;
        if (change - half > log1p(worth_saying))
            json_array_append_new(
                unusual,
                json_pack("{s:s, s:o, s:[o, o], s:o, s:i}", "reporter", reporter, "ratio",
                          json_figure(exp(change)), "range", json_figure(exp(change - half)),
                          json_figure(exp(change + half)), "since",
                          since(earlier, &logs, index, center + half + log1p(worth_saying)),
                          "experiments", (int)logs.count));
    }
    sample_free(&logs);
}

// Adds a line; where the file has become long, to the newest ones alone. What earlier experiments
// were like is a help, not a record: an experiment does not fail for it, and what cannot be written
// is tried again by the next one.
static void append(const char *path, const json_t *entry, bool is_long)
{
    OWNED char *text = must(json_dumps(entry, JSON_COMPACT | JSON_REAL_PRECISION(FIGURE_DIGITS)));
    OWNED char *added = text_of("%s\n", text), *line = NULL, *kept = NULL;
    size_t size = 0, kept_size = 0, number = 0;
    FILE *file = is_long ? file_open_record(path) : NULL;
    if (file) {
        FILE *out = must(open_memstream(&kept, &kept_size));
        while (getline(&line, &size, file) > 0)
            if (number++ >= LINES_MOST / 2)
                fputs(line, out);
        (void)save_text(path, stream_text(out, &kept), SAVE_STATE);
        fclose(file);
    }
    const int fd = kept_make_folder(path) == 0
                       ? open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)
                       : -1;
    if (fd >= 0) {
        (void)save_append(fd, added, strlen(added));
        (void)close(fd);
    }
}

json_t *usual_compare(const json_t *experiment, const json_t *machine)
{
    json_t *unusual = json_array();
    char path[PATH_MAX];
    size_t lines;
    if (!json_is_object(machine) || !find_file(experiment, path))
        return unusual;
    json_auto_t *entry = entry_of(experiment, machine);
    json_auto_t *earlier = read_earlier(path, entry, &lines);
    for (size_t i = 0; i < TOLD; i++)
        compare_one(earlier, told[i].reporter, median_in(machine, told[i].reporter), unusual);
    append(path, entry, lines >= LINES_MOST);
    return unusual;
}

void usual_warn(const json_t *unusual, json_t *warnings)
{
    JSON_EACH (one, unusual) {
        const json_t *range = json_object_get(one, "range");
        const char *reporter = json_text_or_empty(one, "reporter"), *words = reporter;
        const char *from = json_text_or_empty(one, "since");
        struct message message = {.flag = FLAG_MACHINE_UNUSUAL};
        for (size_t k = 0; k < TOLD; k++)
            words = strcmp(told[k].reporter, reporter) == 0 ? told[k].words : words;
        message_detail(&message, "what", "%s", words);
        message_detail(&message, "ratio", "%.2f", json_number_at(one, "ratio"));
        message_detail(&message, "range", "%.2f to %.2f",
                       json_number_value(json_array_get(range, 0)),
                       json_number_value(json_array_get(range, 1)));
        message_detail(&message, "since", "%s%.16s", *from == '\0' ? "" : " since ", from);
        message_detail(&message, "experiments", "%.0f", json_number_at(one, "experiments"));
        message_add(warnings, &message);
    }
}
