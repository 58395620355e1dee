#include "merge.h"

#include "plan.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/schemas.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536 };

/* A cell of one of the folders. What is compared is read only where several have it. */
struct candidate {
    char *path; /* FOLDER/cells/NAME */
    const char *name;
    size_t folder; /* which of them */
    char *key;
    off_t size;
    struct timespec changed;
};

struct candidates {
    struct candidate *list;
    size_t count, capacity;
};

static void fail(const char *path)
{
    complain("%s cannot be read: %s", path, strerror(errno));
    exit(1);
}

static void add_candidate(struct candidates *all, const char *folder, size_t number,
                          const char *name)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/cells/%s/experiment.json", folder, name);
    if (name[0] == '.' || access(path, F_OK) != 0)
        return;
    if (all->count == all->capacity) {
        all->capacity = all->capacity ? 2 * all->capacity : 256;
        all->list = realloc(all->list, all->capacity * sizeof *all->list);
    }
    char *cell = strndup(path, strlen(path) - sizeof "experiment.json");
    if (all->list == NULL || cell == NULL) {
        complain("out of memory: merge fewer folders at once");
        exit(1);
    }
    all->list[all->count++] =
        (struct candidate){.path = cell, .name = strrchr(cell, '/') + 1, .folder = number};
}

static void add_folder(struct candidates *all, const char *folder, size_t number)
{
    char path[PATH_MAX];
    const struct dirent *entry;
    snprintf(path, sizeof path, "%s/cells", folder);
    DIR *cells = opendir(path);
    if (cells == NULL)
        fail(path);
    while ((entry = readdir(cells)) != NULL)
        add_candidate(all, folder, number, entry->d_name);
    closedir(cells);
}

static int by_name_and_folder(const void *first, const void *second)
{
    const struct candidate *a = first, *b = second;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->folder > b->folder) - (a->folder < b->folder);
}

/* Reads what a candidate is compared by. */
static void look_at(struct candidate *one)
{
    char path[PATH_MAX];
    struct stat status;
    snprintf(path, sizeof path, "%s/experiment.json", one->path);
    json_t *experiment = json_read_record(path, 0, NULL);
    if (experiment == NULL)
        fail(path);
    const char *key = json_text_at(json_object_get(experiment, "cell"), "key");
    one->key = strdup(key != NULL ? key : "-");
    json_decref(experiment);
    snprintf(path, sizeof path, "%s/runs.jsonl", one->path);
    if (one->key == NULL || stat(path, &status) != 0)
        fail(path);
    one->size = status.st_size;
    one->changed = status.st_mtim;
}

static FILE *open_records(const struct candidate *one)
{
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/runs.jsonl", one->path);
    FILE *file = file_open_record(path);
    if (file == NULL)
        fail(path);
    return file;
}

/* Do the records of one begin with those of the other, which are not longer? */
static bool begins_with(const struct candidate *one, const struct candidate *other)
{
    static char a[CHUNK], b[CHUNK];
    FILE *longer = open_records(one), *shorter = open_records(other);
    size_t size;
    bool same = true;
    while (same && (size = fread(b, 1, sizeof b, shorter)) > 0)
        same = fread(a, 1, size, longer) == size && memcmp(a, b, size) == 0;
    fclose(longer);
    fclose(shorter);
    return same;
}

static bool is_newer(const struct candidate *one, const struct candidate *other)
{
    return one->changed.tv_sec != other->changed.tv_sec
               ? one->changed.tv_sec > other->changed.tv_sec
               : one->changed.tv_nsec > other->changed.tv_nsec;
}

/* Is a candidate to be taken rather than the best so far? */
static bool is_better(struct merged *merged, const struct candidate *one,
                      const struct candidate *best, enum prefer prefer)
{
    const bool same_key = strcmp(one->key, best->key) == 0;
    /* The same records, maybe with more after them, are no conflict. */
    if (same_key && one->size <= best->size && begins_with(best, one))
        return false;
    if (same_key && one->size > best->size && begins_with(one, best))
        return true;
    if (prefer != PREFER_NONE)
        return prefer == PREFER_NEWEST && is_newer(one, best);
    merged->conflicts++;
    if (same_key)
        complain("%s: measured twice, with different records: %s and %s", one->name, best->path,
                 one->path);
    else
        complain("%s: not the same experiment: %s and %s", one->name, best->path, one->path);
    return false;
}

/* Chooses among the candidates of one name. */
static const struct candidate *choose(struct merged *merged, struct candidate *list, size_t count,
                                      enum prefer prefer)
{
    struct candidate *best = list;
    for (size_t i = 0; count > 1 && i < count; i++)
        look_at(&list[i]);
    for (size_t i = 1; i < count; i++) {
        merged->again++;
        if (is_better(merged, &list[i], best, prefer))
            best = &list[i];
    }
    return best;
}

static void choose_all(struct merged *merged, struct candidates *all, enum prefer prefer)
{
    merged->take = calloc(all->count + 1, sizeof *merged->take);
    for (size_t i = 0, count; merged->take != NULL && i < all->count; i += count) {
        for (count = 1; i + count < all->count; count++)
            if (strcmp(all->list[i].name, all->list[i + count].name) != 0)
                break;
        merged->take[merged->count++] = strdup(choose(merged, &all->list[i], count, prefer)->path);
    }
}

/* --- the plan */

/* What all plans say alike; else the other value. */
static json_t *shared(json_t *const *plans, size_t count, const char *name, json_t *otherwise)
{
    json_t *first = json_object_get(plans[0], name);
    bool same = first != NULL;
    for (size_t i = 1; same && i < count; i++)
        same = json_equal(first, json_object_get(plans[i], name));
    if (!same)
        return otherwise;
    json_decref(otherwise);
    return json_incref(first);
}

static int by_text(const void *first, const void *second)
{
    return strcmp(*(const char *const *)first, *(const char *const *)second);
}

/* "a+b": all names, once each. */
static json_t *joined_names(json_t *const *plans, size_t count)
{
    const char **names = calloc(count, sizeof *names);
    json_t *joined = NULL;
    for (size_t i = 0; names != NULL && i < count; i++) {
        names[i] = json_text_at(plans[i], "name");
        if (names[i] == NULL)
            names[i] = "";
    }
    if (names != NULL)
        qsort(names, count, sizeof *names, by_text);
    for (size_t i = 0; names != NULL && i < count; i++) {
        if (i > 0 && strcmp(names[i], names[i - 1]) == 0)
            continue;
        json_t *longer = joined != NULL ? json_sprintf("%s+%s", json_string_value(joined), names[i])
                                        : json_string(names[i]);
        json_decref(joined);
        joined = longer;
    }
    free(names);
    return joined;
}

static int by_number_and_name(const void *first, const void *second)
{
    const json_t *a = *(json_t *const *)first, *b = *(json_t *const *)second;
    const double x = number_of(a, "number", 0), y = number_of(b, "number", 0);
    const char *name_a = json_text_at(a, "name"), *name_b = json_text_at(b, "name");
    return x != y ? (x > y) - (x < y) : strcmp(name_a ? name_a : "", name_b ? name_b : "");
}

/* Have all plans the same cells, in the same order? */
static bool same_cells(json_t *const *plans, size_t count)
{
    const json_t *first = json_object_get(plans[0], "cells");
    for (size_t i = 1; i < count; i++) {
        const json_t *other = json_object_get(plans[i], "cells");
        if (json_array_size(other) != json_array_size(first))
            return false;
        for (size_t k = 0; k < json_array_size(first); k++)
            if (!json_equal(json_object_get(json_array_get(first, k), "name"),
                            json_object_get(json_array_get(other, k), "name")))
                return false;
    }
    return true;
}

/* All cells in the order of their numbers, of each name the first, numbered anew. */
static json_t *joined_cells(json_t *const *plans, size_t count)
{
    size_t total = 0, used = 0, k;
    json_t *cell, *cells = json_array(), *seen = json_object();
    for (size_t i = 0; i < count; i++)
        total += json_array_size(json_object_get(plans[i], "cells"));
    json_t **all = calloc(total + 1, sizeof *all);
    for (size_t i = 0; all != NULL && i < count; i++)
        json_array_foreach(json_object_get(plans[i], "cells"), k, cell) all[used++] = cell;
    if (all != NULL)
        qsort(all, used, sizeof *all, by_number_and_name);
    for (size_t i = 0; i < used; i++) {
        const char *name = json_text_at(all[i], "name");
        if (name == NULL || json_object_get(seen, name) != NULL)
            continue;
        json_object_set_new(seen, name, json_true());
        json_t *one = json_copy(all[i]);
        json_object_set_new(one, "number", json_integer((json_int_t)json_array_size(cells) + 1));
        json_array_append_new(cells, one);
    }
    free(all);
    json_decref(seen);
    return cells;
}

static json_t *joined_plan(const char *const *folders, size_t count)
{
    char path[PATH_MAX];
    json_t **plans = calloc(count, sizeof *plans);
    if (plans == NULL)
        fail("campaign.json");
    for (size_t i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/campaign.json", folders[i]);
        plans[i] = plan_read(path);
    }
    json_t *cells = same_cells(plans, count) ? json_incref(json_object_get(plans[0], "cells"))
                                             : joined_cells(plans, count);
    json_t *plan = json_pack("{ss so so so so so so so}", "schema", SCHEMA_CAMPAIGN, "name",
                             joined_names(plans, count), "description",
                             shared(plans, count, "description", json_null()), "file",
                             shared(plans, count, "file", json_null()), "scratch",
                             shared(plans, count, "scratch", json_null()), "calibrate_s",
                             shared(plans, count, "calibrate_s", json_null()), "settings",
                             shared(plans, count, "settings", json_object()), "cells", cells);
    for (size_t i = 0; i < count; i++)
        json_decref(plans[i]);
    free(plans);
    return plan;
}

void merge(struct merged *merged, const char *const *folders, size_t count, enum prefer prefer)
{
    struct candidates all = {0};
    *merged = (struct merged){.plan = joined_plan(folders, count)};
    for (size_t i = 0; i < count; i++)
        add_folder(&all, folders[i], i);
    if (all.count > 0)
        qsort(all.list, all.count, sizeof *all.list, by_name_and_folder);
    choose_all(merged, &all, prefer);
    for (size_t i = 0; i < all.count; i++) {
        free(all.list[i].path);
        free(all.list[i].key);
    }
    free(all.list);
}

void merge_free(struct merged *merged)
{
    json_decref(merged->plan);
    for (size_t i = 0; i < merged->count; i++)
        free(merged->take[i]);
    free(merged->take);
}
