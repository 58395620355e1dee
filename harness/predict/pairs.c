#include "pairs.h"

#include "common/file.h"
#include "common/json.h"
#include "common/messages.h"
#include "common/record_json.h"
#include "common/save.h"
#include "common/schemas.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void free_measure(struct pair_measure *measure)
{
    for (size_t i = 0; i < measure->start_count; i++)
        free(measure->starts[i]);
    free(measure->starts);
}

void pair_list_drop(struct pair_truth *pair)
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

bool pair_list_add(struct pair_list *pairs, struct pair_truth *pair)
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
