#include "offered.h"

#include "harness/stats/judge.h"

#include "common/record_json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double least = 0.02, errors = 3;

// Of the runs of a condition; n 0: it offered no rate.
struct offered {
    double sum, squares;
    size_t n;
};

static double mean(const struct offered *offered)
{
    return offered->sum / (double)offered->n;
}

static double variance_of_mean(const struct offered *offered)
{
    const double n = (double)offered->n, center = mean(offered);
    // A single run says little.
    return n < 2 ? center * center / 100
                 : fmax(offered->squares / n - center * center, 0) / (n - 1);
}

static void add(struct offered *offered, const json_t *loads, const char *name)
{
    for (size_t i = 0; i < json_array_size(loads); i++) {
        const json_t *load = json_array_get(loads, i);
        const double rate = judge_number(load, "offered");
        if (strcmp(json_text_or_empty(load, "name"), name) != 0 || isnan(rate))
            continue;
        offered->sum += rate;
        offered->squares += rate * rate;
        offered->n++;
    }
}

static struct offered offered_of(const struct side *side, const char *condition, const char *load)
{
    const char *own = side->experiment.settings.conditions[side_condition(side, condition)];
    struct offered offered = {0};
    for (size_t i = 0; i < json_array_size(side->replay.records); i++) {
        const json_t *record = json_array_get(side->replay.records, i);
        if (strcmp(json_text_or_empty(record, "condition"), own) == 0)
            add(&offered, json_object_get(record, "load"), load);
    }
    return offered;
}

static json_t *rate_json(const struct offered *offered, const char *unit)
{
    char text[64];
    if (offered->n == 0)
        return json_string("no rate");
    snprintf(text, sizeof text, "%.*g %s", mean(offered) < 1e6 ? 6 : 4, mean(offered), unit);
    return json_string(text);
}

static bool differ(const struct offered *a, const struct offered *b)
{
    if (a->n == 0 || b->n == 0)
        return a->n != b->n;
    const double apart = fabs(mean(a) - mean(b));
    return apart > least * fmax(mean(a), mean(b)) &&
           apart > errors * sqrt(variance_of_mean(a) + variance_of_mean(b));
}

json_t *offered_differing(const struct side *a, const struct side *b, const json_t *conditions,
                          json_t *compared)
{
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        const char *name = json_string_value(json_array_get(conditions, i));
        const struct condition *one = &a->session.conditions[side_condition(a, name)];
        for (size_t k = 0; k < one->load_count; k++) {
            const struct load_sum *load = &one->loads[k];
            const struct offered its = offered_of(a, name, load->name),
                                 other = offered_of(b, name, load->name);
            if (its.n > 0 && other.n > 0)
                json_array_append_new(compared, json_string(load->name));
            if (differ(&its, &other))
                json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "what", load->name, "a",
                                                      rate_json(&its, load->unit), "b",
                                                      rate_json(&other, load->unit)));
        }
    }
    return list;
}
