// Pairs from the folder of a campaign, or of what --check has measured.
#include "pairs.h"

#include "common/file.h"
#include "common/messages.h"
#include "common/record_json.h"

#include <dirent.h>
#include <gsl/gsl_statistics_double.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 4096 };

// The runs of a cell, by block.
struct blocks {
    double alone_s[BLOCKS], beside_s[BLOCKS]; // 0: no such run was used
};

static json_t *load(const char *folder, const char *name)
{
    char *path;
    if (asprintf(&path, "%s/%s", folder, name) < 0)
        return NULL;
    json_t *record = json_read_record(path, 0, NULL);
    free(path);
    return record;
}

static const json_t *slowdown_of(const json_t *result, const char *condition)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(result, "slowdowns"), i, one)
    {
        const char *name = json_text_at(one, "condition"), *metric = json_text_at(one, "metric");
        if (name && metric && strcmp(name, condition) == 0 && strcmp(metric, "wall_s") == 0)
            return one;
    }
    return NULL;
}

static bool keep_start(struct pair_measure *measure, const json_t *run)
{
    const char *start = json_text_at(run, "start");
    char **more = realloc(measure->starts, (measure->start_count + 1) * sizeof *more);
    if (!more)
        return false;
    measure->starts = more;
    if (start && (more[measure->start_count] = strdup(start)))
        measure->start_count++;
    return true;
}

// Runs that ended well; of what was set aside no block has both.
static bool take_run(const json_t *run, const char *condition, struct blocks *blocks,
                     struct pair_measure *measure)
{
    const char *name = json_text_at(run, "condition");
    const json_int_t block = json_integer_value(json_object_get(run, "block"));
    const double wall_s = json_number_value(json_object_get(run, "wall_s"));
    const bool alone = name && strcmp(name, "baseline") == 0;
    if (!name || block < 1 || block > BLOCKS || wall_s <= 0 ||
        json_integer_value(json_object_get(run, "exit_code")) != 0 ||
        (!alone && strcmp(name, condition) != 0))
        return true;
    (alone ? blocks->alone_s : blocks->beside_s)[block - 1] = wall_s;
    return keep_start(measure, run);
}

static double spread(const struct blocks *blocks)
{
    double *value = calloc(BLOCKS, sizeof *value);
    size_t count = 0;
    for (size_t i = 0; value && i < BLOCKS; i++)
        if (blocks->alone_s[i] > 0 && blocks->beside_s[i] > 0)
            value[count++] = log(blocks->beside_s[i] / blocks->alone_s[i]);
    const double sd = count > 1 ? gsl_stats_sd(value, 1, count) : NAN;
    free(value);
    return sd;
}

static bool read_runs(const char *folder, const char *condition, struct pair_measure *measure,
                      char **host)
{
    char *path, *line = NULL;
    size_t size = 0;
    ssize_t length;
    struct blocks *blocks = calloc(1, sizeof *blocks);
    if (asprintf(&path, "%s/runs.jsonl", folder) < 0)
        path = NULL;
    FILE *file = path ? file_open_record(path) : NULL;
    bool good = blocks && file;
    while (good && (length = getline(&line, &size, file)) >= 0) {
        json_t *run = json_read_line(line, (size_t)length);
        const char *name = json_text_at(run, "host");
        if (!*host && name)
            *host = strdup(name);
        good = take_run(run, condition, blocks, measure);
        json_decref(run);
    }
    if (good)
        measure->sd = spread(blocks);
    if (file)
        fclose(file);
    free(line);
    free(path);
    free(blocks);
    return good;
}

// The condition under load of an experiment that is no cell of a campaign; NULL: it has none.
static const char *load_of(const json_t *result)
{
    const json_t *one;
    size_t i;
    json_array_foreach(json_object_get(result, "slowdowns"), i, one)
    {
        if (json_text_at(one, "condition"))
            return json_text_at(one, "condition");
    }
    return NULL;
}

// Names of both: of a cell its target and load; else, as --check has it, the folder A@B.PLACE and
// the load B.
static bool name_pair(const char *folder, const json_t *experiment, const json_t *result,
                      struct pair_truth *pair, const char **condition)
{
    const json_t *cell = json_object_get(experiment, "cell");
    const char *b = json_text_at(cell, "load"), *slash = strrchr(folder, '/');
    const char *place = json_text_at(json_object_get(experiment, "settings"), "place");
    if (json_is_object(cell)) {
        *condition = json_text_at(cell, "condition");
        pair->a = json_text_at(cell, "target") ? strdup(json_text_at(cell, "target")) : NULL;
    } else {
        b = *condition = load_of(result);
        slash = slash ? slash + 1 : folder;
        pair->a = strndup(slash, strcspn(slash, "@"));
    }
    pair->b = b ? strdup(b) : NULL;
    pair->place = strdup(place ? place : "machine");
    return pair->a && pair->b && pair->place && *condition;
}

static bool fill(const char *folder, const json_t *experiment, const json_t *result,
                 struct pair_truth *pair)
{
    const char *condition = NULL;
    *pair = (struct pair_truth){0};
    const bool named = name_pair(folder, experiment, result, pair, &condition);
    const json_t *slowdown = named ? slowdown_of(result, condition) : NULL;
    const json_t *ci = json_object_get(slowdown, "ci");
    if (!json_is_number(json_object_get(slowdown, "ratio")))
        return false;
    pair->first = (struct pair_measure){
        .slowdown = json_number_value(json_object_get(slowdown, "ratio")),
        .low = json_array_size(ci) == 2 ? json_number_value(json_array_get(ci, 0)) : NAN,
        .high = json_array_size(ci) == 2 ? json_number_value(json_array_get(ci, 1)) : NAN,
        .sd = NAN,
        .n = (size_t)json_integer_value(json_object_get(slowdown, "pairs"))};
    return pair->first.slowdown > 0 && read_runs(folder, condition, &pair->first, &pair->host);
}

static bool collect_cell(struct pair_list *pairs, const char *folder, size_t *left)
{
    struct pair_truth pair;
    json_t *experiment = load(folder, "experiment.json"), *result = load(folder, "result.json");
    bool good = true;
    if (fill(folder, experiment, result, &pair)) {
        good = pair_list_add(pairs, &pair);
    } else {
        pair_list_drop(&pair);
        (*left)++;
    }
    json_decref(experiment);
    json_decref(result);
    return good;
}

static int shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

bool pair_list_collect(struct pair_list *pairs, const char *folder, size_t *left)
{
    struct dirent **entry = NULL;
    char *cells;
    bool good = true;
    if (asprintf(&cells, "%s/cells", folder) < 0)
        return complain("no memory");
    const int count = scandir(cells, &entry, shown, alphasort);
    *left = 0;
    for (int i = 0; i < count; i++) {
        char *path = NULL;
        good = good && asprintf(&path, "%s/%s", cells, entry[i]->d_name) >= 0 &&
               collect_cell(pairs, path, left);
        free(path);
        free(entry[i]);
    }
    free(entry);
    free(cells);
    if (count <= 0)
        return complain("%s: holds no cells: give the folder of a campaign of pairs", folder);
    return good;
}
