#include "groups.h"

#include "common/memory.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct place place_of(const struct experiment *experiment, size_t folder)
{
    const struct value *cell = experiment->cell;
    char *name = view_string(view_get(cell, "of"));
    return (struct place){.name = name != NULL ? name : view_string(view_get(cell, "name")),
                          .key = view_string(view_get(cell, "key")),
                          .session = view_count(view_get(cell, "session"), 1),
                          .folder = folder};
}

static int compare_texts(const char *a, const char *b)
{
    return strcmp(a == NULL ? "" : a, b == NULL ? "" : b);
}

/* What has another definition is another cell, whatever its name. */
static int by_cell(const struct place *x, const struct place *y)
{
    const int order = compare_texts(x->name, y->name);
    return order != 0 ? order : compare_texts(x->key, y->key);
}

static int by_session(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int order = by_cell(x, y);
    if (order != 0)
        return order;
    return x->session != y->session ? (x->session > y->session) - (x->session < y->session)
                                    : (x->folder > y->folder) - (x->folder < y->folder);
}

/* Of the places from start on: how many are sessions of one cell. */
static size_t sessions_from(const struct place *places, size_t start, size_t count)
{
    size_t end = start + 1;
    while (end < count && places[start].name != NULL && by_cell(&places[end], &places[start]) == 0)
        end++;
    return end - start;
}

/* Two of one number are no sessions of each other, but two results of the same, such as of two
 * nodes. */
static bool are_distinct(const struct place *places, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (places[i].session == places[i - 1].session)
            return false;
    return count > 1;
}

static void add_group(struct groups *groups, const struct place *places, size_t count)
{
    struct group group = {.name = must(strdup(places[0].name)),
                          .place = must(calloc(count, sizeof *group.place)),
                          .count = count};
    memcpy(group.place, places, count * sizeof *places);
    for (size_t i = 0; i < count; i++) {
        group.place[i].name = group.place[i].key = NULL;
        groups->of[places[i].folder] = groups->count;
    }
    groups->item = grown(groups->item, groups->count, &groups->allocated, sizeof *groups->item);
    groups->item[groups->count++] = group;
}

void groups_make(struct groups *groups, struct place *places, size_t count)
{
    *groups = (struct groups){.of = must(calloc(count + 1, sizeof *groups->of))};
    for (size_t i = 0; i < count; i++)
        groups->of[i] = SIZE_MAX;
    if (count > 0) /* qsort() takes no NULL */
        qsort(places, count, sizeof *places, by_session);
    for (size_t i = 0, same; i < count; i += same) {
        same = sessions_from(places, i, count);
        if (are_distinct(&places[i], same))
            add_group(groups, &places[i], same);
    }
    for (size_t i = 0; i < count; i++) {
        free(places[i].name);
        free(places[i].key);
    }
}

void groups_free(struct groups *groups)
{
    for (size_t i = 0; i < groups->count; i++) {
        free(groups->item[i].name);
        free(groups->item[i].place);
    }
    free(groups->item);
    free(groups->of);
    *groups = (struct groups){0};
}
