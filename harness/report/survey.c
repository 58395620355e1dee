#include "survey.h"

#include "experiment.h"
#include "sessions.h"
#include "workers.h"

#include "common/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

struct work {
    const struct folders *folders;
    const struct wanted *wanted;
    const struct groups *groups;
    struct family *parts; /* one for each folder, or each group */
    struct place *places; /* one for each folder */
};

/* How often the interval of one slowdown leaves 1 out by chance. */
static double chance_of(const struct experiment *experiment)
{
    const struct value *intervals = view_get(experiment->result.top, "intervals");
    const double confidence = view_confidence(intervals);
    return (1 - confidence) / fmax(view_number(view_get(intervals, "family"), 1), 1);
}

/* What has no interval cannot look distinguishable. */
static void add_ratio(struct family *family, const struct experiment *experiment,
                      const struct value *ratio)
{
    if (view_is(view_get(ratio, "ci"), VIEW_ARRAY))
        family_add(family, (struct member){
                               .p = view_number(view_get(ratio, "p"), NAN),
                               .chance = chance_of(experiment),
                               .distinguishable = view_true(view_get(ratio, "distinguishable")),
                           });
}

/* The wall time is in each record, also where it is neither one of --metric nor shown. */
static bool is_shown(const struct experiment *experiment, const struct value *ratio)
{
    const struct metric_list *list = &experiment->metrics;
    return !view_equals(view_get(ratio, "metric"), metrics[METRIC_WALL].name) ||
           list->item[METRIC_WALL].chosen || list->main == METRIC_WALL;
}

static void add_condition(struct family *family, const struct experiment *experiment,
                          const char *condition)
{
    const struct value *all = view_get(experiment->result.top, "slowdowns");
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item))
        if (view_equals(view_get(item, "condition"), condition) && is_shown(experiment, item))
            add_ratio(family, experiment, item);
}

/* What compares variants is of the experiment. */
static void add_comparisons(struct family *family, const struct experiment *experiment,
                            const char *list)
{
    const struct value *all = view_get(experiment->result.top, list);
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item)) {
        if (!is_shown(experiment, item))
            continue;
        add_ratio(family, experiment, item);
        family->ratios = true;
    }
}

/* Only what has a cell in the report. Returns whether there is any. */
static bool add_experiment(struct family *family, const struct experiment *experiment,
                           const struct wanted *wanted)
{
    struct pairing pairing;
    bool any = false;
    if (experiment->baseline == NULL || experiment->state == NULL)
        return false;
    for (size_t i = 0; experiment_pairing(experiment, i, &pairing); i++) {
        struct cell cell;
        if (cell_make(&cell, experiment, pairing) && cell_wanted(wanted, &cell)) {
            if (cell.condition != NULL)
                add_condition(family, experiment, cell.condition);
            any = true;
        }
        cell_free(&cell);
    }
    if (any) {
        add_comparisons(family, experiment, "comparisons");
        add_comparisons(family, experiment, "interactions");
    }
    return any;
}

static void survey_folder(void *context, size_t number)
{
    struct work *work = context;
    struct experiment experiment;
    struct problems ignored = {0};
    experiment_read(&experiment, &work->folders->item[number], number + 1, work->wanted, NULL,
                    &ignored);
    work->places[number].folder = number;
    if (add_experiment(&work->parts[number], &experiment, work->wanted))
        work->places[number] = place_of(&experiment, number);
    experiment_free(&experiment);
    problems_free(&ignored);
}

static void survey_group(void *context, size_t number)
{
    struct work *work = context;
    struct experiment all;
    sessions_read(&all, &work->groups->item[number], work->folders, work->wanted, NULL);
    add_experiment(&work->parts[number], &all, work->wanted);
    experiment_free(&all);
}

void survey(struct groups *groups, struct family *family, const struct folders *folders,
            const struct wanted *wanted)
{
    struct work work = {.folders = folders,
                        .wanted = wanted,
                        .groups = groups,
                        .parts = must(calloc(folders->count + 1, sizeof *work.parts)),
                        .places = must(calloc(folders->count + 1, sizeof *work.places))};
    workers_each(folders->count, survey_folder, &work);
    groups_make(groups, work.places, folders->count);
    for (size_t i = 0; i < folders->count; i++)
        if (groups->of[i] == SIZE_MAX)
            family_move(family, &work.parts[i]);
        else /* the ratio over sessions takes their place */
            family_free(&work.parts[i]);
    workers_each(groups->count, survey_group, &work);
    for (size_t i = 0; i < groups->count; i++)
        family_move(family, &work.parts[i]);
    free(work.parts);
    free(work.places);
    family_settle(family);
}
