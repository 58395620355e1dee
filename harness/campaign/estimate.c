// How long the cells of a plan will take, by the best that is known.

#include "campaign.h"

#include "common/schemas.h"
#include "common/units.h"
#include "harness/record/defaults.h"

#include <math.h>

// From a single run of t seconds: at least min-runs pairs of 2 t, at most max-runs pairs of 3 t (a
// load that doubles the time), and what jostle adds.
static const double pair_s = 0.2, start_s = 1;
static const double gate_s = 60; // of a gate without limits, at least

static void add_time(json_t *sums, const char *name, double seconds)
{
    if (!name)
        return;
    const json_t *pair = json_object_get(sums, name);
    const double sum = json_real_value(json_array_get(pair, 0)),
                 count = json_real_value(json_array_get(pair, 1));
    json_object_set_new(sums, name, json_pack("[ff]", sum + seconds, count + 1));
}

void means_add(struct means *means, const json_t *cell, double seconds)
{
    add_time(means->by_label, json_text_at(cell, "label"), seconds);
    add_time(means->by_target, json_text_at(cell, "target"), seconds);
    add_time(means->all, "", seconds);
}

// The mean of a name in one of the sums; NAN: none is done.
static double mean_of(const json_t *sums, const char *name)
{
    const json_t *pair = name ? json_object_get(sums, name) : NULL;
    return !pair ? NAN
                 : json_real_value(json_array_get(pair, 0)) /
                       json_real_value(json_array_get(pair, 1));
}

double mean_of_target(const struct means *means, const json_t *cell)
{
    const double mean_s = mean_of(means->by_target, json_text_at(cell, "target"));
    return isnan(mean_s) ? mean_of(means->all, "") : mean_s;
}

void means_of(const struct states *states, struct means *means)
{
    *means = (struct means){json_object(), json_object(), json_object()};
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        const double spent_s = number_of(state->status, "spent_s", NAN);
        if (state_is(state, "done") && !isnan(spent_s))
            means_add(means, state->cell, spent_s);
    }
}

void means_free(struct means *means)
{
    json_decref(means->by_label);
    json_decref(means->by_target);
    json_decref(means->all);
}

double rest_of_cell(const json_t *status)
{
    const double expected = number_of(status, "expected_runs", 0);
    const double runs = number_of(status, "runs", 0), spent_s = number_of(status, "spent_s", 0);
    return expected <= 0 || runs <= 0 || spent_s <= 0 ? NAN
                                                      : spent_s * fmax(expected - runs, 0) / runs;
}

static json_t *range(double low, double high, const char *from)
{
    return json_pack("{so so ss}", "low", number_to_json(low), "high", number_to_json(high), "from",
                     from);
}

double most_runs_of_cell(const json_t *cell)
{
    const json_t *settings = json_object_get(cell, "settings");
    const bool ends_by_time = json_has(settings, "max-time") || json_has(settings, "at-most") ||
                              json_has(settings, "same-within");
    return setting_of_cell(cell, "max-runs", ends_by_time ? INFINITY : DEFAULT_MAX_RUNS);
}

// How long a cell whose runs of all conditions take so much is measured at most: by its limit of
// runs, of time, or the one that a gate without limits has.
static double longest_s(const json_t *cell, double block_s)
{
    const char *text = json_text_at(json_object_get(cell, "settings"), "max-time");
    const double by_runs_s = most_runs_of_cell(cell) * block_s;
    int64_t most_ns = 0;
    if (text && units_time(text, &most_ns) == 0)
        return fmin(by_runs_s, (double)most_ns / 1e9 + block_s);
    return isfinite(by_runs_s) ? by_runs_s : fmax(DEFAULT_MAX_RUNS * block_s, gate_s + block_s);
}

static json_t *time_of(const struct state *state, const struct means *means, const json_t *probes)
{
    const json_t *cell = state->cell, *status = state->status;
    const bool loaded = json_text_at(cell, "load");
    const double least =
        setting_of_cell(cell, "min-runs", fmin(DEFAULT_MIN_RUNS, most_runs_of_cell(cell)));
    const double runs = number_of(status, "runs", 0), rest_s = rest_of_cell(status);
    const char *label = json_text_at(cell, "label");
    if (!state->todo)
        return range(0, 0, "done");
    if (state_is(state, "limits") && runs > 0) {
        // It was measured with other limits: as many runs as the new ones allow.
        const double run_s = number_of(status, "spent_s", 0) / runs;
        const double conditions = loaded ? 2 : 1;
        return range(fmax(conditions * least - runs, 0) * run_s,
                     fmax(longest_s(cell, conditions * run_s) - runs * run_s, 0), "cell");
    }
    if (!state_is(state, "changed") && !isnan(rest_s))
        return range(rest_s, rest_s, "cell");
    const double of_label_s = mean_of(means->by_label, label),
                 of_target_s = mean_of(means->by_target, json_text_at(cell, "target"));
    if (!isnan(of_label_s))
        return range(of_label_s, of_label_s, "label");
    if (!isnan(of_target_s))
        return range(of_target_s, of_target_s, "target");
    const json_t *known = json_object_get(probes, label);
    if (!known)
        return json_null();
    const double run_s = json_number_value(known);
    return range(start_s + least * ((loaded ? 2 : 1) * run_s + pair_s),
                 start_s + longest_s(cell, (loaded ? 3 : 1) * run_s + pair_s), "probe");
}

json_t *remaining_plan(const json_t *plan, const struct states *states, const json_t *probes)
{
    struct means means;
    json_t *cells = json_array();
    double low_s = 0, high_s = 0;
    int todo = 0, unknown = 0;
    means_of(states, &means);
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        const json_t *cell = state->cell;
        json_t *time = time_of(state, &means, probes);
        todo += state->todo;
        unknown += json_is_null(time);
        low_s += number_of(time, "low", 0);
        high_s += number_of(time, "high", 0);
        json_t *one = json_pack(
            "{so so so so so so ss sb so so so so}", "number", json_member(cell, "number"), "name",
            json_member(cell, "name"), "target", json_member(cell, "target"), "label",
            json_member(cell, "label"), "load", json_member(cell, "load"), "level",
            json_member(cell, "level"), "state", state->name, "todo", state->todo, "command",
            json_member(cell, "command"), "spec", json_member(cell, "spec"), "spent_s",
            json_member(state->status, "spent_s"), "estimate_s", time);
        if (json_object_get(cell, "session"))
            json_object_set(one, "session", json_object_get(cell, "session"));
        json_array_append_new(cells, one);
    }
    means_free(&means);
    return json_pack("{ss so so so s{si si si so so}}", "schema", SCHEMA_PLAN, "name",
                     json_member(plan, "name"), "file", json_member(plan, "file"), "cells", cells,
                     "total", "cells", (int)states->count, "todo", todo, "unknown", unknown,
                     "low_s", number_to_json(low_s), "high_s", number_to_json(high_s));
}
