#include "conditions.h"

#include "memory.h"

#include <stdlib.h>
#include <string.h>

const struct value *condition_named(const struct experiment *experiment, const char *name)
{
    return name == NULL ? NULL : view_entry(experiment->conditions, "name", name);
}

const struct value *slowdown_of(const struct experiment *experiment, const char *condition,
                                const char *metric)
{
    const struct value *slowdowns = view_get(experiment->result.top, "slowdowns");
    for (const struct value *item = view_first(slowdowns); condition != NULL && item != NULL;
         item = view_next(slowdowns, item))
        if (view_equals(view_get(item, "condition"), condition) &&
            view_equals(view_get(item, "metric"), metric))
            return item;
    return NULL;
}

bool comparison_is_of(const struct value *comparison, const struct value *variant,
                      const struct value *load)
{
    const struct value *own = view_get(comparison, "load");
    return view_same(view_get(comparison, "variant"), variant) &&
           (view_is(load, VIEW_STRING) ? view_same(own, load) : !view_is(own, VIEW_STRING));
}

const struct value *comparison_of(const struct experiment *experiment, const char *list,
                                  const struct value *variant, const struct value *load,
                                  const char *metric)
{
    const struct value *all = view_get(experiment->result.top, list);
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item))
        if (comparison_is_of(item, variant, load) && view_equals(view_get(item, "metric"), metric))
            return item;
    return NULL;
}

const struct value *experiment_condition(const struct experiment *experiment, const char *name)
{
    return name == NULL ? NULL
                        : view_entry(view_get(experiment->record.top, "conditions"), "name", name);
}

const struct value *experiment_variant(const struct experiment *experiment,
                                       const struct value *name)
{
    const struct value *variants = view_get(experiment->record.top, "variants");
    for (const struct value *item = view_first(variants); item != NULL;
         item = view_next(variants, item))
        if (view_same(view_get(item, "name"), name))
            return item;
    return NULL;
}

bool experiment_has_variants(const struct experiment *experiment)
{
    return view_first(view_get(experiment->record.top, "variants")) != NULL;
}

char *conditions_load(const struct experiment *experiment, const char *condition)
{
    const struct value *entry = experiment_condition(experiment, condition);
    return experiment_has_variants(experiment) ? view_string(view_get(entry, "load"))
           : condition == NULL                 ? NULL
                                               : must(strdup(condition));
}

/* The condition of the same variant without load; NULL: there is none. */
static const struct value *alone_of(const struct experiment *experiment,
                                    const struct value *variant)
{
    const struct value *all = view_get(experiment->record.top, "conditions");
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item)) {
        if (!view_same(view_get(item, "variant"), variant) ||
            view_is(view_get(item, "load"), VIEW_STRING))
            continue;
        char *name = view_string(view_get(item, "name"));
        const struct value *found = condition_named(experiment, name);
        free(name);
        return found;
    }
    return NULL;
}

/* Whether any variant was measured under a load. */
static bool has_loads(const struct experiment *experiment)
{
    const struct value *all = view_get(experiment->record.top, "conditions");
    for (const struct value *item = view_first(all); item != NULL; item = view_next(all, item))
        if (view_is(view_get(item, "load"), VIEW_STRING))
            return true;
    return false;
}

/* A cell for each variant under each load, or for each variant alone. False: this condition
 * is of no cell of its own. */
static bool pair_variant(const struct experiment *experiment, const struct value *condition,
                         struct pairing *pairing)
{
    char *name = view_string(view_get(condition, "name"));
    const struct value *entry = experiment_condition(experiment, name);
    const bool loaded = view_is(view_get(entry, "load"), VIEW_STRING);
    free(name);
    if (loaded)
        *pairing = (struct pairing){alone_of(experiment, view_get(entry, "variant")), condition};
    else
        *pairing = (struct pairing){condition, NULL};
    return loaded || !has_loads(experiment);
}

/* A cell for each load. The baseline again is compared with itself. */
static bool pair_load(const struct experiment *experiment, const struct value *condition,
                      struct pairing *pairing)
{
    const bool twice = view_true(view_get(experiment->settings, "aa"));
    *pairing = (struct pairing){experiment->baseline, condition};
    return condition != experiment->baseline &&
           !(twice && view_equals(view_get(condition, "name"), "aa"));
}

bool experiment_pairing(const struct experiment *experiment, size_t number, struct pairing *pairing)
{
    const bool variants = experiment_has_variants(experiment);
    size_t seen = 0;
    for (const struct value *item = view_first(experiment->conditions); item != NULL;
         item = view_next(experiment->conditions, item))
        if ((variants ? pair_variant : pair_load)(experiment, item, pairing) && seen++ == number)
            return true;
    *pairing = (struct pairing){experiment->baseline, NULL};
    return seen == 0 && number == 0;
}
