// The experiments of a profile in their order, and what fits into its time.

#include "profile.h"

#include "common/child.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "common/text.h"

#include <math.h>
#include <string.h>

const struct study profile_study = {"profile", "profile-plan.json", SCHEMA_PROFILE_PLAN};

// What fits into the time of a profile, and where further levels are worth it. Pure.

// Blocks of the sensitivity at least, and of any experiment at most.
enum { BUDGET_BLOCKS = 4, BUDGET_RUNS = 60 };

// What is known; the rest after the runs alone.
struct profile_state {
    const char *folder;
    const json_t *plan;
    bool verbose, dry_run;
    double total_s;                            // for the whole profile
    double spent_s;                            // by the runs alone
    double wall_s;                             // a run of the program alone
    double overhead_s;                         // around a run, prepare and conclude included
    size_t conditions;                         // of the sensitivity: alone, and under each load
    bool adds;                                 // levels may be added
    bool has_pressure;                         // reporters are measured, too
    double sensitivity_s, added_s, pressure_s; // shares of the total
    double least_s;  // the total that makes BUDGET_BLOCKS blocks, and enough pairs of readings
    size_t added;    // levels that may be added, at most
    double sample_s; // of the reporters, in each run of theirs
};

struct budget_level {
    char kind[SENSITIVITY_NAME];
    double level;
    double doubt; // how far, in log(slowdown), the curve may be from the straight line there
};

// The shares of the time that is left after the runs alone.
static const double sensitivity_share = 0.40, added_share = 0.12, pressure_share = 0.40;
static const double loaded_ratio = 1.5; // time under load / alone, on average
static const double load_s = 0.1;       // to resume a load, and until it is steady
static const double start_s = 0.5;      // an experiment's own start and end
static const double open_s = 0.4;       // until the reporters can begin
static const double least_sample_s = 0.5;
enum { ADDED_BLOCKS = 6, MOST_ADDED = 8, PRESSURE_BLOCKS = 4 };

// A run under load, with what is around it.
static double loaded_s(const struct profile_state *state)
{
    return loaded_ratio * state->wall_s + state->overhead_s + load_s;
}

static double block_s(const struct profile_state *state)
{
    return state->wall_s + state->overhead_s + (double)(state->conditions - 1) * loaded_s(state);
}

// Readings alone, beside each load and beside the program: of that a lap until it is steady, and a
// part of one more.
static double beside_s(const struct profile_state *state, double sample_s)
{
    return (double)(1 + state->conditions) * (sample_s + open_s) + loaded_ratio * state->wall_s;
}

// The total that gives each part its least.
static double least_s(const struct profile_state *state, double share)
{
    const double of_blocks_s = (BUDGET_BLOCKS * block_s(state) + start_s) / share;
    const double of_pressure_s =
        (PRESSURE_BLOCKS * beside_s(state, least_sample_s) + start_s) / pressure_share;
    return state->spent_s + (state->has_pressure ? fmax(of_blocks_s, of_pressure_s) : of_blocks_s);
}

// A run under load is taken for 1.5 times as long as alone.
static void budget(struct profile_state *state)
{
    const double left_s = fmax(state->total_s - state->spent_s, 0);
    double share = sensitivity_share;
    share += state->adds ? 0 : added_share;
    share += state->has_pressure ? 0 : pressure_share;
    state->sensitivity_s = fmax(share * left_s - start_s, 0);
    state->added_s = state->adds ? fmax(added_share * left_s - start_s, 0) : 0;
    state->pressure_s = state->has_pressure ? fmax(pressure_share * left_s - start_s, 0) : 0;
    state->least_s = least_s(state, share);
    const double added = state->added_s / ADDED_BLOCKS - state->wall_s - state->overhead_s;
    state->added = added > 0 ? (size_t)fmin(added / loaded_s(state), MOST_ADDED) : 0;
    // Long enough to meet most phases of the program, and short enough for many pairs.
    state->sample_s =
        fmin(fmax(state->wall_s, least_sample_s),
             fmax(least_sample_s, state->pressure_s / (10 * (double)(1 + state->conditions))));
}

// Insertion by doubt, into at most `most` of which `count` are used.
static size_t insert_level(struct budget_level *level, size_t count, size_t most,
                           const struct budget_level *one)
{
    size_t at = count;
    while (at > 0 && level[at - 1].doubt < one->doubt)
        at--;
    if (at == most)
        return count;
    const size_t kept = count < most ? count : most - 1;
    memmove(&level[at + 1], &level[at], (kept - at) * sizeof *level);
    level[at] = *one;
    return kept + 1;
}

// Where levels are to be added: between neighbouring points of the monotone curves, in the
// middle. A monotone curve is at most half of its rise away from the straight line there; where
// that is above `tolerance`, and the rise is more than its standard error, another point is
// worth it. The largest first, at most `most`. How many.
static size_t budget_levels(const struct sensitivity *sensitivity, double tolerance,
                            struct budget_level *level, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; i < sensitivity->count && most > 0; i++) {
        const struct sensitivity_curve *curve = &sensitivity->curve[i];
        double below = 0, log_below = 0;
        for (size_t k = 0; k < curve->count; k++) {
            const struct sensitivity_point *point = &curve->point[k];
            if (!isfinite(point->fit))
                continue;
            const double rise = log(point->fit) - log_below;
            struct budget_level one = {.level = (below + point->level) / 2, .doubt = rise / 2};
            strcpy(one.kind, curve->kind);
            if (one.doubt > tolerance && rise > point->sd)
                count = insert_level(level, count, most, &one);
            below = point->level;
            log_below = log(point->fit);
        }
    }
    return count;
}

// ---- the steps ----

static const double default_s = 180;
static const double least_wall_s = 0.010;   // a shorter run is mostly its own start
static const double level_tolerance = 0.02; // of log(slowdown), where levels are added
static const double noise_s = 50;           // of --check-noise, besides its start
enum { ALONE_RUNS = 10, NOISE_RUNS = 400 };

// How many runs of each condition are made at most: --max-runs, or less.
static double most_runs(const json_t *plan, double most)
{
    const double given = json_number_at(plan, "max_runs");
    return given > 0 ? fmin(given, most) : most;
}

// How every experiment of the profile begins: runs is how many blocks it makes at most.
static void begin_step(const struct profile_state *state, const char *command, const char *name,
                       double runs, double time_s)
{
    study_step(command, state->folder, name);
    if (!state->verbose)
        study_word("--quiet");
    // A fixed number of runs, cut short by time alone: nothing depends on what was measured, so
    // that no interval has to be wider for it.
    study_number("--runs", "%.0f", runs);
    study_number("--max-time", "%.1fs", time_s);
}

static void end_with_program(const json_t *plan)
{
    study_word("--");
    study_words(json_object_get(plan, "words"));
    study_step_end();
}

static void put_load(const char *kind, double level)
{
    char spec[64];
    kind_spec(kind_find(kind), level, spec, sizeof spec);
    OWNED char *load = text_of("%s-%g=%s", kind, round(level * 1000) / 10, spec);
    study_option("--load", load);
}

static void put_loads(const json_t *plan)
{
    JSON_EACH (kind, json_object_get(plan, "kinds")) {
        JSON_EACH (level, json_object_get(plan, "levels")) {
            put_load(json_string_value(kind), json_number_value(level));
        }
    }
}

// ---- alone ----

static void step_alone(const struct profile_state *state)
{
    const json_t *plan = state->plan;
    const bool noise = json_is_true(json_object_get(plan, "check_noise"));
    const double given_s = json_number_at(plan, "max_time_s");
    const double most_s = noise ? fmin(noise_s, given_s > 0 ? given_s : noise_s) : default_s / 20;
    begin_step(state, "run", STEP_ALONE, most_runs(plan, noise ? NOISE_RUNS : ALONE_RUNS), most_s);
    study_words(json_object_get(plan, "options"));
    study_word("--warmup=1");
    end_with_program(plan);
}

// The mean of the runs alone, and what fits into the time.
static bool read_alone(struct profile_state *state)
{
    struct measured measured;
    size_t count = 0;
    bool good = measured_open(&measured, state->folder, STEP_ALONE);
    double *wall_s = good ? measured_values(&measured, 0, WALL_S, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        state->wall_s += wall_s[i] / (double)count;
    const double given_s = json_number_at(state->plan, "max_time_s");
    state->overhead_s = good ? measured_overhead_s(&measured) : 0;
    free(wall_s);
    measured_free(&measured);
    if (good && count == 0)
        good = complain("no run of the program alone can be used: see jostle report %s/%s",
                        state->folder, STEP_ALONE);
    state->total_s = given_s > 0 ? given_s : default_s;
    state->spent_s = (double)(count + 1) * (state->wall_s + state->overhead_s);
    state->conditions = 1 + json_array_size(json_object_get(state->plan, "kinds")) *
                                json_array_size(json_object_get(state->plan, "levels"));
    state->adds = json_is_true(json_object_get(state->plan, "adds"));
    state->has_pressure = json_is_true(json_object_get(state->plan, "pressure"));
    budget(state);
    if (!(given_s > 0) && state->least_s > state->total_s) {
        state->total_s = ceil(state->least_s);
        budget(state);
    }
    return good;
}

// "40 s" or "3.0 min".
static char *duration_of(double time_s)
{
    return time_s < 120 ? text_of("%.0f s", time_s) : text_of("%.1f min", time_s / 60);
}

// Whether it can be done in the time; else a `problem` is printed.
static bool check(const struct profile_state *state)
{
    OWNED char *problem = NULL;
    char *least = duration_of(state->least_s), *total = duration_of(state->total_s);
    if (state->wall_s < least_wall_s)
        problem = text_of("the program ends after %.2g ms, most of which is its start: profile "
                          "one that runs for 10 ms at least, such as a loop of it in a script",
                          1e3 * state->wall_s);
    else if (state->least_s > state->total_s + 1)
        problem =
            text_of("a run takes %.3g s, and a profile of it %s at least, more than the %s of "
                    "--max-time: give more, or fewer --kinds or --levels",
                    state->wall_s, least, total);
    pair_put("problem", problem);
    free(least);
    free(total);
    return !problem;
}

static void say_forecast(const struct profile_state *state)
{
    OWNED char *total = duration_of(state->total_s);
    char *text =
        text_of("about %s: a run alone takes %.3g s; %zu kinds of load at %zu levels%s%s", total,
                state->wall_s, json_array_size(json_object_get(state->plan, "kinds")),
                json_array_size(json_object_get(state->plan, "levels")),
                state->added > 0 ? ", more where the curve may bend" : "",
                state->has_pressure ? ", then its own pressure" : "");
    pair_put("say", text);
    free(text);
}

// ---- sensitivity ----

static void step_sensitivity(const struct profile_state *state)
{
    begin_step(state, "slowdown", STEP_SENSITIVITY, most_runs(state->plan, BUDGET_RUNS),
               state->sensitivity_s);
    study_words(json_object_get(state->plan, "options"));
    put_loads(state->plan);
    end_with_program(state->plan);
}

// ---- further levels ----

// An experiment of its own, with its own runs alone. False: no level is worth it.
static bool step_added(const struct profile_state *state)
{
    struct budget_level level[SENSITIVITY_KINDS * SENSITIVITY_POINTS];
    struct sensitivity sensitivity;
    json_t *result = study_result(state->folder, STEP_SENSITIVITY);
    sensitivity_from_result(&sensitivity, result);
    json_decref(result);
    const size_t count = budget_levels(&sensitivity, level_tolerance, level, state->added);
    if (count == 0)
        return false;
    begin_step(state, "slowdown", STEP_ADDED, most_runs(state->plan, BUDGET_RUNS), state->added_s);
    study_words(json_object_get(state->plan, "options"));
    for (size_t i = 0; i < count; i++)
        put_load(level[i].kind, level[i].level);
    end_with_program(state->plan);
    return true;
}

// ---- pressure ----

// Puts those options of all experiments that are not about a run of the program, as it is a load
// here. Its set-up and clean-up are done all the same.
static void put_kept(const json_t *plan)
{
    static const char *const kept[] = {
        "--place=",      "--place-cpus=", "--target-cpus=", "--load-cpus=",
        "--confidence=", "--seed=",       "--setup=",       "--cleanup="};
    JSON_EACH (option, json_object_get(plan, "options")) {
        const char *word = json_string_value(option);
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            if (text_after(word, kept[k]))
                study_word(word);
        study_option("--load-nice", text_after(word, "--nice="));
    }
}

char *profile_put_reporters(void)
{
    char path[PATH_MAX], *text = NULL, *list = text_of("%s", "");
    const char *const argv[] = {child_path("probe", path), "sample", "--duration", "50ms", NULL};
    json_t *record = child_run(argv, -1, &text) == 0 ? json_loads(text, 0, NULL) : NULL;
    JSON_EACH (one, json_object_get(record, "reporters")) {
        const char *name = json_text_or_empty(one, "name");
        if (json_text_at(one, "reason"))
            continue;
        OWNED char *metric =
            text_of("%s=stdout:/\"name\":\"%s\",[^}]*\"value\":([0-9.e+-]+)/,unit=%s,better=lower",
                    name, name, json_text_or_empty(one, "unit"));
        study_option("--metric", metric);
        list = text_joined(list, ",", name);
    }
    json_decref(record);
    free(text);
    return list;
}

// The reporters alone, beside each load and beside the program, all in the same blocks.
static void step_pressure(const struct profile_state *state)
{
    char path[PATH_MAX];
    OWNED char *load = loop_text("program", state->plan);
    begin_step(state, "slowdown", STEP_PRESSURE, most_runs(state->plan, BUDGET_RUNS),
               state->pressure_s);
    put_kept(state->plan);
    study_word("--no-probe"); // the target is one
    OWNED char *list = profile_put_reporters();
    study_option("--load", load);
    put_loads(state->plan);
    study_word("--");
    study_word(child_path("probe", path));
    study_word("sample");
    study_option("--reporters", list);
    study_number("--duration", "%.3gs", state->sample_s);
    study_step_end();
}

// ---- the order of all ----

static void step_rest(struct profile_state *state)
{
    const bool begins = !study_is_done(state->folder, STEP_SENSITIVITY);
    if (begins)
        say_forecast(state);
    if (state->dry_run)
        return;
    if (begins) {
        step_sensitivity(state);
        return;
    }
    if (state->added > 0 && !study_is_done(state->folder, STEP_ADDED) && step_added(state))
        return;
    if (state->has_pressure && !study_is_done(state->folder, STEP_PRESSURE))
        step_pressure(state);
}

static bool next_step(struct profile_state *state)
{
    if (!study_is_done(state->folder, STEP_ALONE)) {
        step_alone(state);
        return true;
    }
    if (json_is_true(json_object_get(state->plan, "check_noise")))
        return true;
    if (!read_alone(state))
        return false;
    if (check(state))
        step_rest(state);
    return true;
}

bool steps_print(const char *folder, bool verbose, bool dry_run)
{
    json_t *plan = study_plan(&profile_study, folder);
    struct profile_state state = {
        .folder = folder, .plan = plan, .verbose = verbose, .dry_run = dry_run};
    const bool good = plan && next_step(&state);
    json_decref(plan);
    return good && fflush(stdout) == 0;
}
