#include "table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/messages.h"
#include "common/record_json.h"

static bool share_place(const struct program_list *list, size_t a, size_t b)
{
    return strcmp(list->entry[a].profile.place, list->entry[b].profile.place) == 0;
}

static const struct pair_truth *find_measured(const struct pair_list *measured,
                                              const struct program_list *list,
                                              const struct table_row *row)
{
    const struct program_entry *a = &list->entry[row->victim], *b = &list->entry[row->aggressor];
    for (size_t i = 0; i < measured->count && !row->together; i++) {
        const struct pair_truth *pair = &measured->pair[i];
        if (strcmp(pair->a, a->name) == 0 && strcmp(pair->b, b->name) == 0 &&
            strcmp(pair->place, a->profile.place) == 0 &&
            (!pair->host || strcmp(pair->host, a->profile.host) == 0))
            return pair;
    }
    return NULL;
}

static enum verdict judge(const struct table_row *row, double at_most)
{
    const struct prediction *one = &row->prediction;
    if (!row->shown || !row->gate.passed)
        return VERDICT_UNDECIDED;
    return one->low > at_most    ? VERDICT_ABOVE
           : one->high > at_most ? VERDICT_UNDECIDED
                                 : VERDICT_BELOW;
}

static void finish_row(struct table_row *row, const struct program_list *list,
                       const struct program_profile *const *other, size_t count,
                       const struct table_settings *settings)
{
    const struct program_profile *victim = &list->entry[row->victim].profile;
    const bool known = predict_beside(victim, other, count, &row->prediction);
    const double effect = known ? row->prediction.slowdown - 1 : 0;
    row->gate = profile_gate_judge(victim->noise.sd, victim->noise.n, effect);
    row->shown = known && (row->gate.passed || settings->force);
    row->verdict = judge(row, settings->at_most);
    const struct pair_truth *truth = find_measured(settings->measured, list, row);
    row->measured = truth ? &truth->first : NULL;
    row->repeat = truth && truth->repeated ? &truth->repeat : NULL;
}

static void add_pairs(struct table *table, const struct program_list *list,
                      const struct table_settings *settings)
{
    for (size_t a = 0; a < list->count; a++) {
        for (size_t b = 0; b < list->count; b++) {
            const struct program_profile *other = &list->entry[b].profile;
            if (!share_place(list, a, b) || (a == b && !settings->with_itself))
                continue;
            struct table_row *row = &table->row[table->count++];
            *row = (struct table_row){.victim = a, .aggressor = b};
            finish_row(row, list, &other, 1, settings);
        }
    }
}

// All programs of the place of the first of them, which `done` then knows.
static void add_together(struct table *table, const struct program_list *list, size_t first,
                         bool *done, const struct table_settings *settings)
{
    const struct program_profile *other[PREDICT_PROGRAMS];
    size_t index[PREDICT_PROGRAMS], count = 0;
    for (size_t i = first; i < list->count; i++) {
        if (!share_place(list, first, i))
            continue;
        done[i] = true;
        if (count == PREDICT_PROGRAMS)
            usage_error("--together: more than %d programs: give fewer", PREDICT_PROGRAMS);
        index[count++] = i;
    }
    for (size_t i = 0; i < count && count > 1; i++) {
        struct table_row *row = &table->row[table->count++];
        size_t others = 0;
        for (size_t k = 0; k < count; k++)
            if (k != i)
                other[others++] = &list->entry[index[k]].profile;
        *row = (struct table_row){.victim = index[i], .aggressor = index[i], .together = true};
        finish_row(row, list, other, others, settings);
    }
}

static void refuse_single(const struct program_list *list)
{
    if (list->count == 0)
        usage_error("no profile is of this place: give profiles of it, or another --place");
    if (list->count == 1)
        usage_error("%s: one program alone: give another profile, or --with-itself",
                    list->entry[0].path);
    usage_error("%s is of the place %s, %s of %s: profile both at one place", list->entry[0].path,
                list->entry[0].profile.place, list->entry[1].path, list->entry[1].profile.place);
}

void table_make(struct table *table, const struct program_list *programs,
                const struct table_settings *settings)
{
    const size_t most = programs->count * (programs->count + 1);
    bool *done = calloc(programs->count + 1, sizeof *done);
    *table = (struct table){.programs = programs,
                            .row = calloc(most + 1, sizeof *table->row),
                            .at_most = settings->at_most};
    if (!table->row || !done)
        usage_error("%zu profiles do not fit into memory: give fewer", programs->count);
    if (!settings->together)
        add_pairs(table, programs, settings);
    for (size_t i = 0; settings->together && i < programs->count; i++)
        if (!done[i])
            add_together(table, programs, i, done, settings);
    free(done);
    if (table->count == 0)
        refuse_single(programs);
}

int table_status(const struct table *table)
{
    enum { ABOVE = 3, UNDECIDED = 4 };
    const bool judged = table->at_most > 0;
    bool above = false, undecided = false, any = false;
    for (size_t i = 0; i < table->count; i++) {
        above = above || (judged && table->row[i].verdict == VERDICT_ABOVE);
        undecided = undecided || (judged && table->row[i].verdict == VERDICT_UNDECIDED);
        any = any || table->row[i].shown;
    }
    return above ? ABOVE : undecided || !any ? UNDECIDED : 0;
}

void table_free(struct table *table)
{
    free(table->row);
}

// [low, high]; null for an upper bound that there is none of, and null alone without bounds.
static json_t *bounds(double low, double high)
{
    return isnan(low) ? json_null() : json_pack("[o,o]", number_to_json(low), number_to_json(high));
}

static json_t *carriers_to_json(const struct prediction *prediction)
{
    json_t *carriers = json_array();
    for (size_t i = 0; i < prediction->carriers; i++)
        json_array_append_new(carriers, json_pack("{s:s, s:o}", "name",
                                                  prediction->carrier[i].words, "slowdown",
                                                  number_to_json(prediction->carrier[i].slowdown)));
    return carriers;
}

static json_t *gate_to_json(const struct gate *gate)
{
    return json_pack("{s:b, s:o, s:o, s:o, s:o, s:s}", "passed", gate->passed, "alone_sd",
                     number_to_json(gate->sd), "half_width", number_to_json(gate->half_width),
                     "wanted", number_to_json(gate->wanted), "runs_needed",
                     number_to_json(gate->runs_needed), "text", gate->text);
}

static json_t *measured_to_json(const struct pair_measure *measured)
{
    if (!measured)
        return json_null();
    return json_pack("{s:o, s:o, s:I}", "slowdown", number_to_json(measured->slowdown), "ci",
                     bounds(measured->low, measured->high), "n", (json_int_t)measured->n);
}

// Why there is no number, or why one should not be trusted; null: neither.
static json_t *reason_of(const struct table_row *row)
{
    if (!row->prediction.known)
        return json_string(row->prediction.why);
    return row->gate.passed ? json_null()
                            : json_sprintf("cannot be told on this machine: %s", row->gate.text);
}

static json_t *neighbours_of(const struct table *table, const struct table_row *row)
{
    const struct program_list *list = table->programs;
    json_t *names = json_array();
    for (size_t i = 0; i < list->count; i++) {
        const bool is_one =
            row->together ? i != row->victim && strcmp(list->entry[i].profile.place,
                                                       list->entry[row->victim].profile.place) == 0
                          : i == row->aggressor;
        if (is_one)
            json_array_append_new(names, json_string(list->entry[i].name));
    }
    return names;
}

// Whether the interval has no 1 in it.
static bool row_distinguishable(const struct table_row *row)
{
    return row->prediction.low > 1 || row->prediction.high < 1;
}

static void add_figures(json_t *object, const struct table_row *row)
{
    const struct prediction *one = &row->prediction;
    json_object_set_new(object, "slowdown", number_to_json(row->shown ? one->slowdown : NAN));
    json_object_set_new(object, "ci", row->shown ? bounds(one->low, one->high) : json_null());
    json_object_set_new(object, "confidence", number_to_json(row->shown ? one->confidence : NAN));
    json_object_set_new(object, "distinguishable",
                        row->shown ? json_boolean(row_distinguishable(row)) : json_null());
    json_object_set_new(object, "carrier",
                        row->shown && one->carriers > 0 ? json_string(one->carrier[0].words)
                                                        : json_null());
    json_object_set_new(object, "carriers", row->shown ? carriers_to_json(one) : json_array());
}

static json_t *row_to_json(const struct table *table, const struct table_row *row)
{
    const struct program_list *list = table->programs;
    json_t *object = json_pack("{s:s}", "a", list->entry[row->victim].name);
    json_object_set_new(
        object, "b", row->together ? json_null() : json_string(list->entry[row->aggressor].name));
    json_object_set_new(object, "beside", neighbours_of(table, row));
    json_object_set_new(object, "place", json_string(list->entry[row->victim].profile.place));
    add_figures(object, row);
    json_object_set_new(object, "gate", gate_to_json(&row->gate));
    json_object_set_new(object, "reason", reason_of(row));
    json_object_set_new(object, "verdict",
                        table->at_most > 0 ? json_string(verdict_names[row->verdict])
                                           : json_null());
    json_object_set_new(object, "measured", measured_to_json(row->measured));
    return object;
}

json_t *table_to_json(const struct table *table)
{
    json_t *rows = json_array();
    for (size_t i = 0; i < table->count; i++)
        json_array_append_new(rows, row_to_json(table, &table->row[i]));
    return rows;
}

json_t *table_worst_to_json(const struct table *table)
{
    const struct table_row *worst = NULL;
    for (size_t i = 0; i < table->count; i++) {
        const struct table_row *row = &table->row[i];
        if (row->shown && row->prediction.low > 1 &&
            (worst == NULL || row->prediction.slowdown > worst->prediction.slowdown))
            worst = row;
    }
    return worst == NULL ? json_null() : json_integer(worst - table->row);
}

// What a prediction that knew each truth would be off by all the same, of single rows added up.
// Pairs that were measured twice say it: the mean difference of two by sqrt(2). Where there are too
// few of them, the spread within a measurement does, which is too little where measurements of
// different hours differ: sqrt(2 / pi) of the standard error, were errors normal.
struct noise {
    double repeats, within;
    size_t repeated, known;
};

enum { LEAST_REPEATS = 10 };

static void add_noise(struct noise *noise, const struct table_row *row)
{
    const struct pair_measure *one = row->measured;
    if (row->repeat && isfinite(row->repeat->slowdown)) {
        noise->repeats += fabs(one->slowdown - row->repeat->slowdown) / sqrt(2);
        noise->repeated++;
    }
    if (isfinite(one->sd) && one->n > 0) {
        noise->within += sqrt(2 / acos(-1) / (double)one->n) * one->sd * one->slowdown;
        noise->known++;
    }
}

static bool by_repeats(const struct noise *noise)
{
    return noise->repeated >= LEAST_REPEATS;
}

// NAN: not known.
static double noise_mean(const struct noise *noise)
{
    return by_repeats(noise)  ? noise->repeats / (double)noise->repeated
           : noise->known > 0 ? noise->within / (double)noise->known
                              : NAN;
}

json_t *table_check_to_json(const struct table *table)
{
    struct noise noise = {0};
    double sum = 0, none = 0;
    json_int_t pairs = 0, held = 0;
    for (size_t i = 0; i < table->count; i++) {
        const struct table_row *row = &table->row[i];
        const struct prediction *one = &row->prediction;
        if (!row->shown || row->measured == NULL || !isfinite(row->measured->slowdown))
            continue;
        const double truth = row->measured->slowdown;
        sum += fabs(one->slowdown - truth);
        none += fabs(1 - truth);
        add_noise(&noise, row);
        held += one->low <= truth && truth <= one->high;
        pairs++;
    }
    if (pairs == 0)
        return json_null();
    const double count = (double)pairs, off = noise_mean(&noise);
    return json_pack(
        "{s:I, s:f, s:o, s:I, s:I, s:o, s:o}", "pairs", pairs, "error", sum / count, "noise",
        number_to_json(off), "repeats", by_repeats(&noise) ? (json_int_t)noise.repeated : 0, "held",
        held, "skill", number_to_json(none > 0 ? 1 - sum / none : NAN), "skill_most",
        number_to_json(none > 0 && isfinite(off) ? fmax(1 - off * count / none, 0) : NAN));
}
