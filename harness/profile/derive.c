// From the records of a profile to the profile, and what its runs alone show.

#include "profile.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

enum { NOISE_LEAST = 8 }; // runs that a correlation is taken of, at least

// How runs alone vary from one to the next.
struct noise {
    size_t n;
    double mean_s, correlation;  // of neighbouring runs (lag 1); NAN: fewer than NOISE_LEAST
    struct interval sd;          // of log(wall time) (chi-square: too narrow where runs correlate)
    struct interval interleaved; // every second run / those between: what A beside A shows
    struct interval in_time;     // the second half / the first: drift
};

// The ratio of two halves of the same runs, which is 1 but for noise, by Student's t of the
// differences of their logarithms. `step`: from a run to the one that it is compared with; `every`:
// the first of each pair are every so many-th.
static struct interval halves_of(const double *log_s, size_t n, size_t step, size_t every,
                                 double confidence)
{
    const size_t pairs = n / 2;
    OWNED double *difference = must(calloc(pairs + 1, sizeof *difference));
    for (size_t i = 0; i < pairs; i++)
        difference[i] = log_s[i * every + step] - log_s[i * every];
    if (pairs < 2)
        return interval_between(NAN, NAN, NAN);
    const double mean = gsl_stats_mean(difference, 1, pairs),
                 half = gsl_cdf_tdist_Pinv(0.5 + confidence / 2, (double)pairs - 1) *
                        gsl_stats_sd(difference, 1, pairs) / sqrt((double)pairs);
    return interval_between(exp(mean), exp(mean - half), exp(mean + half));
}

// Returns the noise of one series of runs, at that confidence, without values that are not above 0.
static struct noise noise_of(const struct measured *measured, double confidence)
{
    struct noise noise = {.mean_s = NAN, .correlation = NAN};
    size_t runs;
    OWNED double *log_s = measured_values(measured, 0, WALL_S, &runs);
    for (size_t i = 0; i < runs; i++)
        if (log_s[i] > 0 && isfinite(log_s[i]))
            log_s[noise.n++] = log(log_s[i]);
    const size_t n = noise.n;
    noise.sd = interval_between(NAN, NAN, NAN);
    if (n > 0)
        noise.mean_s = 0;
    for (size_t i = 0; i < n; i++)
        noise.mean_s += exp(log_s[i]) / (double)n;
    if (n > 1) {
        const double df = (double)n - 1, sd = gsl_stats_sd(log_s, 1, n);
        noise.sd =
            interval_between(sd, sd * sqrt(df / gsl_cdf_chisq_Pinv(0.5 + confidence / 2, df)),
                             sd * sqrt(df / gsl_cdf_chisq_Pinv(0.5 - confidence / 2, df)));
        if (n >= NOISE_LEAST && sd > 0)
            noise.correlation = gsl_stats_lag1_autocorrelation(log_s, 1, n);
    }
    noise.interleaved = halves_of(log_s, n, 1, 2, confidence);
    noise.in_time = halves_of(log_s, n, n / 2, 1, confidence);
    return noise;
}

// What the parts of a profile are put together from.
struct work {
    const char *folder;
    json_t *plan, *reasons;
    json_t *record; // what there is of the profile
    double confidence;
    struct sensitivity sensitivity;
    // What follows is about the runs of all experiments with the program alone, each about the mean
    // of its own experiment (these may be of different hours).
    size_t runs;
    double squares, df;      // of the logarithms of their times
    double weighted, weight; // correlation of those that are long enough, by their runs
};

// Takes the text over.
static void reason(struct work *work, char *text)
{
    json_add(work->reasons, json_owned_text(text));
}

// ---- alone ----

static void add_noise(struct work *work, const struct measured *measured)
{
    const struct noise one = noise_of(measured, 0.95);
    work->runs += one.n;
    if (one.n > 1) {
        work->squares += one.sd.center * one.sd.center * (double)(one.n - 1);
        work->df += (double)(one.n - 1);
    }
    if (isfinite(one.correlation)) {
        work->weighted += one.correlation * (double)one.n;
        work->weight += (double)one.n;
    }
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

// Puts the figures of the runs alone that are among those under load: slowdowns are ratios to them.
static void put_alone(struct work *work, const struct measured *measured, const json_t *result)
{
    const json_t *baseline = json_array_get(json_object_get(result, "conditions"), 0);
    const json_t *wall = json_object_get(baseline, "wall_s");
    size_t n;
    OWNED double *each_s = measured_values(measured, 0, WALL_S, &n);
    OWNED double *user_s = measured_values(measured, 0, USER_S, &n);
    OWNED double *system_s = measured_values(measured, 0, SYSTEM_S, &n);
    double cpu_s = 0, wall_s = 0;
    for (size_t i = 0; i < n; i++) {
        cpu_s += user_s[i] + system_s[i];
        wall_s += each_s[i];
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

// Log ratios of what a reporter read beside the load of a condition to the reading alone of the
// same block, positive is worse, over the blocks that have both.
struct beside {
    size_t n;
    double mean, variance; // of one block, with n - 1; NAN below two; the mean below one
};

static struct beside beside_of(const struct measured *measured, size_t condition, size_t metric)
{
    struct beside beside = {0, 0, NAN};
    double squares = 0;
    OWNED double *alone = measured_by_block(measured, 0, metric);
    OWNED double *loaded = measured_by_block(measured, condition, metric);
    for (size_t i = 0; i < measured->session.blocks; i++) {
        if (!(alone[i] > 0 && loaded[i] > 0))
            continue;
        const double value = log(loaded[i] / alone[i]), delta = value - beside.mean;
        beside.mean += delta / (double)++beside.n;
        squares += delta * (value - beside.mean);
    }
    if (beside.n == 0)
        beside.mean = NAN;
    if (beside.n > 1)
        beside.variance = squares / (double)(beside.n - 1);
    return beside;
}

// Mean, standard error and interval (Student's t) of each reporter beside the program. A reporter
// is what the target of that experiment prints: a metric of its own.
static json_t *reporters_json(const struct measured *measured, double confidence)
{
    const struct metric_settings *metrics = &measured->experiment.settings.metrics;
    json_t *list = must(json_array());
    for (size_t m = 0; m < metrics->count && json_array_size(list) < PROFILE_REPORTERS; m++) {
        if (metrics->item[m].builtin)
            continue;
        const struct beside beside = beside_of(measured, 1, m);
        const double n = (double)beside.n, sd = sqrt(beside.variance / n),
                     reach = n > 1 ? sd * gsl_cdf_tdist_Pinv(0.5 + confidence / 2, n - 1) : NAN;
        json_add(list, must(json_pack("{s:s, s:o, s:o, s:o, s:I}", "name", metrics->item[m].name,
                                      "log_ratio", number_to_json(beside.mean), "ci",
                                      bounds_to_json(beside.mean - reach, beside.mean + reach),
                                      "sd", number_to_json(sd), "n", (json_int_t)beside.n)));
    }
    return list;
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
    json_t *ratios = must(json_object());
    for (size_t r = 0; r < BESIDE_REPORTERS; r++) {
        const size_t metric = measured_metric(measured, beside_reporters[r]);
        const bool known = metric != MAX_METRICS;
        json_put(ratios, beside_reporters[r],
                 number_to_json(known ? beside_of(measured, condition, metric).mean : NAN));
    }
    json_add(besides,
             must(json_pack("{s:s%, s:o, s:o}", "kind", name, (size_t)(dash - name), "level",
                            number_to_json(strtod(dash + 1, NULL) / 100), "log_ratios", ratios)));
}

// ---- what each experiment says; result: NULL of the first runs alone

typedef void take_experiment(struct work *work, const struct measured *measured,
                             const json_t *result);

static void take_alone(struct work *work, const struct measured *measured, const json_t *result)
{
    (void)result;
    add_noise(work, measured);
}

static void take_sensitivity(struct work *work, const struct measured *measured,
                             const json_t *result)
{
    add_noise(work, measured);
    take_machine(work, measured);
    put_alone(work, measured, result);
    sensitivity_from_result(&work->sensitivity, result);
}

static void take_added(struct work *work, const struct measured *measured, const json_t *result)
{
    struct sensitivity added;
    add_noise(work, measured);
    sensitivity_from_result(&added, result);
    sensitivity_merge(&work->sensitivity, &added);
}

static void take_pressure(struct work *work, const struct measured *measured, const json_t *result)
{
    json_t *pressure = json_object_get(work->record, "pressure"), *besides = must(json_array());
    double lap_s;
    (void)result;
    json_put(pressure, "cpus_used", cpus_used(measured, &lap_s));
    json_put(pressure, "reporters", reporters_json(measured, work->confidence));
    for (size_t i = 2; i < measured->experiment.settings.condition_count; i++)
        add_load(besides, measured, i);
    json_put(pressure, "beside_loads", besides);
    json_put(pressure, "lap_s", json_number(lap_s));
}

static bool take(struct work *work, const char *experiment, take_experiment *says)
{
    struct measured measured;
    json_auto_t *result = NULL;
    const bool judged = says != take_alone;
    const bool good = measured_open(&measured, work->folder, experiment) &&
                      (!judged || (result = study_result(work->folder, experiment)) != NULL);
    if (good)
        says(work, &measured, result);
    if (good && judged) {
        take_time(work, &measured);
        take_problems(work, result, experiment);
    }
    measured_free(&measured);
    return good;
}

static bool take_all(struct work *work)
{
    if (!take(work, STEP_ALONE, take_alone) || !take(work, STEP_SENSITIVITY, take_sensitivity) ||
        (study_is_done(work->folder, STEP_ADDED) && !take(work, STEP_ADDED, take_added)))
        return false;
    if (json_is_true(json_object_get(work->plan, "pressure")))
        return take(work, STEP_PRESSURE, take_pressure);
    reason(work, text_of("pressure: not measured: --no-pressure"));
    return true;
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
    note_kinds(work);
    json_put(record, "noise",
             must(json_pack("{s:o, s:o, s:I}", "sd",
                            number_to_json(work->df > 0 ? sqrt(work->squares / work->df) : NAN),
                            "correlation",
                            number_to_json(work->weight > 0 ? work->weighted / work->weight : NAN),
                            "n", (json_int_t)work->runs)));
    json_put(record, "sensitivity", sensitivity_to_json(&work->sensitivity));
    json_put(program, "words", json_incref(json_object_get(work->plan, "words")));
    for (size_t i = 0; i < sizeof how / sizeof *how; i++)
        json_put(program, how[i], json_text(json_text_at(work->plan, how[i])));
    json_put(record, "reasons", json_incref(work->reasons));
    json_put(record, "experiments", experiments_of(work, file));
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
    const bool good = take_all(&work);
    if (good)
        record_end(&work, file);
    json_decref(plan);
    json_decref(work.reasons);
    if (good)
        return work.record;
    json_decref(work.record);
    return NULL;
}

// ---- noise ----

static json_t *noise_to_json(const struct noise *noise, const struct gate *gate, const json_t *plan)
{
    json_t *record = must(json_pack("{s:s, s:s, s:I, s:b, s:s}", "schema", SCHEMA_NOISE, "program",
                                    json_text_at(plan, "name"), "n", (json_int_t)noise->n,
                                    "can_be_told", gate->passed, "verdict", gate->text));
    json_t *needed = must(json_array());
    for (double half = 0.02; half < 0.05; half += 0.02)
        json_add(needed, must(json_pack("{s:o, s:o}", "half_width", json_number(half), "runs",
                                        json_number(ceil(gate_runs(noise->sd.center, half))))));
    json_put(record, "mean_s", json_number(noise->mean_s));
    json_put(record, "sd", figure_json("value", noise->sd));
    json_put(record, "correlation", json_number(noise->correlation));
    json_put(record, "interleaved_halves", figure_json("ratio", noise->interleaved));
    json_put(record, "halves_in_time", figure_json("ratio", noise->in_time));
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
        const struct noise noise = noise_of(&measured, json_confidence_at(plan));
        const struct gate gate = profile_gate_judge(noise.sd.center, noise.n, 0);
        record = noise_to_json(&noise, &gate, plan);
    }
    measured_free(&measured);
    json_decref(plan);
    return record;
}
