// The table of a prediction: a row for each program and its neighbours.

#include "predict.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"

#include <gsl/gsl_linalg.h>
#include <gsl/gsl_sort.h>
#include <stdlib.h>

static const json_t *find_measured(const struct table *table, const struct table_row *row)
{
    const struct program_entry *a = &table->programs->entry[row->victim],
                               *b = &table->programs->entry[row->aggressor];
    JSON_EACH (pair, row->together ? NULL : table->pairs) {
        if (json_text_is(pair, "a", a->name) && json_text_is(pair, "b", b->name) &&
            json_text_is(pair, "place", a->profile.place) &&
            (!json_has(pair, "host") || json_text_is(pair, "host", a->profile.host)))
            return pair;
    }
    return NULL;
}

static enum verdict judge(const struct table_row *row, double at_most)
{
    if (!row->shown || !row->gate.passed)
        return VERDICT_UNDECIDED;
    return verdict_by_bounds(row->prediction.low, row->prediction.high, at_most);
}

size_t table_neighbours(const struct table *table, const struct table_row *row, size_t *index)
{
    size_t count = 0;
    for (size_t i = 0; row->together && i < table->programs->count; i++)
        if (programs_meet(table->programs, row->victim, i, false))
            index[count++] = i;
    if (!row->together)
        index[count++] = row->aggressor;
    return count;
}

static void add_row(struct table *table, size_t victim, size_t aggressor)
{
    const struct program_entry *entry = table->programs->entry;
    const struct program_profile *a = &entry[victim].profile;
    struct table_row *row = &table->row[table->count];
    OWNED size_t *index = must(calloc(table->programs->count, sizeof *index));
    *row = (struct table_row){
        .victim = victim, .aggressor = aggressor, .together = table->request->together};
    const size_t count = table_neighbours(table, row, index);
    OWNED const struct program_profile **other = must(calloc(count + 1, sizeof *other));
    for (size_t i = 0; i < count; i++)
        other[i] = &entry[index[i]].profile;
    if (count == 0)
        return;
    if (count >= PREDICT_PROGRAMS)
        usage_error("--together: more than %d programs: give fewer", PREDICT_PROGRAMS);
    const bool known = predict_beside(a, other, count, &row->prediction);
    row->gate =
        profile_gate_judge(a->noise_sd, a->noise_n, known ? row->prediction.slowdown - 1 : 0);
    row->shown = known && (row->gate.passed || table->request->force);
    row->verdict = judge(row, table->request->at_most);
    row->measured = find_measured(table, row);
    table->count++;
}

static void refuse_single(const struct program_list *list, bool together)
{
    if (list->count == 0)
        usage_error("no profile is of this place: give profiles of it, or another --place");
    if (list->count == 1)
        usage_error("%s: one program alone: give another profile, or %s", list->entry[0].path,
                    together ? "this one again" : "--with-itself");
    usage_error("%s is of the place %s, %s of %s: profile both at one place", list->entry[0].path,
                list->entry[0].profile.place, list->entry[1].path, list->entry[1].profile.place);
}

void table_make(struct table *table, const struct program_list *programs, const json_t *measured,
                const struct predict_request *request)
{
    const size_t count = programs->count;
    *table = (struct table){.programs = programs,
                            .request = request,
                            .pairs = measured,
                            .row = must(calloc(count * (count + 1) + 1, sizeof *table->row))};
    for (size_t a = 0; a < count; a++) {
        bool first = true; // of its place: with --together the place's rows follow each other
        for (size_t b = 0; b < a; b++)
            first = first && !programs_meet(programs, a, b, false);
        for (size_t b = 0; b < count; b++)
            if (request->together && first && programs_meet(programs, a, b, true))
                add_row(table, b, b);
            else if (!request->together && programs_meet(programs, a, b, request->with_itself))
                add_row(table, a, b);
    }
    if (table->count == 0)
        refuse_single(programs, request->together);
}

int table_status(const struct table *table)
{
    enum { ABOVE = 3, UNDECIDED = 4 };
    enum verdict all = VERDICT_BELOW;
    bool any = false;
    for (size_t i = 0; i < table->count; i++) {
        if (table->request->at_most > 0)
            all = verdict_joined(all, table->row[i].verdict);
        any = any || table->row[i].shown;
    }
    if (all == VERDICT_ABOVE)
        return ABOVE;
    return all == VERDICT_UNDECIDED || !any ? UNDECIDED : 0;
}

void table_free(struct table *table)
{
    free(table->row);
}
