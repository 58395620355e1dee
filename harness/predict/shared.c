#include "shared.h"

#include "common/file.h"
#include "common/record_json.h"

#include <libgen.h>
#include <search.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// When each run of a profile's experiments began: to the nanosecond, so it names the run.
struct starts {
    void *root; // of a tree of texts
    bool failed;
};

static int by_text(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void keep(struct starts *starts, const char *text)
{
    char *copy = strdup(text);
    char **found = copy ? tsearch(copy, &starts->root, by_text) : NULL;
    if (!found || *found != copy)
        free(copy);
    starts->failed = starts->failed || !found;
}

static bool read_runs(struct starts *starts, const char *folder)
{
    char *path, *line = NULL;
    size_t size = 0;
    ssize_t length;
    if (asprintf(&path, "%s/runs.jsonl", folder) < 0)
        return false;
    FILE *file = file_open_record(path);
    while (file && (length = getline(&line, &size, file)) >= 0) {
        json_t *run = json_read_line(line, (size_t)length);
        const char *start = json_string_value(json_object_get(run, "start"));
        if (start)
            keep(starts, start);
        json_decref(run);
    }
    free(line);
    free(path);
    return file && fclose(file) == 0;
}

// Its experiments are named relative to its file.
static bool read_profile(struct starts *starts, const struct study_profile *one)
{
    const json_t *list = json_object_get(one->profile.record, "experiments"), *item;
    char *copy = strdup(one->path);
    bool good = copy && json_array_size(list) > 0;
    size_t i;
    json_array_foreach(list, i, item)
    {
        char *folder = NULL;
        const char *name = json_string_value(item);
        if (!copy || !name || asprintf(&folder, "%s/%s", dirname(copy), name) < 0)
            folder = NULL;
        good = folder && read_runs(starts, name[0] == '/' ? name : folder) && good;
        free(folder);
        if (copy)
            strcpy(copy, one->path); // dirname() has cut it
    }
    free(copy);
    return good;
}

static size_t common_runs(const struct starts *starts, const struct pair_measure *measure)
{
    size_t count = 0;
    for (size_t i = 0; i < measure->start_count; i++)
        count += tfind(measure->starts[i], &starts->root, by_text) != NULL;
    return count;
}

static void check(const struct study *study, const struct study_profile *one,
                  const struct starts *starts, bool *counted, struct shared *shared)
{
    for (size_t i = 0; i < study->pairs.count; i++) {
        const struct pair_truth *pair = &study->pairs.pair[i];
        const size_t runs = common_runs(starts, &pair->first) +
                            (pair->repeated ? common_runs(starts, &pair->repeat) : 0);
        shared->runs += runs;
        if (runs == 0 || counted[i])
            continue;
        counted[i] = true;
        if (shared->pairs++ == 0) {
            shared->pair_a = pair->a;
            shared->pair_b = pair->b;
            shared->profile = one->name;
        }
    }
}

bool shared_runs(const struct study *study, const char *place, struct shared *shared)
{
    bool *counted = calloc(study->pairs.count + 1, sizeof *counted), good = counted != NULL;
    *shared = (struct shared){0};
    for (size_t i = 0; good && i < study->profiles; i++) {
        const struct study_profile *one = study->profile[i];
        struct starts starts = {0};
        if (strcmp(one->profile.place, place) != 0)
            continue;
        shared->unchecked += !read_profile(&starts, one);
        check(study, one, &starts, counted, shared);
        good = !starts.failed;
        tdestroy(starts.root, free);
    }
    free(counted);
    return good;
}
