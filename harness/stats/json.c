// Writes figures and intervals as JSON.
#include "json.h"

#include "common/memory.h"

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

static const size_t line_form = JSON_COMPACT | JSON_REAL_PRECISION(FIGURE_DIGITS);

bool record_is_there(const char *folder, const char *name, const char *schema)
{
    char why[RECORD_WHY];
    OWNED char *path = text_of("%s/%s", folder, name);
    json_auto_t *record = record_read(path, schema, why);
    return record;
}

bool json_print(const json_t *object, FILE *stream, size_t format)
{
    return json_dumpf(object, stream, format) == 0 && fputc('\n', stream) != EOF &&
           fflush(stream) == 0;
}

bool json_save(const json_t *object, const char *path, size_t format, enum save_kind kind)
{
    struct save save;
    return save_begin(&save, path, kind) && save_end(&save, json_print(object, save.file, format));
}

bool output_json(const json_t *object, const char *path, FILE *stream)
{
    return (strcmp(path, "-") == 0 ? json_print(object, stream, line_form)
                                   : json_save(object, path, line_form, SAVE_OUTPUT)) ||
           save_complain(path);
}

bool output_document(const json_t *object, const char *path)
{
    return json_save(object, path, RECORD_FORMAT, SAVE_RECORD) || save_complain(path);
}

bool output_named(const json_t *object, const char *path)
{
    return json_save(object, path, RECORD_FORMAT, SAVE_OUTPUT) || save_complain(path);
}

bool json_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}
