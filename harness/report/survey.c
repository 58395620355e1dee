#include "survey.h"

#include "memory.h"
#include "workers.h"

#include <math.h>
#include <stdlib.h>

struct work {
    const struct folders *folders;
    const struct wanted *wanted;
    struct family *parts; /* one for each folder */
};

/* How often the interval of one slowdown leaves 1 out by chance. */
static double chance_of(const struct experiment *experiment)
{
    const struct value *intervals = view_get(experiment->result.top, "intervals");
    const double confidence = view_number(view_get(intervals, "confidence"), 0.95);
    return (1 - confidence) / fmax(view_number(view_get(intervals, "family"), 1), 1);
}

/* What has no interval cannot look distinguishable. */
static void add_condition(struct family *family, const struct experiment *experiment,
                          const char *condition, const struct wanted *wanted)
{
    const struct value *all = view_get(experiment->result.top, "slowdowns");
    struct cell cell;
    if (cell_make(&cell, experiment, condition) && cell_wanted(wanted, cell.name))
        for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item))
            if (view_equals(view_get(item, "condition"), condition) &&
                view_is(view_get(item, "ci"), VIEW_ARRAY))
                family_add(family,
                           (struct member){
                               .p = view_number(view_get(item, "p"), NAN),
                               .chance = chance_of(experiment),
                               .distinguishable = view_true(view_get(item, "distinguishable")),
                           });
    cell_free(&cell);
}

/* Only what has a cell in the report: the baseline again is compared with itself. */
static void survey_folder(void *context, size_t number)
{
    struct work *work = context;
    struct experiment experiment;
    struct problems ignored = {0};
    experiment_read(&experiment, &work->folders->item[number], number + 1, work->wanted, NULL,
                    &ignored);
    const bool twice = view_true(view_get(experiment.settings, "aa"));
    const struct value *conditions = experiment.conditions, *item = view_first(conditions);
    while (item != NULL && experiment.state != NULL &&
           (item = view_next(conditions, item)) != NULL) {
        char *name = view_string(view_get(item, "name"));
        if (name != NULL && !(twice && view_equals(view_get(item, "name"), "aa")))
            add_condition(&work->parts[number], &experiment, name, work->wanted);
        free(name);
    }
    experiment_free(&experiment);
    problems_free(&ignored);
}

void survey(struct family *family, const struct folders *folders, const struct wanted *wanted)
{
    struct work work = {.folders = folders,
                        .wanted = wanted,
                        .parts = must(calloc(folders->count + 1, sizeof *work.parts))};
    workers_each(folders->count, survey_folder, &work);
    for (size_t i = 0; i < folders->count; i++)
        family_move(family, &work.parts[i]);
    free(work.parts);
    family_settle(family);
}
