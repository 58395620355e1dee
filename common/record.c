#include "common/record.h"

#include "common/memory.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const double ns_per_s = 1e9;

// The object that a key with points is in, made where it is not there, and what is behind the last
// point.
static json_t *inner(json_t *object, const char *key, const char **last)
{
    const char *point;
    for (; (point = strchr(key, '.')) != NULL; key = point + 1) {
        json_t *next = json_at(object, key, (size_t)(point - key));
        if (next == NULL) {
            char *name = must(strndup(key, (size_t)(point - key)));
            next = must(json_object());
            json_put(object, name, next);
            free(name);
        }
        object = next;
    }
    *last = key;
    return object;
}

// The member of that key, with points: NULL where there is none.
static const json_t *member(const json_t *object, const char *key)
{
    const char *point;
    for (; (point = strchr(key, '.')) != NULL; key = point + 1)
        object = json_at(object, key, (size_t)(point - key));
    return json_object_get(object, key);
}

static json_t *list_to_json(const struct field *field, const char *from, size_t count)
{
    json_t *list = must(json_array());
    for (size_t i = 0; i < count; i++)
        json_add(list, record_to_json(field->fields, from + i * field->size));
    return list;
}

static json_t *value_to_json(const struct field *field, const char *from)
{
    const void *at = from + field->offset, *other = from + field->other;
    switch (field->kind) {
    case FIELD_TEXT:
        return json_text(*(const char *)at == '\0' ? NULL : at);
    case FIELD_STRING:
        return json_text(*(char *const *)at);
    case FIELD_NUMBER:
        return must(number_to_json(*(const double *)at));
    case FIELD_FIGURE:
        return json_number(*(const double *)at);
    case FIELD_COUNT:
        return must(json_integer((json_int_t) * (const size_t *)at));
    case FIELD_INTEGER:
        return must(json_integer(*(const int64_t *)at));
    case FIELD_SECONDS:
        return must(number_to_json((double)*(const int64_t *)at / ns_per_s));
    case FIELD_FLAG:
        return json_boolean(*(const bool *)at);
    case FIELD_CHOICE:
        return json_text(field->names[*(const int *)at]);
    case FIELD_BOUNDS:
        return json_bounds(*(const double *)at, *(const double *)other);
    case FIELD_OBJECT:
        return record_to_json(field->fields, at);
    case FIELD_LIST:
        return list_to_json(field, at, *(const size_t *)other);
    case FIELD_JSON:
        return *(json_t *const *)at == NULL ? json_null() : json_incref(*(json_t *const *)at);
    case FIELD_SCHEMA:
        break;
    }
    return json_text(field->about);
}

// Whether a value is what a struct without it would give.
static bool is_nothing(const json_t *value)
{
    return json_is_null(value) || json_is_false(value) ||
           (json_is_integer(value) && json_integer_value(value) == 0);
}

json_t *record_to_json(const struct field *fields, const void *from)
{
    json_t *object = must(json_object());
    for (const struct field *field = fields; field->key != NULL; field++) {
        json_t *value = value_to_json(field, from);
        const char *key;
        if (field->left_out && is_nothing(value)) {
            json_decref(value);
            continue;
        }
        json_t *within = inner(object, field->key, &key);
        json_put(within, key, value);
    }
    return object;
}

static int choice(const struct field *field, const char *name)
{
    for (int i = 0; name != NULL && field->names[i] != NULL; i++)
        if (strcmp(field->names[i], name) == 0)
            return i;
    return -1;
}

static const char *list_from_json(const struct field *field, char *to, const json_t *list)
{
    size_t *count = (size_t *)(void *)(to + field->other);
    *count = 0;
    if (json_array_size(list) > field->most)
        return field->key;
    for (size_t i = 0; i < json_array_size(list); i++) {
        void *one = to + field->offset + i * field->size;
        const char *wrong = record_from_json(field->fields, one, json_array_get(list, i));
        if (wrong != NULL)
            return wrong;
        ++*count;
    }
    return NULL;
}

static double number_of(const json_t *value)
{
    return json_is_number(value) ? json_number_value(value) : NAN;
}

// NULL, or the key of what is wrong.
static const char *value_from_json(const struct field *field, char *to, const json_t *value)
{
    void *at = to + field->offset, *other = to + field->other;
    const double number = number_of(value);
    switch (field->kind) {
    case FIELD_TEXT:
        json_fit_text(value, at, field->size);
        break;
    case FIELD_STRING:
        *(char **)at = json_is_string(value) ? must(strdup(json_string_value(value))) : NULL;
        break;
    case FIELD_NUMBER:
    case FIELD_FIGURE:
        *(double *)at = number;
        break;
    case FIELD_COUNT:
        *(size_t *)at = number > 0 && number < (double)SIZE_MAX ? (size_t)number : 0;
        break;
    case FIELD_INTEGER:
        *(int64_t *)at = json_integer_value(value);
        break;
    case FIELD_SECONDS:
        *(int64_t *)at = fabs(number) < 9e9 ? (int64_t)llround(number * ns_per_s) : 0;
        break;
    case FIELD_FLAG:
        *(bool *)at = json_is_true(value);
        break;
    case FIELD_CHOICE:
        *(int *)at = choice(field, json_string_value(value));
        return *(int *)at < 0 ? field->key : NULL;
    case FIELD_BOUNDS:
        *(double *)at = number_of(json_array_get(value, 0));
        *(double *)other = number_of(json_array_get(value, 1));
        break;
    case FIELD_OBJECT:
        return record_from_json(field->fields, at, value);
    case FIELD_LIST:
        return list_from_json(field, to, value);
    case FIELD_JSON:
        *(json_t **)at = json_incref((json_t *)value);
        break;
    case FIELD_SCHEMA:
        return json_is_string(value) && strcmp(json_string_value(value), field->about) == 0
                   ? NULL
                   : field->key;
    }
    return NULL;
}

const char *record_from_json(const struct field *fields, void *to, const json_t *object)
{
    const char *wrong = NULL;
    for (const struct field *field = fields; field->key != NULL; field++) {
        const json_t *value = member(object, field->key);
        const char *problem =
            field->required && (value == NULL || json_is_null(value)) ? field->key : NULL;
        const char *within = value_from_json(field, to, value);
        if (wrong == NULL)
            wrong = problem != NULL ? problem : within;
    }
    return wrong;
}

void record_free(const struct field *fields, void *values)
{
    for (const struct field *field = fields; field->key != NULL; field++) {
        char *at = (char *)values + field->offset;
        if (field->kind == FIELD_STRING) {
            free(*(char **)(void *)at);
            *(char **)(void *)at = NULL;
        } else if (field->kind == FIELD_JSON) {
            json_decref(*(json_t **)(void *)at);
            *(json_t **)(void *)at = NULL;
        } else if (field->kind == FIELD_OBJECT) {
            record_free(field->fields, at);
        } else if (field->kind == FIELD_LIST) {
            const size_t count = *(size_t *)(void *)((char *)values + field->other);
            for (size_t i = 0; i < count; i++)
                record_free(field->fields, at + i * field->size);
        }
    }
}
