#include "factor.h"

#include "memory.h"
#include "numbers.h"

#include "harness/stats/explain.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double level = 0.05; /* of the test whether they differ, of all reporters together */
static const double confidence = 0.95;

void factor_read(struct factor_levels *levels, const struct value *machine_factor)
{
    const struct value *list = view_get(machine_factor, "reporters");
    *levels = (struct factor_levels){0};
    for (const struct value *item = view_first(list); item != NULL && levels->count < FACTORS_MOST;
         item = view_next(list, item)) {
        struct factor_mean *one = &levels->item[levels->count++];
        const struct value *cost = view_get(item, "cost");
        char *name = view_string(view_get(item, "name"));
        snprintf(one->name, sizeof one->name, "%s", name == NULL ? "?" : name);
        free(name);
        one->mean = view_number(view_get(cost, "mean"), NAN);
        one->error = view_number(view_get(cost, "error"), NAN);
        one->df = view_number(view_get(cost, "df"), NAN);
    }
}

static const struct factor_mean *mean_named(const struct factor_levels *levels, const char *name)
{
    for (size_t i = 0; i < levels->count; i++)
        if (strcmp(levels->item[i].name, name) == 0)
            return &levels->item[i];
    return NULL;
}

/* A reporter that one of them lacks is one of neither. */
void factor_add(struct factor_levels *to, const struct factor_levels *more, size_t parts)
{
    const double share = 1 / (double)parts;
    size_t kept = 0;
    if (parts == 1) {
        *to = *more;
        return;
    }
    for (size_t i = 0; i < to->count; i++) {
        const struct factor_mean *other = mean_named(more, to->item[i].name);
        struct factor_mean one = to->item[i];
        if (other == NULL)
            continue;
        one.mean += share * (other->mean - one.mean);
        one.error = hypot((1 - share) * one.error, share * other->error);
        one.df += other->df;
        to->item[kept++] = one;
    }
    to->count = kept;
}

/* One reporter in all groups. */
struct apart {
    const char *name;
    double *mean; /* of each group */
    double p;     /* that they are alike; NAN: not known */
};

/* False: not all groups have it. */
static bool read_apart(struct apart *apart, const struct factor_groups *groups)
{
    double *error = must(calloc(2 * groups->count, sizeof *error)), *df = error + groups->count;
    bool good = true;
    for (size_t i = 0; good && i < groups->count; i++) {
        const struct factor_mean *one = mean_named(groups->levels[i], apart->name);
        good = one != NULL;
        apart->mean[i] = good ? one->mean : NAN;
        error[i] = good ? one->error : NAN;
        df[i] = good ? one->df : NAN;
    }
    apart->p = good ? explain_apart(apart->mean, error, df, groups->count) : NAN;
    free(error);
    return good;
}

/* All reporters that every group has, to be freed with their means. */
static struct apart *all_apart(const struct factor_groups *groups, size_t *count)
{
    const struct factor_levels *first = groups->levels[0];
    struct apart *all = must(calloc(first->count + 1, sizeof *all));
    *count = 0;
    for (size_t i = 0; i < first->count; i++) {
        struct apart *one = &all[*count];
        *one = (struct apart){.name = first->item[i].name,
                              .mean = must(calloc(groups->count, sizeof(double)))};
        if (read_apart(one, groups))
            ++*count;
        else
            free(one->mean);
    }
    return all;
}

static void free_apart(struct apart *all, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(all[i].mean);
    free(all);
}

static bool is_apart(const struct apart *one, size_t of)
{
    return one->p < level / (double)of; /* false for NAN */
}

static struct explained explained_by(const struct apart *one, const struct factor_groups *groups)
{
    return explain(one->mean, groups->figure, groups->count, confidence, false);
}

/* "memory 1.00, 1.06, 0.98 times the first's" */
static char *ratios_text(const struct apart *one, size_t count)
{
    char number[NUMBER_SIZE], *text = must(strdup(one->name));
    for (size_t i = 0; i < count; i++) {
        char *more = text_of("%s%s %s", text, i == 0 ? "" : ",",
                             number_fixed(exp(one->mean[i] - one->mean[0]), 2, number));
        free(text);
        text = more;
    }
    return text;
}

/* What the difference of the machines explains of that of the figures. */
static char *explained_text(const struct apart *one, const struct factor_groups *groups)
{
    const struct explained explained = explained_by(one, groups);
    char low[NUMBER_SIZE], high[NUMBER_SIZE], r2[NUMBER_SIZE];
    if (isnan(explained.r2))
        return text_of("how much of the differences of the figures it explains cannot be told "
                       "from %zu %s",
                       groups->count, groups->what);
    return text_of("it explains %s [%s, %s] of the variance of the figures between %s",
                   number_percent(explained.r2, r2), number_percent(explained.low, low),
                   number_percent(explained.high, high), groups->what);
}

static const struct apart *most_apart(const struct apart *all, size_t count)
{
    const struct apart *most = NULL;
    for (size_t i = 0; i < count; i++)
        if (is_apart(&all[i], count) && (most == NULL || all[i].p < most->p))
            most = &all[i];
    return most;
}

static size_t with_probe(const struct factor_groups *groups)
{
    size_t count = 0;
    for (size_t i = 0; i < groups->count; i++)
        count += groups->levels[i]->count > 0 ? 1 : 0;
    return count;
}

char *factor_between(const struct factor_groups *groups)
{
    const size_t probed = with_probe(groups);
    size_t count;
    if (probed == 0 || groups->count < 2)
        return NULL;
    if (probed < groups->count)
        return text_of("machine: %zu of %zu %s have no probe before each block, so what of a "
                       "difference is the machine's is not known",
                       groups->count - probed, groups->count, groups->what);
    struct apart *all = all_apart(groups, &count);
    const struct apart *most = most_apart(all, count);
    char *text;
    if (most == NULL) {
        text = text_of(
            "machine: by the probe before each block the %s cannot be told apart: figures are "
            "not corrected",
            groups->what);
    } else {
        char *ratios = ratios_text(most, groups->count), *explained = explained_text(most, groups);
        text = text_of("machine: by the probe before each block the %s differ most in %s times "
                       "the first's (more is worse); %s; figures are not corrected",
                       groups->what, ratios, explained);
        free(ratios);
        free(explained);
    }
    free_apart(all, count);
    return text;
}

static void put_explained(struct line *json, const struct explained *explained)
{
    if (isnan(explained->r2)) {
        line_null(json, "explains");
        return;
    }
    line_object(json, "explains");
    line_real(json, "r2", explained->r2);
    line_real(json, "adjusted", explained->adjusted);
    line_array(json, "ci");
    line_real(json, NULL, explained->low);
    line_real(json, NULL, explained->high);
    line_close(json);
    line_close(json);
}

void factor_put_between(struct line *json, const struct factor_groups *groups)
{
    size_t count = 0;
    if (groups->count < 2 || with_probe(groups) == 0)
        return;
    if (with_probe(groups) < groups->count) {
        line_null(json, "machine");
        return;
    }
    struct apart *all = all_apart(groups, &count);
    line_object(json, "machine");
    line_bool(json, "corrected", false);
    line_array(json, "reporters");
    for (size_t i = 0; i < count; i++) {
        const struct explained explained = explained_by(&all[i], groups);
        line_object(json, NULL);
        line_text(json, "name", all[i].name);
        line_array(json, "ratios");
        for (size_t k = 0; k < groups->count; k++)
            line_real(json, NULL, exp(all[i].mean[k] - all[i].mean[0]));
        line_close(json);
        line_real(json, "p", all[i].p);
        line_bool(json, "differ", is_apart(&all[i], count));
        put_explained(json, &explained);
        line_close(json);
    }
    line_close(json);
    line_close(json);
    free_apart(all, count);
}

/* The reporter that explains most, among those of which it can be told that they do. */
static const struct value *best_told(const struct value *list)
{
    const struct value *best = NULL;
    for (const struct value *item = view_first(list); item != NULL; item = view_next(list, item)) {
        const struct value *explains = view_get(item, "explains");
        if (view_true(view_get(explains, "told")) &&
            view_number(view_get(explains, "slope"), NAN) > 0 &&
            (best == NULL || view_number(view_get(explains, "r2"), 0) >
                                 view_number(view_path(best, "explains", "r2"), 0)))
            best = item;
    }
    return best;
}

char *factor_text(const struct value *machine_factor)
{
    const struct value *best = best_told(view_get(machine_factor, "reporters")),
                       *explains = view_get(best, "explains");
    char r2[NUMBER_SIZE], low[NUMBER_SIZE], high[NUMBER_SIZE], spread[NUMBER_SIZE];
    if (best == NULL)
        return NULL;
    const struct value *first = view_first(view_get(explains, "ci"));
    const struct value *second = first == NULL ? NULL : view_next(view_get(explains, "ci"), first);
    char *name = view_string(view_get(best, "name")),
         *condition = view_string(view_get(machine_factor, "condition")),
         *metric = view_string(view_get(machine_factor, "metric"));
    char *text = text_of("machine: by the probe before each block %s (spread %s) explains %s [%s, "
                         "%s] of the variance "
                         "of %s of %s between blocks; figures are not corrected",
                         name, number_percent(view_number(view_get(best, "spread"), NAN), spread),
                         number_percent(view_number(view_get(explains, "r2"), NAN), r2),
                         number_percent(view_number(first, NAN), low),
                         number_percent(view_number(second, NAN), high), metric, condition);
    free(name);
    free(condition);
    free(metric);
    return text;
}

char *factor_line(const struct value *result)
{
    char *text = view_string(view_get(result, "machine_text"));
    return text != NULL ? text : factor_text(view_get(result, "machine_factor"));
}
