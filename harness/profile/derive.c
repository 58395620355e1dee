#include "harness/stats/hub.h"
#include "profile.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { NOISE_LEAST = 8 }; // runs that a correlation is taken of, at least

// Runs alone in the order of measurement.
struct noise_series {
    const double *wall_s;
    size_t n;
};

// The ratio of two halves of the same runs, which is 1 but for noise.
struct noise_halves {
    double ratio, low, high; // NAN: too few runs
};

struct noise {
    size_t n;
    double mean_s, sd;               // sd of log(wall time)
    double low, high;                // interval of sd (chi-square: too narrow where runs correlate)
    double correlation;              // of neighbouring runs (lag 1); NAN: fewer than NOISE_LEAST
    struct noise_halves interleaved; // every second run / those between: what A beside A shows
    struct noise_halves in_time;     // the second half / the first: drift
};

static size_t take_logs(const struct noise_series *series, double *log_s)
{
    size_t n = 0;
    for (size_t i = 0; i < series->n; i++)
        if (series->wall_s[i] > 0 && isfinite(series->wall_s[i]))
            log_s[n++] = log(series->wall_s[i]);
    return n;
}

// Of n differences of logarithms, by Student's t.
static struct noise_halves ratio_of(const double *difference, size_t n, double confidence)
{
    struct noise_halves halves = {NAN, NAN, NAN};
    if (n < 2)
        return halves;
    const double count = (double)n, mean = gsl_stats_mean(difference, 1, n);
    const double half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, count - 1) *
                        gsl_stats_sd(difference, 1, n) / sqrt(count);
    return (struct noise_halves){exp(mean), exp(mean - half), exp(mean + half)};
}

// `step`: from a run to the one that it is compared with; `from`: the first of each pair are
// every so many-th.
static struct noise_halves halves_of(const double *log_s, size_t n, size_t step, size_t every,
                                     double *scratch, double confidence)
{
    const size_t pairs = n / 2;
    for (size_t i = 0; i < pairs; i++)
        scratch[i] = log_s[i * every + step] - log_s[i * every];
    return ratio_of(scratch, pairs, confidence);
}

// Of one series, at that confidence. Values that are not above 0 are left out.
static struct noise noise_of(const struct noise_series *series, double confidence)
{
    struct noise noise = {.mean_s = NAN, .sd = NAN, .low = NAN, .high = NAN, .correlation = NAN};
    noise.interleaved = noise.in_time = (struct noise_halves){NAN, NAN, NAN};
    OWNED double *log_s = calloc(2 * series->n + 1, sizeof *log_s);
    if (!log_s)
        return noise;
    const size_t n = take_logs(series, log_s);
    double *scratch = log_s + series->n;
    noise.n = n;
    if (n > 0) {
        noise.mean_s = 0;
        for (size_t i = 0; i < n; i++)
            noise.mean_s += exp(log_s[i]) / (double)n;
    }
    if (n > 1) {
        const double df = (double)n - 1;
        noise.sd = gsl_stats_sd(log_s, 1, n);
        noise.low = noise.sd * sqrt(df / gsl_cdf_chisq_Pinv(0.5 + confidence / 2, df));
        noise.high = noise.sd * sqrt(df / gsl_cdf_chisq_Pinv(0.5 - confidence / 2, df));
        if (n >= NOISE_LEAST && noise.sd > 0)
            noise.correlation = gsl_stats_lag1_autocorrelation(log_s, 1, n);
        noise.interleaved = halves_of(log_s, n, 1, 2, scratch, confidence);
        noise.in_time = halves_of(log_s, n, n / 2, 1, scratch, confidence);
    }
    return noise;
}

// How runs alone vary from one to the next.
struct profile_noise {
    double sd;          // of log(wall time)
    double correlation; // of neighbouring runs (lag 1); NAN: too few runs
    size_t n;           // runs
};

// Of several series, each about its own mean (they may be of different hours): sd and n of all
// runs, correlation of the series that are long enough, by their runs.
static struct profile_noise noise_pooled(const struct noise_series *series, size_t count)
{
    struct profile_noise pooled = {.sd = NAN, .correlation = NAN};
    double squares = 0, df = 0, weights = 0, weighted = 0;
    for (size_t i = 0; i < count; i++) {
        const struct noise one = noise_of(&series[i], 0.95);
        pooled.n += one.n;
        if (one.n > 1) {
            squares += one.sd * one.sd * (double)(one.n - 1);
            df += (double)(one.n - 1);
        }
        if (isfinite(one.correlation)) {
            weighted += one.correlation * (double)one.n;
            weights += (double)one.n;
        }
    }
    if (df > 0)
        pooled.sd = sqrt(squares / df);
    if (weights > 0)
        pooled.correlation = weighted / weights;
    return pooled;
}

enum { SERIES = 3 }; // experiments with runs of the program alone

// What the parts of a profile are put together from.
struct work {
    const char *folder;
    json_t *plan, *reasons;
    json_t *record; // what there is of the profile
    double confidence;
    struct sensitivity sensitivity;
    double *alone_s[SERIES]; // of runs alone, an experiment each
    struct noise_series series[SERIES];
    size_t series_count;
};

// Takes the text over.
static void reason(struct work *work, char *text)
{
    json_add(work->reasons, json_owned_text(text));
}

// ---- alone ----

static void keep_series(struct work *work, const struct measured *measured)
{
    struct noise_series *series = &work->series[work->series_count];
    double *alone_s = measured_values(measured, 0, WALL_S, &series->n);
    series->wall_s = work->alone_s[work->series_count++] = alone_s;
}

// CPU time of the runs alone for each time that one of them gave up the CPU by itself; NAN: not
// known.
static double burst_of(const struct measured *measured)
{
    double cpu_s = 0, waits = 0;
    EACH_USED (run, &measured->session, 0) {
        cpu_s += json_number_at(run->record, "user_s") + json_number_at(run->record, "system_s");
        waits += json_number_at(run->record, "voluntary_switches");
    }
    return isnan(waits) ? NAN : cpu_s / fmax(waits, 1);
}

// How long the program waited for a CPU that others had, in the runs alone: that is no idleness of
// its own. 0 where it is not known.
static double crowded_s(const struct measured *measured)
{
    double sum = 0;
    EACH_USED (run, &measured->session, 0) {
        const double delay_s =
            json_number_at(json_object_get(run->record, "stalls"), "run_delay_s");
        sum += delay_s > 0 ? delay_s : 0;
    }
    return sum;
}

// Of the runs alone among those under load: these are what slowdowns are ratios to.
static void take_alone(struct work *work, const struct measured *measured, const json_t *result)
{
    const json_t *baseline = json_array_get(json_object_get(result, "conditions"), 0);
    const json_t *wall = json_object_get(baseline, "wall_s");
    size_t n;
    OWNED double *user_s = measured_values(measured, 0, USER_S, &n);
    OWNED double *system_s = measured_values(measured, 0, SYSTEM_S, &n);
    double cpu_s = 0, wall_s = 0;
    for (size_t i = 0; i < n; i++) {
        cpu_s += user_s[i] + system_s[i];
        wall_s += work->series[work->series_count - 1].wall_s[i];
    }
    const double free_s = wall_s - crowded_s(measured);
    json_put(work->record, "alone",
             must(json_pack("{s:{s:o, s:o, s:o, s:I}, s:o, s:n, s:o}", "wall_s", "mean",
                            number_to_json(json_number_at(wall, "mean")), "ci",
                            bounds_to_json(json_bound_at(wall, 0), json_bound_at(wall, 1)), "sd",
                            number_to_json(json_number_at(wall, "stddev")), "n", (json_int_t)n,
                            "cpus_used", number_to_json(free_s > 0 ? cpu_s / free_s : NAN),
                            "threads", "burst_s", number_to_json(burst_of(measured)))));
}

// The profile is as old as the last of its experiments.
static void take_time(struct work *work, const struct measured *measured)
{
    const json_t *after = json_object_get(measured->experiment.json, "after");
    if (json_text_at(after, "time"))
        json_put(work->record, "made", json_text(json_text_at(after, "time")));
}

static void take_machine(struct work *work, const struct measured *measured)
{
    const json_t *json = measured->experiment.json;
    const json_t *environment = json_object_get(json, "environment");
    const json_t *placement = json_object_get(json, "placement");
    char machine[IDENTITY_DIGITS + 1];
    identity_of(environment, machine);
    json_put(json_object_get(work->record, "program"), "sha256",
             json_text(json_text_at(json_object_get(json, "program"), "sha256")));
    json_put(work->record, "machine",
             must(json_pack("{s:s, s:s, s:o}", "host", json_text_or_empty(environment, "host"),
                            "kernel", json_text_or_empty(environment, "kernel"), "hash",
                            json_text(machine[0] != '\0' ? machine : NULL))));
    json_put(work->record, "cpus",
             must(json_pack("{s:s, s:s}", "target", json_text_or_empty(placement, "target_cpus"),
                            "loads", json_text_or_empty(placement, "load_cpus"))));
}

// ---- sensitivity ----

// Whether a warning is one that the profile shows, but not in another way: how many runs there are
// is what the time allows, and what of a load was delivered is beside its slowdown.
static bool is_reason(const json_t *warning)
{
    return json_text_is(warning, "severity", "problem") &&
           !json_text_is(warning, "flag", "not-converged") &&
           !json_text_is(warning, "flag", "load-short");
}

// How many of the warnings before that one, or of all, have its flag.
static size_t with_flag(const json_t *warnings, size_t until, const char *flag)
{
    size_t count = 0;
    for (size_t i = 0; i < until; i++)
        count += json_text_is(json_array_get(warnings, i), "flag", flag);
    return count;
}

// Problems of an experiment become reasons, one for all of a flag.
static void take_problems(struct work *work, const json_t *result, const char *experiment)
{
    const json_t *warnings = json_object_get(result, "warnings");
    const size_t count = json_array_size(warnings);
    for (size_t i = 0; i < count; i++) {
        const json_t *warning = json_array_get(warnings, i);
        const char *flag = json_text_at(warning, "flag");
        const char *condition = json_text_at(warning, "condition");
        if (!is_reason(warning) || with_flag(warnings, i, flag) > 0)
            continue;
        const size_t others = with_flag(warnings, count, flag) - 1;
        OWNED char *more = others > 0 ? text_of(", and %zu more", others) : text_of("%s", "");
        char *text = text_of("%s (%s%s): %s", experiment, condition ? condition : "all", more,
                             json_text_at(warning, "message"));
        reason(work, text);
    }
}

static bool take_sensitivity(struct work *work)
{
    struct measured measured;
    json_t *result = NULL;
    const bool good = measured_open(&measured, work->folder, STEP_SENSITIVITY) &&
                      (result = study_result(work->folder, STEP_SENSITIVITY)) != NULL;
    if (good) {
        keep_series(work, &measured);
        take_machine(work, &measured);
        take_time(work, &measured);
        take_alone(work, &measured, result);
        sensitivity_from_result(&work->sensitivity, result);
        take_problems(work, result, STEP_SENSITIVITY);
    }
    json_decref(result);
    measured_free(&measured);
    return good;
}

static bool take_added(struct work *work)
{
    struct measured measured;
    struct sensitivity added;
    json_t *result = NULL;
    if (!study_is_done(work->folder, STEP_ADDED))
        return true;
    const bool good = measured_open(&measured, work->folder, STEP_ADDED) &&
                      (result = study_result(work->folder, STEP_ADDED)) != NULL;
    if (good) {
        keep_series(work, &measured);
        take_time(work, &measured);
        sensitivity_from_result(&added, result);
        sensitivity_merge(&work->sensitivity, &added);
        take_problems(work, result, STEP_ADDED);
    }
    json_decref(result);
    measured_free(&measured);
    return good;
}

static bool take_first_runs(struct work *work)
{
    struct measured measured;
    const bool good = measured_open(&measured, work->folder, STEP_ALONE);
    if (good)
        keep_series(work, &measured);
    measured_free(&measured);
    return good;
}

// A kind without any point, or whose load did not deliver, cannot be told.
static void note_kinds(struct work *work)
{
    JSON_EACH (kind, json_object_get(work->plan, "kinds")) {
        const char *name = json_string_value(kind);
        if (sensitivity_is_known(&work->sensitivity, name))
            continue;
        reason(work, text_of("%s: its slowdown is not known: too few blocks were measured", name));
    }
}

// ---- pressure ----

// The reporters that the experiment measured, block by block, beside the load of that condition.
static struct pressure_readings read_beside(const struct measured *measured, size_t condition)
{
    struct pressure_readings beside = {.blocks = measured->session.blocks};
    const struct metric_settings *metrics = &measured->experiment.settings.metrics;
    double *alone[PROFILE_REPORTERS], *loaded[PROFILE_REPORTERS];
    for (size_t metric = 0; metric < metrics->count && beside.reporters < PROFILE_REPORTERS;
         metric++) {
        if (metrics->item[metric].builtin)
            continue; // a reporter is what its target prints
        alone[beside.reporters] = measured_by_block(measured, 0, metric);
        loaded[beside.reporters] = measured_by_block(measured, condition, metric);
        beside.name[beside.reporters++] = metrics->item[metric].name;
    }
    beside.log_ratio = must(calloc(beside.blocks * beside.reporters + 1, sizeof *beside.log_ratio));
    for (size_t i = 0; i < beside.reporters; i++) {
        for (size_t b = 0; b < beside.blocks; b++)
            beside.log_ratio[b * beside.reporters + i] =
                alone[i][b] > 0 && loaded[i][b] > 0 ? log(loaded[i][b] / alone[i][b]) : NAN;
        free(alone[i]);
        free(loaded[i]);
    }
    return beside;
}

// What the looping program used itself; *lap_s: the time of one run of it.
static json_t *cpus_used(const struct measured *measured, double *lap_s)
{
    double cpu_s = 0, elapsed_s = 0, laps = 0;
    EACH_USED (run, &measured->session, 1) {
        const json_t *load = json_array_get(json_object_get(run->record, "load"), 0);
        if (!load)
            continue;
        cpu_s += json_number_at(load, "cpu_s");
        elapsed_s += json_number_at(load, "elapsed_s");
        laps += json_number_at(load, "laps");
    }
    *lap_s = laps > 0 ? elapsed_s / laps : NAN;
    return number_to_json(elapsed_s > 0 ? cpu_s / elapsed_s : NAN);
}

// Adds what the load of a condition, "cpu-50", does to the reporters: log ratios to alone, positive
// is worse. Nothing where it is none at a level.
static void add_load(json_t *besides, const struct measured *measured, size_t condition)
{
    const char *name = measured->experiment.settings.conditions[condition];
    const char *dash = strrchr(name, '-');
    if (!dash || (size_t)(dash - name) >= SENSITIVITY_NAME ||
        json_array_size(besides) == PROFILE_BESIDE)
        return;
    const struct pressure_readings beside = read_beside(measured, condition);
    json_t *ratios = must(json_object());
    for (size_t r = 0; r < BESIDE_REPORTERS; r++) {
        double log_ratio = NAN;
        for (size_t i = 0; i < beside.reporters; i++)
            if (strcmp(beside.name[i], beside_reporters[r]) == 0)
                log_ratio = pressure_mean(&beside, i);
        json_put(ratios, beside_reporters[r], number_to_json(log_ratio));
    }
    json_add(besides,
             must(json_pack("{s:s%, s:o, s:o}", "kind", name, (size_t)(dash - name), "level",
                            number_to_json(strtod(dash + 1, NULL) / 100), "log_ratios", ratios)));
    free(beside.log_ratio);
}

static void take_readings(struct work *work, const struct measured *measured)
{
    const struct pressure_readings beside = read_beside(measured, 1);
    json_t *pressure = json_object_get(work->record, "pressure"), *besides = must(json_array());
    double lap_s;
    json_put(pressure, "cpus_used", cpus_used(measured, &lap_s));
    json_put(pressure, "reporters", pressure_reporters(&beside, work->confidence));
    for (size_t i = 2; i < measured->experiment.settings.condition_count; i++)
        add_load(besides, measured, i);
    json_put(pressure, "beside_loads", besides);
    json_put(pressure, "lap_s", json_number(lap_s));
    free(beside.log_ratio);
}

static bool take_pressure(struct work *work)
{
    struct measured measured;
    json_t *result = NULL;
    if (!json_is_true(json_object_get(work->plan, "pressure"))) {
        reason(work, text_of("pressure: not measured: --no-pressure"));
        return true;
    }
    const bool good = measured_open(&measured, work->folder, STEP_PRESSURE) &&
                      (result = study_result(work->folder, STEP_PRESSURE)) != NULL;
    if (good) {
        take_readings(work, &measured);
        take_time(work, &measured);
        take_problems(work, result, STEP_PRESSURE);
    }
    json_decref(result);
    measured_free(&measured);
    return good;
}

// ---- the record ----

// The folder of the records, as seen from the profile beside it.
static json_t *experiments_of(const struct work *work, const char *file)
{
    static const char *const names[] = {STEP_ALONE, STEP_SENSITIVITY, STEP_ADDED, STEP_PRESSURE};
    const char *slash = strrchr(file, '/');
    const size_t beside = slash ? (size_t)(slash + 1 - file) : 0;
    const bool same = strncmp(work->folder, file, beside) == 0;
    json_t *list = must(json_array());
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (!study_is_done(work->folder, names[i]))
            continue;
        json_add(list,
                 json_owned_text(text_of("%s/%s", work->folder + (same ? beside : 0), names[i])));
    }
    return list;
}

// What is known before anything is read, in the order of the record.
static json_t *record_begin(const json_t *plan)
{
    return must(json_pack(
        "{s:s, s:n, s:s, s:{s:o, s:n}, s:n, s:s, s:n, s:o, s:n, s:n, s:n, s:{s:n, s:[], s:[]}}",
        "schema", SCHEMA_PROGRAM, "made", "jostle", JOSTLE_VERSION, "program", "name",
        json_text(json_text_at(plan, "name")), "sha256", "machine", "place",
        json_text_or_empty(plan, "place"), "cpus", "confidence",
        number_to_json(json_confidence_at(plan)), "alone", "noise", "sensitivity", "pressure",
        "cpus_used", "reporters", "beside_loads"));
}

static void record_end(struct work *work, const char *file)
{
    static const char *const how[] = {"input",    "setup",   "prepare",
                                      "conclude", "cleanup", "ignore_failure"};
    json_t *record = work->record, *program = json_object_get(record, "program");
    const struct profile_noise noise = noise_pooled(work->series, work->series_count);
    note_kinds(work);
    json_put(record, "noise",
             must(json_pack("{s:o, s:o, s:I}", "sd", number_to_json(noise.sd), "correlation",
                            number_to_json(noise.correlation), "n", (json_int_t)noise.n)));
    json_put(record, "sensitivity", sensitivity_to_json(&work->sensitivity));
    json_put(program, "words", json_incref(json_object_get(work->plan, "words")));
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        json_put(program, how[i], json_text(json_text_at(work->plan, how[i])));
    json_put(record, "reasons", json_incref(work->reasons));
    json_put(record, "experiments", experiments_of(work, file));
}

static void work_free(struct work *work)
{
    for (size_t i = 0; i < work->series_count; i++) {
        free(work->alone_s[i]);
    }
    json_decref(work->plan);
    json_decref(work->reasons);
    json_decref(work->record);
}

json_t *derive_profile(const char *folder, const char *file)
{
    json_t *plan = study_plan(&profile_study, folder);
    if (!plan)
        return NULL;
    struct work work = {.folder = folder,
                        .plan = plan,
                        .reasons = must(json_deep_copy(json_object_get(plan, "reasons"))),
                        .record = record_begin(plan),
                        .confidence = json_confidence_at(plan)};
    const bool good = take_first_runs(&work) && take_sensitivity(&work) && take_added(&work) &&
                      take_pressure(&work);
    json_t *record = good ? json_incref(work.record) : NULL;
    if (good)
        record_end(&work, file);
    work_free(&work);
    return record;
}

// ---- noise ----

static json_t *halves_to_json(const struct noise_halves *halves)
{
    return figure_json(
        "ratio",
        (struct interval){.center = halves->ratio, .low = halves->low, .high = halves->high});
}

static json_t *noise_to_json(const struct noise *noise, const struct gate *gate, const json_t *plan)
{
    const struct interval sd = {.center = noise->sd, .low = noise->low, .high = noise->high};
    json_t *record = must(json_pack("{s:s, s:s, s:I, s:b, s:s}", "schema", SCHEMA_NOISE, "program",
                                    json_text_at(plan, "name"), "n", (json_int_t)noise->n,
                                    "can_be_told", gate->passed, "verdict", gate->text));
    json_t *needed = must(json_array());
    for (double half = 0.02; half < 0.05; half += 0.02)
        json_add(needed, must(json_pack("{s:o, s:o}", "half_width", json_number(half), "runs",
                                        json_number(ceil(gate_runs(noise->sd, half))))));
    json_put(record, "mean_s", json_number(noise->mean_s));
    json_put(record, "sd", figure_json("value", sd));
    json_put(record, "correlation", json_number(noise->correlation));
    json_put(record, "interleaved_halves", halves_to_json(&noise->interleaved));
    json_put(record, "halves_in_time", halves_to_json(&noise->in_time));
    json_put(record, "runs_needed", needed);
    return record;
}

json_t *derive_noise(const char *folder)
{
    struct measured measured;
    json_t *plan = study_plan(&profile_study, folder), *record = NULL;
    if (!plan)
        return NULL;
    if (measured_open(&measured, folder, STEP_ALONE)) {
        struct noise_series series;
        OWNED double *alone_s = measured_values(&measured, 0, WALL_S, &series.n);
        series.wall_s = alone_s;
        const struct noise noise = noise_of(&series, json_confidence_at(plan));
        const struct gate gate = profile_gate_judge(noise.sd, noise.n, 0);
        record = noise_to_json(&noise, &gate, plan);
    }
    measured_free(&measured);
    json_decref(plan);
    return record;
}
