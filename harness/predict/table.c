#include "table.h"

#include "common/messages.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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
    if (at_most <= 0)
        return VERDICT_NONE;
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
    row->gate = gate_judge(victim->noise.sd, victim->noise.n, effect);
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
    bool above = false, undecided = false, any = false;
    for (size_t i = 0; i < table->count; i++) {
        above = above || table->row[i].verdict == VERDICT_ABOVE;
        undecided = undecided || table->row[i].verdict == VERDICT_UNDECIDED;
        any = any || table->row[i].shown;
    }
    return above ? ABOVE : undecided || !any ? UNDECIDED : 0;
}

void table_free(struct table *table)
{
    free(table->row);
}
