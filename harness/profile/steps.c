#include "steps.h"

#include "budget.h"
#include "loop.h"
#include "measured.h"
#include "request.h"

#include "harness/bench/json.h"
#include "harness/pressure/kinds.h"
#include "harness/pressure/reporter_table.h"

#include "common/child.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/pair.h"
#include "common/record_json.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double default_s = 180;
static const double least_wall_s = 0.010; // a shorter run is mostly its own start
static const double tolerance = 0.02;     // of log(slowdown), where levels are added
static const double noise_s = 50;         // of --check-noise, besides its start
enum { ALONE_RUNS = 10, NOISE_RUNS = 400 };

// What is known after the runs alone.
struct state {
    const char *folder;
    const json_t *plan;
    struct budget budget;
    double wall_s, total_s;
};

static void put_word(const char *word)
{
    pair_put("word", word);
}

static void put_option(const char *name, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    put_word(name);
    put_word(text);
}

static void put_words(const json_t *words)
{
    size_t i;
    const json_t *word;
    json_array_foreach(words, i, word)
    {
        put_word(json_string_value(word));
    }
}

// How many runs of each condition are made at most: --max-runs, or less.
static double most_runs(const json_t *plan, double most)
{
    const double given = json_number_at(plan, "max_runs");
    return given > 0 ? fmin(given, most) : most;
}

// How every experiment of the profile begins: runs is how many blocks it makes at most.
static void begin(const char *folder, const json_t *plan, const char *command, const char *name,
                  double runs, double time_s)
{
    char *path = text_of("%s/%s", folder, name);
    pair_put("step", name);
    put_word(command);
    put_word("--output");
    put_word(path);
    if (measured_is_begun(folder, name))
        put_word("--resume");
    // A fixed number of runs, cut short by time alone: nothing depends on what was measured, so
    // that no interval has to be wider for it.
    put_option("--runs", "%.0f", runs);
    put_option("--max-time", "%.1fs", time_s);
    put_words(json_object_get(plan, "options"));
    free(path);
}

static void put_program(const json_t *plan)
{
    put_word("--");
    put_words(json_object_get(plan, "words"));
}

static void put_load(const char *kind, double level)
{
    char spec[64];
    kind_spec(kind_find(kind), level, spec, sizeof spec);
    char *load = text_of("%s-%g=%s", kind, round(level * 1000) / 10, spec);
    put_word("--load");
    put_word(load);
    free(load);
}

static void put_loads(const json_t *plan)
{
    size_t i, k;
    const json_t *kind, *level;
    json_array_foreach(json_object_get(plan, "kinds"), i, kind)
    {
        json_array_foreach(json_object_get(plan, "levels"), k, level)
        {
            put_load(json_string_value(kind), json_number_value(level));
        }
    }
}

// ---- alone ----

static void step_alone(const char *folder, const json_t *plan)
{
    const bool noise = json_is_true(json_object_get(plan, "check_noise"));
    const double given_s = json_number_at(plan, "max_time_s");
    const double most_s = noise ? fmin(noise_s, given_s > 0 ? given_s : noise_s) : default_s / 20;
    begin(folder, plan, "run", STEP_ALONE, most_runs(plan, noise ? NOISE_RUNS : ALONE_RUNS),
          most_s);
    put_word("--warmup=1");
    put_program(plan);
}

static bool has_pressure(const json_t *plan)
{
    return json_is_true(json_object_get(plan, "pressure"));
}

// The mean of the runs alone, and what fits into the time.
static bool read_alone(struct state *state)
{
    struct measured measured;
    size_t count = 0;
    bool good = measured_read(&measured, state->folder, STEP_ALONE);
    double *wall_s = good ? measured_values(&measured, 0, WALL_S, &count) : NULL;
    for (size_t i = 0; i < count; i++)
        state->wall_s += wall_s[i] / (double)count;
    const double overhead_s = good ? measured_overhead_s(&measured) : 0;
    free(wall_s);
    measured_free(&measured);
    if (good && count == 0)
        good = complain("no run of the program alone can be used: see jostle report %s/%s",
                        state->folder, STEP_ALONE);
    const double given_s = json_number_at(state->plan, "max_time_s");
    struct budget_wish wish = {
        .total_s = given_s > 0 ? given_s : default_s,
        .spent_s = (double)(count + 1) * (state->wall_s + overhead_s),
        .wall_s = state->wall_s,
        .overhead_s = overhead_s,
        .conditions = 1 + json_array_size(json_object_get(state->plan, "kinds")) *
                              json_array_size(json_object_get(state->plan, "levels")),
        .adds = json_is_true(json_object_get(state->plan, "adds")),
        .has_pressure = has_pressure(state->plan),
        .runs = (size_t)most_runs(state->plan, BUDGET_RUNS),
    };
    state->budget = budget_of(&wish);
    if (!(given_s > 0) && state->budget.least_s > wish.total_s) {
        wish.total_s = ceil(state->budget.least_s);
        state->budget = budget_of(&wish);
    }
    state->total_s = wish.total_s;
    return good;
}

// "40 s" or "3.0 min".
static char *duration_of(double time_s)
{
    return time_s < 120 ? text_of("%.0f s", time_s) : text_of("%.1f min", time_s / 60);
}

// Whether it can be done in the time; else a `problem` is printed.
static bool check(const struct state *state)
{
    char *problem = NULL;
    char *least = duration_of(state->budget.least_s), *total = duration_of(state->total_s);
    if (state->wall_s < least_wall_s)
        problem = text_of("the program ends after %.2g ms, most of which is its start: profile "
                          "one that runs for 10 ms at least, such as a loop of it in a script",
                          1e3 * state->wall_s);
    else if (state->budget.least_s > state->total_s + 1)
        problem =
            text_of("a run takes %.3g s, and a profile of it %s at least, more than the %s of "
                    "--max-time: give more, or fewer --kinds or --levels",
                    state->wall_s, least, total);
    pair_put("problem", problem);
    free(least);
    free(total);
    const bool good = problem == NULL;
    free(problem);
    return good;
}

static void say_forecast(const struct state *state)
{
    char *total = duration_of(state->total_s);
    char *text =
        text_of("about %s: a run alone takes %.3g s; %zu kinds of load at %zu levels%s%s", total,
                state->wall_s, json_array_size(json_object_get(state->plan, "kinds")),
                json_array_size(json_object_get(state->plan, "levels")),
                state->budget.added > 0 ? ", more where the curve may bend" : "",
                has_pressure(state->plan) ? ", then its own pressure" : "");
    pair_put("say", text);
    free(total);
    free(text);
}

// ---- sensitivity ----

static void step_sensitivity(const struct state *state)
{
    begin(state->folder, state->plan, "slowdown", STEP_SENSITIVITY,
          most_runs(state->plan, BUDGET_RUNS), state->budget.sensitivity_s);
    put_loads(state->plan);
    put_program(state->plan);
}

// ---- further levels ----

// An experiment of its own, with its own runs alone. False: no level is worth it.
static bool step_added(const struct state *state)
{
    struct budget_level level[SENSITIVITY_KINDS * SENSITIVITY_POINTS];
    struct sensitivity sensitivity;
    json_t *result = measured_result(state->folder, STEP_SENSITIVITY);
    sensitivity_from_result(&sensitivity, result);
    json_decref(result);
    const size_t count = budget_levels(&sensitivity, tolerance, level, state->budget.added);
    if (count == 0)
        return false;
    begin(state->folder, state->plan, "slowdown", STEP_ADDED, most_runs(state->plan, BUDGET_RUNS),
          state->budget.added_s);
    for (size_t i = 0; i < count; i++)
        put_load(level[i].kind, level[i].level);
    put_program(state->plan);
    return true;
}

// ---- pressure ----

// Whether an option, "--NAME=VALUE", is that one; *value then is its value.
static bool is_option(const char *word, const char *name, const char **value)
{
    const size_t length = strlen(name);
    *value = word + length + 1;
    return strncmp(word, name, length) == 0 && word[length] == '=';
}

// Of the options of all experiments those that are not of a run of the program, which is a load
// here; what it needs at first is made and removed all the same.
static void put_kept(const json_t *plan)
{
    static const char *const kept[] = {"--place",     "--place-cpus", "--target-cpus",
                                       "--load-cpus", "--confidence", "--seed",
                                       "--setup",     "--cleanup"};
    size_t i;
    const json_t *option;
    json_array_foreach(json_object_get(plan, "options"), i, option)
    {
        const char *word = json_string_value(option), *value;
        for (size_t k = 0; k < sizeof kept / sizeof *kept; k++)
            if (is_option(word, kept[k], &value))
                put_word(word);
        if (is_option(word, "--nice", &value)) {
            put_word("--load-nice");
            put_word(value);
        }
    }
}

// Leaves out those that give no figure here, which a small container's memory may keep them from: a
// run without one of its figures is no run.
static void leave_possible(bool wanted[REPORTERS])
{
    char path[PATH_MAX], *text = NULL;
    const char *const argv[] = {child_path("probe", path), "sample", "--duration", "50ms", NULL};
    const json_t *one;
    size_t index;
    json_t *record = child_run(argv, -1, &text) == 0 ? json_loads(text, 0, NULL) : NULL;
    json_array_foreach(json_object_get(record, "reporters"), index, one)
    {
        for (enum reporter i = 0; i < REPORTERS; i++)
            if (strcmp(reporters[i].name, json_text_at(one, "name")) == 0 &&
                json_string_value(json_object_get(one, "reason")) != NULL)
                wanted[i] = false;
    }
    json_decref(record);
    free(text);
}

static char *reporter_list(const bool wanted[REPORTERS])
{
    char *list = text_of("%s", "");
    for (enum reporter i = 0; i < REPORTERS; i++) {
        if (!wanted[i])
            continue;
        char *longer = text_of("%s%s%s", list, *list != '\0' ? "," : "", reporters[i].name);
        free(list);
        list = longer;
    }
    return list;
}

// The reporters alone, beside each load and beside the program, all in the same blocks.
static void step_pressure(const struct state *state)
{
    char path[PATH_MAX], metric[512];
    bool wanted[REPORTERS];
    for (enum reporter i = 0; i < REPORTERS; i++)
        wanted[i] = true;
    leave_possible(wanted);
    json_t *bare = must(json_pack("{s:[]}", "options"));
    char *load = loop_text("program", state->plan), *list = reporter_list(wanted);
    begin(state->folder, bare, "slowdown", STEP_PRESSURE, most_runs(state->plan, BUDGET_RUNS),
          state->budget.pressure_s);
    put_kept(state->plan);
    put_word("--no-probe"); // the target is one
    for (enum reporter i = 0; i < REPORTERS; i++)
        if (wanted[i]) {
            put_word("--metric");
            put_word(reporter_metric(i, metric, sizeof metric));
        }
    put_word("--load");
    put_word(load);
    put_loads(state->plan);
    put_word("--");
    put_word(child_path("probe", path));
    put_word("sample");
    put_word("--reporters");
    put_word(list);
    put_option("--duration", "%.3gs", state->budget.sample_s);
    free(list);
    free(load);
    json_decref(bare);
}

// ---- the order of all ----

static void step_rest(struct state *state)
{
    if (!measured_is_done(state->folder, STEP_SENSITIVITY)) {
        say_forecast(state);
        step_sensitivity(state);
    } else if (state->budget.added > 0 && !measured_is_done(state->folder, STEP_ADDED) &&
               step_added(state)) {
        return;
    } else if (has_pressure(state->plan) && !measured_is_done(state->folder, STEP_PRESSURE)) {
        step_pressure(state);
    } else {
        pair_put("step", "done");
    }
}

static bool next(const char *folder, const json_t *plan)
{
    struct state state = {.folder = folder, .plan = plan};
    if (!measured_is_done(folder, STEP_ALONE)) {
        step_alone(folder, plan);
        return true;
    }
    if (json_is_true(json_object_get(plan, "check_noise"))) {
        pair_put("step", "done");
        return true;
    }
    if (!read_alone(&state))
        return false;
    if (check(&state))
        step_rest(&state);
    return true;
}

bool steps_print(const char *folder)
{
    json_error_t error;
    char *path = text_of("%s/%s", folder, REQUEST_PLAN);
    json_t *plan = json_read_record(path, 0, &error);
    const bool good =
        plan != NULL ? next(folder, plan)
                     : complain("%s cannot be read (%s): give another --output", path, error.text);
    json_decref(plan);
    free(path);
    return good && fflush(stdout) == 0;
}
