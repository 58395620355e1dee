#include "predict.h"

#include "common/file.h"
#include "common/json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/save.h"
#include "common/schemas.h"
#include "harness/stats/json.h"

#include <dirent.h>
#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Frees what a pair has.
static void drop(struct pair_truth *pair)
{
    json_decref(pair->names);
    json_decref(pair->first.starts);
    json_decref(pair->repeat.starts);
}

void pair_list_free(struct pair_list *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        drop(&pairs->pair[i]);
    free(pairs->pair);
    *pairs = (struct pair_list){0};
}

static void set_names(struct pair_truth *pair)
{
    pair->a = json_text_at(pair->names, "a");
    pair->b = json_text_at(pair->names, "b");
    pair->place = json_text_at(pair->names, "place");
    pair->host = json_text_at(pair->names, "host");
}

// The same pair of the same host; where one does not say its host, of any.
static struct pair_truth *find(const struct pair_list *pairs, const struct pair_truth *pair)
{
    for (size_t i = 0; i < pairs->count; i++) {
        struct pair_truth *one = &pairs->pair[i];
        if (strcmp(one->a, pair->a) == 0 && strcmp(one->b, pair->b) == 0 &&
            strcmp(one->place, pair->place) == 0 &&
            (!one->host || !pair->host || strcmp(one->host, pair->host) == 0))
            return one;
    }
    return NULL;
}

// Takes the pair over; of one that is there already it becomes the repeat.
static void add(struct pair_list *pairs, struct pair_truth *pair)
{
    struct pair_truth *known = find(pairs, pair);
    if (!known) {
        pairs->pair = grown(pairs->pair, pairs->count, &pairs->capacity, sizeof *pairs->pair);
        pairs->pair[pairs->count++] = *pair;
        return;
    }
    if (!known->repeated && !pair->repeated) {
        known->repeat = pair->first;
        known->repeated = true;
        pair->first.starts = NULL;
    }
    drop(pair);
}

static bool read_measure(const json_t *record, struct pair_measure *measure)
{
    const double n = json_number_at(record, "n");
    *measure = (struct pair_measure){.slowdown = json_number_at(record, "slowdown"),
                                     .sd = json_number_at(record, "sd"),
                                     .n = n >= 1 ? (size_t)n : 0};
    measure->low = json_bound_at(record, 0);
    measure->high = json_bound_at(record, 1);
    return measure->slowdown > 0;
}

static bool read_pair(json_t *record, struct pair_truth *pair)
{
    const json_t *repeat = json_object_get(record, "repeat");
    *pair = (struct pair_truth){.names = json_incref(record), .repeated = json_is_object(repeat)};
    set_names(pair);
    return strcmp(json_text_or_empty(record, "schema"), SCHEMA_PAIR) == 0 && pair->a && pair->b &&
           pair->place && read_measure(record, &pair->first) &&
           (!pair->repeated || read_measure(repeat, &pair->repeat));
}

bool pair_list_read(struct pair_list *pairs, const char *path)
{
    FILE *file = file_open_record(path);
    OWNED char *line = NULL;
    size_t size = 0, number = 0;
    ssize_t length;
    bool good = true;
    if (!file)
        return complain("%s: %s: give the pairs.jsonl of `predict --check`", path, file_why(errno));
    while (good && (length = getline(&line, &size, file)) >= 0) {
        struct pair_truth pair;
        json_t *record = json_read_line(line, (size_t)length);
        number++;
        good = read_pair(record, &pair);
        if (good) {
            add(pairs, &pair);
        } else {
            drop(&pair);
            complain("%s: line %zu is no " SCHEMA_PAIR ": remove it", path, number);
        }
        json_decref(record);
    }
    fclose(file);
    return good;
}

static void write_measure(struct line *line, const struct pair_measure *measure)
{
    line_real(line, "slowdown", measure->slowdown);
    if (isfinite(measure->low) && isfinite(measure->high)) {
        line_array(line, "ci");
        line_real(line, NULL, measure->low);
        line_real(line, NULL, measure->high);
        line_close(line);
    } else {
        line_null(line, "ci");
    }
    line_count(line, "n", measure->n);
    line_real(line, "sd", measure->sd);
    line_array(line, "starts");
    for (size_t i = 0; i < json_array_size(measure->starts); i++)
        line_text(line, NULL, json_string_value(json_array_get(measure->starts, i)));
    line_close(line);
}

static bool write_pair(FILE *file, const struct pair_truth *pair)
{
    struct line line = {0};
    line_object(&line, NULL);
    line_text(&line, "schema", SCHEMA_PAIR);
    line_text(&line, "a", pair->a);
    line_text(&line, "b", pair->b);
    line_text(&line, "place", pair->place);
    line_text(&line, "host", pair->host);
    write_measure(&line, &pair->first);
    if (pair->repeated) {
        line_object(&line, "repeat");
        write_measure(&line, &pair->repeat);
        line_close(&line);
    } else {
        line_null(&line, "repeat");
    }
    const char *text = line_end(&line);
    const bool good = text && fputs(text, file) >= 0;
    line_free(&line);
    return good;
}

bool pair_list_write(const struct pair_list *pairs, const char *path)
{
    const bool to_stdout = strcmp(path, "-") == 0;
    struct save save = {.file = stdout};
    bool good = to_stdout || save_begin(&save, path, SAVE_OUTPUT);
    if (!good)
        return save_complain(path);
    for (size_t i = 0; good && i < pairs->count; i++)
        good = write_pair(save.file, &pairs->pair[i]);
    good = to_stdout ? good && fflush(stdout) == 0 : save_end(&save, good);
    return good || save_complain(path);
}

// Pairs from the folder of a campaign, or of what --check has measured.

enum { BLOCKS = 4096 };

// The runs of a cell, by block.
struct blocks {
    double alone_s[BLOCKS], beside_s[BLOCKS]; // 0: no such run was used
    double log_ratio[BLOCKS];                 // of those that have both
};

static json_t *load(const char *folder, const char *name)
{
    OWNED char *path = text_of("%s/%s", folder, name);
    json_t *record = json_read_record(path, 0, NULL);
    return record;
}

// The slowdown of the wall time under that condition, or of any figure under the first one (NULL);
// NULL: there is none.
static const json_t *slowdown_of(const json_t *result, const char *condition)
{
    JSON_EACH (one, json_object_get(result, "slowdowns")) {
        const char *name = json_text_at(one, "condition");
        if (name && (!condition || (strcmp(name, condition) == 0 &&
                                    strcmp(json_text_or_empty(one, "metric"), "wall_s") == 0)))
            return one;
    }
    return NULL;
}

// Runs that ended well; of what was set aside no block has both.
static void take_run(const json_t *run, const char *condition, struct blocks *blocks,
                     json_t *starts)
{
    const char *name = json_text_or_empty(run, "condition");
    const json_int_t block = json_integer_value(json_object_get(run, "block"));
    const double wall_s = json_number_value(json_object_get(run, "wall_s"));
    const bool alone = strcmp(name, "baseline") == 0;
    if (block < 1 || block > BLOCKS || wall_s <= 0 ||
        json_integer_value(json_object_get(run, "exit_code")) != 0 ||
        (!alone && strcmp(name, condition) != 0))
        return;
    (alone ? blocks->alone_s : blocks->beside_s)[block - 1] = wall_s;
    if (json_text_at(run, "start"))
        json_array_append(starts, json_object_get(run, "start"));
}

static double spread(struct blocks *blocks)
{
    size_t count = 0;
    for (size_t i = 0; i < BLOCKS; i++)
        if (blocks->alone_s[i] > 0 && blocks->beside_s[i] > 0)
            blocks->log_ratio[count++] = log(blocks->beside_s[i] / blocks->alone_s[i]);
    return count > 1 ? gsl_stats_sd(blocks->log_ratio, 1, count) : NAN;
}

// When the runs were and how they spread, and the host; false where they cannot be read.
static bool read_runs(const char *folder, const char *condition, struct pair_truth *pair)
{
    OWNED char *path = text_of("%s/runs.jsonl", folder), *line = NULL;
    size_t size = 0;
    ssize_t length;
    OWNED struct blocks *blocks = must(calloc(1, sizeof *blocks));
    FILE *file = file_open_record(path);
    pair->first.starts = must(json_array());
    while (file && (length = getline(&line, &size, file)) >= 0) {
        json_t *run = json_read_line(line, (size_t)length);
        if (!json_text_at(pair->names, "host") && json_text_at(run, "host"))
            json_object_set(pair->names, "host", json_object_get(run, "host"));
        take_run(run, condition, blocks, pair->first.starts);
        json_decref(run);
    }
    pair->first.sd = spread(blocks);
    if (file)
        fclose(file);
    return file != NULL;
}

// Of a cell its target and load; else, as --check has it, of the folder A@B.PLACE and the load B.
static bool fill(const char *folder, const json_t *experiment, const json_t *result,
                 struct pair_truth *pair)
{
    const json_t *cell = json_object_get(experiment, "cell");
    const bool is_cell = json_is_object(cell);
    const char *slash = strrchr(folder, '/'), *name = slash ? slash + 1 : folder;
    const char *first = json_text_at(slowdown_of(result, NULL), "condition");
    const char *a = is_cell ? json_text_at(cell, "target") : name;
    const char *b = is_cell ? json_text_at(cell, "load") : first;
    const char *condition = is_cell ? json_text_at(cell, "condition") : first;
    const char *place = json_text_at(json_object_get(experiment, "settings"), "place");
    *pair = (struct pair_truth){0};
    if (!a || !b || !condition)
        return false;
    const json_t *slowdown = slowdown_of(result, condition);
    pair->names = must(json_pack("{s:s%, s:s, s:s}", "a", a, is_cell ? strlen(a) : strcspn(a, "@"),
                                 "b", b, "place", place ? place : "machine"));
    pair->first =
        (struct pair_measure){.slowdown = json_number_at(slowdown, "ratio"),
                              .n = (size_t)json_integer_value(json_object_get(slowdown, "pairs"))};
    pair->first.low = json_bound_at(slowdown, 0);
    pair->first.high = json_bound_at(slowdown, 1);
    const bool good = pair->first.slowdown > 0 && read_runs(folder, condition, pair);
    set_names(pair);
    return good;
}

static void collect_cell(struct pair_list *pairs, const char *folder, size_t *left)
{
    struct pair_truth pair;
    json_t *experiment = load(folder, "experiment.json"), *result = load(folder, "result.json");
    if (fill(folder, experiment, result, &pair)) {
        add(pairs, &pair);
    } else {
        drop(&pair);
        (*left)++;
    }
    json_decref(experiment);
    json_decref(result);
}

static int shown(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

bool pair_list_collect(struct pair_list *pairs, const char *folder, size_t *left)
{
    struct dirent **entry = NULL;
    OWNED char *cells = text_of("%s/cells", folder);
    const int count = scandir(cells, &entry, shown, alphasort);
    for (int i = 0; i < count; i++) {
        char *path = text_of("%s/%s", cells, entry[i]->d_name);
        collect_cell(pairs, path, left);
        free(path);
        free(entry[i]);
    }
    free(entry);
    return count > 0 ||
           complain("%s: holds no cells: give the folder of a campaign of pairs", folder);
}
