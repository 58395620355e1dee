// The runs behind a cell, as a page has them.

#include "draw.h"

#include "common/record_json.h"

#include <math.h>
#include <stdlib.h>

enum { THINNED = 1500 }; // runs of a condition that are drawn at most

const char *runs_reference(const struct item *item)
{
    return json_text_or_empty(json_object_get(item->cell, "charts"), "reference");
}

const char *runs_under(const struct item *item)
{
    return json_text_or_empty(json_object_get(item->cell, "charts"), "under");
}

// Sets a mark for each place of a list; what is not among the count places is passed over.
static bool *places(const json_t *list, size_t count)
{
    bool *mark = must(calloc(count + 1, sizeof *mark));
    JSON_EACH (place, list) {
        const json_int_t at = json_integer_value(place);
        if (at >= 0 && (size_t)at < count)
            mark[at] = true;
    }
    return mark;
}

static double number_at(const json_t *list, size_t i)
{
    const json_t *value = json_array_get(list, i);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

struct run_list runs_of(const struct item *item, const char *condition)
{
    const json_t *of = json_object_get(item->runs, condition),
                 *order = json_object_get(of, "order"),
                 *values = json_object_get(json_object_get(of, "values"), item->name),
                 *phases = json_object_get(of, "phase_s");
    const size_t count = json_array_size(order);
    struct run_list runs = {0};
    OWNED bool *flagged = places(json_object_get(of, "flagged"), count);
    OWNED bool *unused = places(json_object_get(of, "unused"), count);
    for (size_t i = 0; i < count; i++) {
        const double value = number_at(values, i);
        if (isnan(value))
            continue;
        runs.item = grown(runs.item, runs.count, &runs.allocated, sizeof *runs.item);
        runs.item[runs.count++] = (struct run){.order = number_at(order, i),
                                               .value = value,
                                               .phase_s = number_at(phases, i),
                                               .flagged = flagged[i],
                                               .used = !unused[i]};
    }
    return runs;
}

static void keep(struct run_list *kept, const struct run_list *runs, size_t i)
{
    kept->item = grown(kept->item, kept->count, &kept->allocated, sizeof *kept->item);
    kept->item[kept->count++] = runs->item[i];
}

struct run_list runs_thinned(const struct run_list *runs)
{
    const size_t size = runs->count > THINNED ? runs->count * 3 / THINNED : 1;
    struct run_list kept = {0};
    for (size_t first = 0; first < runs->count; first += size) {
        const size_t end = first + size < runs->count ? first + size : runs->count;
        size_t lowest = first, highest = first;
        for (size_t i = first; i < end; i++) {
            lowest = runs->item[i].value < runs->item[lowest].value ? i : lowest;
            highest = runs->item[i].value > runs->item[highest].value ? i : highest;
        }
        keep(&kept, runs, first);
        if (lowest != first)
            keep(&kept, runs, lowest);
        if (highest != first && highest != lowest)
            keep(&kept, runs, highest);
    }
    return kept;
}

struct points runs_multiples(const struct item *item, const char *condition)
{
    const double median = json_number_at(json_object_get(item->metric, "alone"), "median");
    struct points values = {0};
    if (!(median > 0))
        return values;
    struct run_list runs = runs_of(item, condition);
    for (size_t i = 0; i < runs.count; i++)
        if (runs.item[i].used)
            part_point(&values, runs.item[i].value / median, 0);
    free(runs.item);
    points_sort(&values);
    return values;
}

bool runs_extent(const struct item *item, const char *which, double extent[3])
{
    const json_t *of = json_object_get(item->metric, which);
    extent[0] = json_number_at(of, "min");
    extent[1] = json_number_at(of, "median");
    extent[2] = json_number_at(of, "max");
    return json_is_object(of);
}
