#include "json.h"

#include "common/memory.h"
#include "common/save.h"

#include <stdlib.h>
#include <string.h>

json_t *json_interval(const struct interval *interval)
{
    return interval->constant ? json_null() : json_bounds(interval->low, interval->high);
}

void json_put_interval(json_t *object, const char *name, const struct interval *interval)
{
    json_put(object, name, json_number(interval->center));
    json_put(object, "ci", json_interval(interval));
}

json_t *json_ratio_of(const json_t *list, const char *condition, const char *metric)
{
    JSON_EACH (ratio, list)
        if (json_text_is(ratio, "condition", condition) && json_text_is(ratio, "metric", metric))
            return ratio;
    return NULL;
}

json_t *json_taken(char *text)
{
    json_t *json = json_string(text);
    free(text);
    return json;
}

bool json_add_once(json_t *array, json_t *value)
{
    JSON_EACH (one, array)
        if (json_equal(one, value))
            return false;
    return json_array_append(array, value) == 0;
}

void json_extend(json_t *object, json_t *more)
{
    json_object_update(object, must(more));
    json_decref(more);
}

// How an object is written: one line, or a document for people, too.
static const size_t line_form = JSON_COMPACT | JSON_REAL_PRECISION(FIGURE_DIGITS);
static const size_t document_form = JSON_INDENT(2) | JSON_REAL_PRECISION(RECORD_DIGITS);

static bool write_object(const json_t *object, FILE *stream, size_t form)
{
    return json_dumpf(object, stream, form) == 0 && fputc('\n', stream) != EOF;
}

static bool write_file(const json_t *object, const char *path, size_t form, enum save_kind kind)
{
    struct save save;
    return (save_begin(&save, path, kind) &&
            save_end(&save, write_object(object, save.file, form))) ||
           save_complain(path);
}

bool output_json(const json_t *object, const char *path, FILE *stream)
{
    if (strcmp(path, "-") != 0)
        return write_file(object, path, line_form, SAVE_OUTPUT);
    return (write_object(object, stream, line_form) && fflush(stream) == 0) || save_complain(path);
}

bool output_document(const json_t *object, const char *path)
{
    return write_file(object, path, document_form, SAVE_RECORD);
}

bool output_named(const json_t *object, const char *path)
{
    return write_file(object, path, document_form, SAVE_OUTPUT);
}
