#include "remaining.h"

#include "plan.h"

#include "common/schemas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* From a single run of t seconds: at least min-runs pairs of 2 t, at most max-runs
 * pairs of 3 t (a load that doubles the time), and what jostle adds. */
static const double pair_s = 0.2, start_s = 1;
enum { DEFAULT_MAX_RUNS = 30, DEFAULT_MIN_RUNS = 15 };

/* Adds to {name: [sum, count]}. */
static void add_time(json_t *sums, const char *name, double seconds)
{
    json_t *pair = json_object_get(sums, name);
    const double sum = pair != NULL ? json_real_value(json_array_get(pair, 0)) : 0;
    const double count = pair != NULL ? json_real_value(json_array_get(pair, 1)) : 0;
    json_object_set_new(sums, name, json_pack("[ff]", sum + seconds, count + 1));
}

static void divide(json_t *sums)
{
    const char *name;
    json_t *pair;
    void *next;
    json_object_foreach_safe(sums, next, name, pair)
        json_object_set_new(sums, name,
                            json_real(json_real_value(json_array_get(pair, 0)) /
                                      json_real_value(json_array_get(pair, 1))));
}

void means_of(const struct states *states, struct means *means)
{
    double sum = 0, count = 0;
    *means = (struct means){.by_label = json_object(), .by_target = json_object()};
    for (size_t i = 0; i < states->count; i++) {
        const struct state *state = &states->list[i];
        if (!state_is(state, "done"))
            continue;
        const char *label = json_text_at(state->cell, "label"),
                   *target = json_text_at(state->cell, "target");
        const double spent_s = number_of(state->status, "spent_s", NAN);
        if (isnan(spent_s))
            continue;
        if (label != NULL)
            add_time(means->by_label, label, spent_s);
        if (target != NULL)
            add_time(means->by_target, target, spent_s);
        sum += spent_s;
        count++;
    }
    divide(means->by_label);
    divide(means->by_target);
    means->all = count > 0 ? sum / count : NAN;
}

void means_free(struct means *means)
{
    json_decref(means->by_label);
    json_decref(means->by_target);
}

double rest_of_cell(const json_t *status)
{
    const double expected = number_of(status, "expected_runs", 0);
    const double runs = number_of(status, "runs", 0), spent_s = number_of(status, "spent_s", 0);
    if (expected <= 0 || runs <= 0 || spent_s <= 0)
        return NAN;
    return spent_s * fmax(expected - runs, 0) / runs;
}

static json_t *range(double low, double high, const char *from)
{
    return json_pack("{so so ss}", "low", json_of_number(low), "high", json_of_number(high), "from",
                     from);
}

static json_t *from_probe(const json_t *cell, double run_s)
{
    const double most = setting_of_cell(cell, "max-runs", DEFAULT_MAX_RUNS);
    const double least = setting_of_cell(cell, "min-runs", fmin(DEFAULT_MIN_RUNS, most));
    const bool loaded = json_text_at(cell, "load") != NULL;
    return range(start_s + least * ((loaded ? 2 : 1) * run_s + pair_s),
                 start_s + most * ((loaded ? 3 : 1) * run_s + pair_s), "probe");
}

/* A cell that was measured with other limits: as many runs as the new ones allow. */
static json_t *from_limits(const struct state *state)
{
    const double most = setting_of_cell(state->cell, "max-runs", DEFAULT_MAX_RUNS);
    const double least = setting_of_cell(state->cell, "min-runs", fmin(DEFAULT_MIN_RUNS, most));
    const double runs = number_of(state->status, "runs", 0);
    const double run_s = number_of(state->status, "spent_s", 0) / runs;
    const double conditions = json_text_at(state->cell, "load") != NULL ? 2 : 1;
    return range(fmax(conditions * least - runs, 0) * run_s,
                 fmax(conditions * most - runs, 0) * run_s, "cell");
}

static json_t *time_of(const struct state *state, const struct means *means, const json_t *probes)
{
    const char *label = json_text_at(state->cell, "label"),
               *target = json_text_at(state->cell, "target");
    if (!state->todo)
        return range(0, 0, "done");
    if (state_is(state, "limits") && number_of(state->status, "runs", 0) > 0)
        return from_limits(state);
    if (state->status != NULL && !state_is(state, "changed")) {
        const double rest_s = rest_of_cell(state->status);
        if (!isnan(rest_s))
            return range(rest_s, rest_s, "cell");
    }
    const json_t *known = json_object_get(means->by_label, label);
    const char *from = "label";
    if (known == NULL) {
        known = json_object_get(means->by_target, target);
        from = "target";
    }
    if (known != NULL)
        return range(json_real_value(known), json_real_value(known), from);
    known = json_object_get(probes, label);
    return known != NULL ? from_probe(state->cell, json_number_value(known)) : json_null();
}

static json_t *cell_of(const struct state *state, json_t *time)
{
    const json_t *cell = state->cell;
    json_t *one =
        json_pack("{so so so so so so ss sb so so so so}", "number", member_of(cell, "number"),
                  "name", member_of(cell, "name"), "target", member_of(cell, "target"), "label",
                  member_of(cell, "label"), "load", member_of(cell, "load"), "level",
                  member_of(cell, "level"), "state", state->name, "todo", state->todo, "command",
                  member_of(cell, "command"), "spec", member_of(cell, "spec"), "spent_s",
                  member_of(state->status, "spent_s"), "estimate_s", time);
    if (json_object_get(cell, "session") != NULL)
        json_object_set(one, "session", json_object_get(cell, "session"));
    return one;
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
        json_t *time = time_of(state, &means, probes);
        todo += state->todo;
        unknown += json_is_null(time);
        low_s += number_of(time, "low", 0);
        high_s += number_of(time, "high", 0);
        json_array_append_new(cells, cell_of(state, time));
    }
    means_free(&means);
    return json_pack("{ss so so so s{si si si so so}}", "schema", SCHEMA_PLAN, "name",
                     member_of(plan, "name"), "file", member_of(plan, "file"), "cells", cells,
                     "total", "cells", (int)states->count, "todo", todo, "unknown", unknown,
                     "low_s", json_of_number(low_s), "high_s", json_of_number(high_s));
}
