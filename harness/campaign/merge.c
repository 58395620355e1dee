// Makes one campaign of several folders: which of their cells to take, and the plan. It copies
// nothing.

#include "campaign.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/save.h"
#include "common/schemas.h"
#include "common/text.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { CHUNK = 65536 };

// A cell of one of the folders. What is compared is read only where several have it.
struct candidate {
    char *path; // FOLDER/cells/NAME
    const char *name;
    size_t folder; // which of them
    char *key;
    off_t size;
    struct timespec changed;
};

struct candidates {
    struct candidate *item;
    size_t count, allocated;
    size_t taken;     // of each name one
    size_t again;     // that were found once more
    size_t conflicts; // that differ, each named in a message
};

static void fail(const char *path)
{
    complain("%s cannot be read: %s", path, strerror(errno));
    exit(1);
}

static void add_folder(struct candidates *all, const char *folder, size_t number)
{
    OWNED char *cells_path = text_of("%s/cells", folder);
    const struct dirent *entry;
    DIR *cells = opendir(cells_path);
    if (!cells)
        fail(cells_path);
    while ((entry = readdir(cells)) != NULL) {
        char *path = text_of("%s/%s", cells_path, entry->d_name);
        if (entry->d_name[0] == '.' || !file_is_in(path, "experiment.json", F_OK)) {
            free(path);
            continue;
        }
        MORE(all) =
            (struct candidate){.path = path, .name = strrchr(path, '/') + 1, .folder = number};
    }
    closedir(cells);
}

static int by_name_and_folder(const void *first, const void *second)
{
    const struct candidate *a = first, *b = second;
    const int order = strcmp(a->name, b->name);
    return order != 0 ? order : (a->folder > b->folder) - (a->folder < b->folder);
}

// Reads what a candidate is compared by.
static void look_at(struct candidate *one)
{
    OWNED char *path = text_of("%s/experiment.json", one->path),
               *runs = text_of("%s/runs.jsonl", one->path);
    struct stat status;
    json_auto_t *experiment = json_read_record(path, 0, NULL);
    if (!experiment)
        fail(path);
    if (stat(runs, &status) != 0)
        fail(runs);
    const char *key = json_text_at(json_object_get(experiment, "cell"), "key");
    one->key = must(strdup(key ? key : "-"));
    one->size = status.st_size;
    one->changed = status.st_mtim;
}

static FILE *open_records(const struct candidate *one)
{
    OWNED char *path = text_of("%s/runs.jsonl", one->path);
    FILE *file = file_open_record(path);
    if (!file)
        fail(path);
    return file;
}

// Do the records of one begin with those of the other, which are not longer?
static bool begins_with(const struct candidate *one, const struct candidate *other)
{
    OWNED char *a = must(malloc(CHUNK)), *b = must(malloc(CHUNK));
    FILE *longer = open_records(one), *shorter = open_records(other);
    size_t size;
    bool same = true;
    while (same && (size = fread(b, 1, sizeof b, shorter)) > 0)
        same = fread(a, 1, size, longer) == size && memcmp(a, b, size) == 0;
    fclose(longer);
    fclose(shorter);
    return same;
}

// Is a candidate to be taken rather than the best so far?
static bool is_better(struct candidates *all, const struct candidate *one,
                      const struct candidate *best, enum prefer prefer)
{
    const bool same_key = strcmp(one->key, best->key) == 0;
    // The same records, maybe with more after them, are no conflict.
    if (same_key && one->size <= best->size && begins_with(best, one))
        return false;
    if (same_key && one->size > best->size && begins_with(one, best))
        return true;
    const struct timespec *a = &one->changed, *b = &best->changed;
    if (prefer != PREFER_NONE)
        return prefer == PREFER_NEWEST &&
               (a->tv_sec != b->tv_sec ? a->tv_sec > b->tv_sec : a->tv_nsec > b->tv_nsec);
    all->conflicts++;
    if (same_key)
        complain("%s: measured twice, with different records: %s and %s", one->name, best->path,
                 one->path);
    else
        complain("%s: not the same experiment: %s and %s", one->name, best->path, one->path);
    return false;
}

// Brings those that are taken, one of each name, to the front.
static void choose(struct candidates *all, enum prefer prefer)
{
    for (size_t i = 0, same; i < all->count; i += same) {
        struct candidate *list = &all->item[i], *best = list;
        for (same = 1; i + same < all->count && strcmp(list->name, list[same].name) == 0;)
            same++;
        for (size_t k = 0; same > 1 && k < same; k++)
            look_at(&list[k]);
        for (size_t k = 1; k < same; k++)
            best = is_better(all, &list[k], best, prefer) ? &list[k] : best;
        all->again += same - 1;
        const struct candidate taken = *best;
        *best = all->item[all->taken];
        all->item[all->taken++] = taken;
    }
}

// --- the plan

// What all plans say alike; else the other value.
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

// "a+b": all names, once each.
static json_t *joined_names(json_t *const *plans, size_t count)
{
    OWNED const char **names = must(calloc(count, sizeof *names));
    char *joined = NULL;
    for (size_t i = 0; i < count; i++)
        names[i] = json_text_or_empty(plans[i], "name");
    qsort(names, count, sizeof *names, text_order);
    for (size_t i = 0; i < count; i++)
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0)
            joined = text_joined(joined, "+", names[i]);
    return json_owned_text(joined);
}

static int by_number_and_name(const void *first, const void *second)
{
    const json_t *a = *(json_t *const *)first, *b = *(json_t *const *)second;
    const double x = number_of(a, "number", 0), y = number_of(b, "number", 0);
    return x != y ? (x > y) - (x < y)
                  : strcmp(json_text_or_empty(a, "name"), json_text_or_empty(b, "name"));
}

// Have all plans the same cells, in the same order?
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

// All cells in the order of their numbers, of each name the first, numbered anew.
static json_t *joined_cells(json_t *const *plans, size_t count)
{
    size_t total = 0, used = 0;
    json_t *cells = json_array();
    json_auto_t *seen = json_object();
    for (size_t i = 0; i < count; i++)
        total += json_array_size(json_object_get(plans[i], "cells"));
    OWNED json_t **all = must(calloc(total + 1, sizeof *all));
    for (size_t i = 0; i < count; i++)
        JSON_EACH (cell, json_object_get(plans[i], "cells"))
            all[used++] = cell;
    qsort(all, used, sizeof *all, by_number_and_name);
    for (size_t i = 0; i < used; i++) {
        const char *name = json_text_at(all[i], "name");
        if (json_object_get(seen, name))
            continue;
        json_object_set_new(seen, name, json_true());
        json_t *one = json_copy(all[i]);
        json_object_set_new(one, "number", json_integer((json_int_t)json_array_size(cells) + 1));
        json_array_append_new(cells, one);
    }
    return cells;
}

static json_t *joined_plan(char *const *folders, size_t count)
{
    static const char *const alike[] = {"description", "file", "scratch", "calibrate_s"};
    OWNED json_t **plans = must(calloc(count, sizeof *plans));
    for (size_t i = 0; i < count; i++) {
        OWNED char *path = text_of("%s/campaign.json", folders[i]);
        plans[i] = plan_read(path);
    }
    json_t *plan =
        must(json_pack("{ss so}", "schema", SCHEMA_CAMPAIGN, "name", joined_names(plans, count)));
    for (size_t i = 0; i < sizeof alike / sizeof *alike; i++)
        json_put(plan, alike[i], shared(plans, count, alike[i], json_null()));
    json_put(plan, "settings", shared(plans, count, "settings", json_object()));
    json_put(plan, "cells",
             same_cells(plans, count) ? json_incref(json_object_get(plans[0], "cells"))
                                      : joined_cells(plans, count));
    for (size_t i = 0; i < count; i++)
        json_decref(plans[i]);
    return plan;
}

// The folders of the cells, each ended by a 0.
static bool write_taken(const struct candidates *all, const char *path)
{
    struct save save;
    bool written = save_begin(&save, path, SAVE_STATE);
    if (!written)
        return false;
    for (size_t i = 0; written && i < all->taken; i++)
        written = fwrite(all->item[i].path, strlen(all->item[i].path) + 1, 1, save.file) == 1;
    return save_end(&save, written);
}

// Prints how many cells, and how many were found again.
int command_merge(struct campaign *campaign)
{
    struct candidates all = {0};
    if (!campaign->take || !campaign->plan_path)
        usage_error("campaign merge needs --take and --plan");
    json_auto_t *plan = joined_plan(campaign->operand, campaign->operands);
    for (size_t i = 0; i < campaign->operands; i++)
        add_folder(&all, campaign->operand[i], i);
    if (all.count > 0)
        qsort(all.item, all.count, sizeof *all.item, by_name_and_folder);
    choose(&all, (enum prefer)campaign->prefer);
    bool good = all.conflicts == 0;
    if (!good)
        complain("%zu cell%s: say which to take with --prefer first or --prefer newest",
                 all.conflicts, all.conflicts == 1 ? " differs" : "s differ");
    else if (!write_taken(&all, campaign->take))
        good = save_complain(campaign->take);
    else if (!campaign_plan_write(plan, campaign->plan_path))
        good = save_complain(campaign->plan_path);
    else
        printf("%zu\t%zu\n", all.taken, all.again);
    for (size_t i = 0; i < all.count; i++) {
        free(all.item[i].path);
        free(all.item[i].key);
    }
    free(all.item);
    return good && print_end() == 0 ? 0 : 1;
}
