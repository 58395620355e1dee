#include "pairs.h"

#include <dirent.h>
#include <errno.h>
#include <gsl/gsl_statistics_double.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/file.h"
#include "common/json.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"

static void free_measure(struct pair_measure *measure)
{
    for (size_t i = 0; i < measure->start_count; i++)
        free(measure->starts[i]);
    free(measure->starts);
}

// Frees what a pair has that was never added.
static void pair_list_drop(struct pair_truth *pair)
{
    free(pair->a);
    free(pair->b);
    free(pair->place);
    free(pair->host);
    free_measure(&pair->first);
    free_measure(&pair->repeat);
}

void pair_list_free(struct pair_list *pairs)
{
    for (size_t i = 0; i < pairs->count; i++)
        pair_list_drop(&pairs->pair[i]);
    free(pairs->pair);
    *pairs = (struct pair_list){0};
}

// Whether both may be of one host: where one does not say, of any.
static bool may_be_host(const char *one, const char *other)
{
    return !one || !other || strcmp(one, other) == 0;
}

static struct pair_truth *find(const struct pair_list *pairs, const struct pair_truth *pair)
{
    for (size_t i = 0; i < pairs->count; i++) {
        struct pair_truth *one = &pairs->pair[i];
        if (strcmp(one->a, pair->a) == 0 && strcmp(one->b, pair->b) == 0 &&
            strcmp(one->place, pair->place) == 0 && may_be_host(one->host, pair->host))
            return one;
    }
    return NULL;
}

// Takes the pair over; of one that is there already it becomes the repeat. False after a message.
static bool pair_list_add(struct pair_list *pairs, struct pair_truth *pair)
{
    struct pair_truth *known = find(pairs, pair);
    if (known && !known->repeated && !pair->repeated) {
        known->repeat = pair->first;
        known->repeated = true;
        pair->first = (struct pair_measure){0};
    }
    if (known) {
        pair_list_drop(pair);
        return true;
    }
    if (pairs->count == pairs->capacity) {
        const size_t capacity = 2 * pairs->capacity + 16;
        struct pair_truth *more = realloc(pairs->pair, capacity * sizeof *more);
        if (!more) {
            pair_list_drop(pair);
            return complain("no memory for %zu pairs", capacity);
        }
        pairs->pair = more;
        pairs->capacity = capacity;
    }
    pairs->pair[pairs->count++] = *pair;
    return true;
}

static char *text_at(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));
    return text ? strdup(text) : NULL;
}

static bool read_measure(const json_t *record, struct pair_measure *measure)
{
    const json_t *ci = json_object_get(record, "ci"), *starts = json_object_get(record, "starts");
    const size_t count = json_array_size(starts);
    *measure = (struct pair_measure){.slowdown = json_number_at(record, "slowdown"),
                                     .low = NAN,
                                     .high = NAN,
                                     .sd = json_number_at(record, "sd"),
                                     .starts = calloc(count + 1, sizeof *measure->starts)};
    const double n = json_number_at(record, "n");
    measure->n = n >= 1 ? (size_t)n : 0;
    if (json_array_size(ci) == 2) {
        measure->low = json_number_value(json_array_get(ci, 0));
        measure->high = json_number_value(json_array_get(ci, 1));
    }
    for (size_t i = 0; measure->starts && i < count; i++) {
        const char *text = json_string_value(json_array_get(starts, i));
        if (text && (measure->starts[measure->start_count] = strdup(text)))
            measure->start_count++;
    }
    return measure->starts && measure->slowdown > 0;
}

static bool read_pair(const json_t *record, struct pair_truth *pair)
{
    const char *schema = json_string_value(json_object_get(record, "schema"));
    const json_t *repeat = json_object_get(record, "repeat");
    *pair = (struct pair_truth){.a = text_at(record, "a"),
                                .b = text_at(record, "b"),
                                .place = text_at(record, "place"),
                                .host = text_at(record, "host"),
                                .repeated = json_is_object(repeat)};
    return schema && strcmp(schema, SCHEMA_PAIR) == 0 && pair->a && pair->b && pair->place &&
           read_measure(record, &pair->first) &&
           (!pair->repeated || read_measure(repeat, &pair->repeat));
}

bool pair_list_read(struct pair_list *pairs, const char *path)
{
    FILE *file = file_open_record(path);
    char *line = NULL;
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
            good = pair_list_add(pairs, &pair);
        } else {
            pair_list_drop(&pair);
            complain("%s: line %zu is no " SCHEMA_PAIR ": remove it", path, number);
        }
        json_decref(record);
    }
    free(line);
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
    for (size_t i = 0; i < measure->start_count; i++)
        line_text(line, NULL, measure->starts[i]);
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
