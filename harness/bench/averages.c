// Averages over rows: a further row for each group of cells that are averaged.

#include "bench.h"

#include "common/memory.h"
#include "common/record_json.h"

#include <math.h>

// Bounds that hold whatever the rows have in common: the averages of theirs.
struct average {
    double value, low, high;
    size_t count;
};

static void average_take(struct average *average, const json_t *figure)
{
    const double value = json_number_at(figure, "value"), low = json_bound_at(figure, 0),
                 high = json_bound_at(figure, 1);
    if (isnan(value))
        return;
    average->value += value;
    average->low += low; // not a number where a row has no interval, and then the average has none
    average->high += high;
    average->count++;
}

static void average_put(json_t *object, const struct average *average)
{
    const double count = (double)average->count;
    const bool bounded = !isnan(average->low) && !isnan(average->high);
    json_put(object, "value", json_number(average->value / count));
    json_put(object, "ci",
             bounded ? must(json_pack("[f, f]", average->low / count, average->high / count))
                     : json_null());
}

// Whose figures are averaged: rows of one group that have one.
struct group {
    const json_t *cells, *rows;
    const char *key;
};

static const json_t *row_in(const struct group *group, size_t i)
{
    const json_t *row = json_array_get(group->rows, i);
    return json_text_is(json_array_get(group->cells, i), "average", group->key) &&
                   json_has(row, "value")
               ? row
               : NULL;
}

// Averages the figure that counts over the rows of a group, or a figure of the peer PEER, or the
// further figure MORE; either may be NULL.
static struct average average_of(const struct group *group, const char *peer, const char *more)
{
    struct average average = {0};
    for (size_t i = 0; i < json_array_size(group->rows); i++) {
        const json_t *row = row_in(group, i);
        const json_t *of = !peer ? row : json_named(json_object_get(row, "peers"), "name", peer);
        average_take(&average, !more ? of : json_named(json_object_get(of, "more"), "name", more));
    }
    return average;
}

// Keeps the labels that all rows have alike: it is an average over all values of the others.
static json_t *labels_shared(const struct group *group, const json_t *first)
{
    json_t *labels = must(json_deep_copy(json_object_get(first, "labels")));
    for (size_t i = 0; i < json_array_size(group->rows); i++) {
        const char *name;
        json_t *text;
        const json_t *row = row_in(group, i);
        json_object_foreach(json_object_get(first, "labels"), name, text)
        {
            if (row && !json_equal(json_object_get(json_object_get(row, "labels"), name), text))
                json_put(labels, name, json_text("all"));
        }
    }
    return labels;
}

static void average_further(const struct group *group, json_t *of, const char *peer)
{
    JSON_EACH (figure, json_object_get(of, "more")) {
        const struct average average = average_of(group, peer, json_text_at(figure, "name"));
        average_put(figure, &average);
        json_object_del(figure, "peak");
        json_object_del(figure, "of_peak");
    }
}

// The row of a group, made of its first row: {cell: "average.KEY", ...}. A new reference.
static json_t *average_row(const struct group *group, const json_t *first, size_t all)
{
    const struct average average = average_of(group, NULL, NULL);
    json_t *row = must(json_deep_copy(first));
    json_put(row, "cell", json_owned_text(text_of("average.%s", group->key)));
    json_put(row, "labels", labels_shared(group, first));
    average_put(row, &average);
    json_put(row, "n", must(json_integer(0)));
    json_put(row, "state", json_text("done"));
    json_put(row, "reason", json_null());
    json_put(row, "peak", json_null());
    json_put(row, "peak_reason", json_null());
    json_put(row, "of_peak", json_null());
    json_put(row, "problems", must(json_array()));
    OWNED char *mark =
        average.count == all
            ? text_of("the average of %zu rows, each of the same weight", all)
            : text_of("the average of %zu of %zu rows, each of the same weight: the others have no "
                      "figure",
                      average.count, all);
    json_put(row, "marks", must(json_pack("[s]", mark)));
    average_further(group, row, NULL);
    JSON_EACH (peer, json_object_get(row, "peers")) {
        const char *name = json_text_at(peer, "name");
        const struct average its = average_of(group, name, NULL);
        average_put(peer, &its);
        json_put(peer, "n", must(json_integer(0)));
        json_put(peer, "of_peak", json_null());
        json_put(peer, "ours_of_peer", json_null());
        average_further(group, peer, name);
    }
    return row;
}

void averages_add(const json_t *cells, json_t *rows)
{
    json_auto_t *groups = must(json_object()), *made = must(json_array());
    const char *key;
    json_t *count;
    JSON_EACH (cell, cells) {
        const char *name = json_text_at(cell, "average");
        if (name)
            json_put(groups, name,
                     must(json_integer(json_integer_value(json_object_get(groups, name)) + 1)));
    }
    json_object_foreach(groups, key, count)
    {
        const struct group group = {cells, rows, key};
        const json_t *first = NULL;
        for (size_t i = 0; !first && i < json_array_size(rows); i++)
            first = row_in(&group, i);
        if (first && json_integer_value(count) > 1)
            json_add(made, average_row(&group, first, (size_t)json_integer_value(count)));
    }
    json_array_extend(rows, made);
}
