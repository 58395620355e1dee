// Reads and writes values as the records of the harness have them, by jansson.

#include "common/record_json.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/text.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define MOST_EXACT 9007199254740992.0 // 2^53: above it a double skips integers

const char *json_text_at(const json_t *object, const char *key)
{
    return json_string_value(json_object_get(object, key));
}

bool json_text_is(const json_t *object, const char *key, const char *text)
{
    const char *own = json_text_at(object, key);
    return own && strcmp(own, text) == 0;
}

const char *json_text_or_empty(const json_t *object, const char *key)
{
    const char *text = json_text_at(object, key);
    return !text ? "" : text;
}

void json_copy_text(const json_t *object, const char *key, char *text, size_t size)
{
    const char *value = json_text_or_empty(object, key);
    (void)snprintf(text, size, "%s", value);
    if (strlen(value) < size)
        return;
    text[text_whole(value, size - 1)] = '\0';
}

json_t *json_at(const json_t *object, const char *key, size_t length)
{
    char *whole = strndup(key, length);
    json_t *value = !whole ? NULL : json_object_get(object, whole);
    free(whole);
    return value;
}

double json_number_at(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

bool json_has(const json_t *object, const char *key)
{
    const json_t *value = json_object_get(object, key);
    return value && !json_is_null(value);
}

double json_bound_at(const json_t *object, size_t index)
{
    const json_t *bound = json_array_get(json_object_get(object, "ci"), index);
    return json_is_number(bound) ? json_number_value(bound) : NAN;
}

bool json_step(struct json_each *each)
{
    if (each->at)
        return false;
    each->at = json_array_get(each->list, each->next++);
    return each->at;
}

json_t *json_named(const json_t *array, const char *key, const char *text)
{
    for (size_t i = 0; i < json_array_size(array) && text; i++)
        if (json_text_is(json_array_get(array, i), key, text))
            return json_array_get(array, i);
    return NULL;
}

json_t *json_read_record(const char *path, size_t flags, json_error_t *error)
{
    FILE *file = file_open_record(path); // not json_loadfd(), which reads byte by byte
    if (file) {
        json_t *record = json_loadf(file, flags, error);
        (void)fclose(file);
        return record;
    }
    if (error) {
        *error = (json_error_t){.line = -1, .column = -1};
        snprintf(error->text, sizeof error->text, "unable to open %.80s: %s", path,
                 file_why(errno));
    }
    return NULL;
}

// The text with \xNN for each byte that is not part of UTF-8.
static json_t *repaired(const char *text)
{
    char *whole = malloc(strlen(text) * strlen("\\xNN") + 1), *out = whole;
    while (whole && *text != '\0') {
        size_t length = strnlen(text, 4); // the longest sequence; jansson judges it
        json_t *valid = NULL;
        while (length > 0 && (valid = json_stringn(text, length)) == NULL)
            length--;
        json_decref(valid);
        if (length > 0)
            out = mempcpy(out, text, length);
        else
            out += sprintf(out, "\\x%02x", (unsigned char)*text);
        text += length > 0 ? length : 1;
    }
    if (!whole)
        return NULL;
    *out = '\0';
    json_t *value = json_string(whole);
    free(whole);
    return value;
}

json_t *text_to_json(const char *text)
{
    json_t *value = !text ? json_null() : json_string(text);
    return value ? value : repaired(text);
}

char *text_recorded(const char *text)
{
    char *bytes = strdup(text), *out = bytes;
    for (const char *in = text; bytes && *in != '\0'; out++) {
        unsigned value;
        int length = 0;
        if (sscanf(in, "\\x%2x%n", &value, &length) == 1 && length == 4) {
            *out = (char)value;
            in += length;
        } else {
            *out = *in++;
        }
    }
    if (bytes)
        *out = '\0';
    return bytes;
}

json_t *texts_to_json(const char *const *texts, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list, text_to_json(texts[i]));
    return list;
}

json_t *number_to_json(double number)
{
    if (!isfinite(number))
        return json_null();
    if (number == floor(number) && fabs(number) < MOST_EXACT)
        return json_integer((json_int_t)number);
    return json_real(number);
}

json_t *bounds_to_json(double low, double high)
{
    if (!isfinite(low) || !isfinite(high))
        return json_null();
    return json_pack("[o, o]", number_to_json(low), number_to_json(high));
}

json_t *json_text(const char *value)
{
    return must(text_to_json(value));
}

json_t *json_owned_text(char *value)
{
    json_t *text = json_text(value);
    free(value);
    return text;
}

json_t *json_date(time_t time)
{
    char text[DATE_SIZE];
    return json_text(date_utc(time, text));
}

json_t *json_number(double value)
{
    return must(json_figure(value));
}

json_t *json_figure(double value)
{
    char text[40];
    if (!isfinite(value))
        return json_null();
    snprintf(text, sizeof text, "%.*g", FIGURE_DIGITS, value);
    return number_to_json(strtod(text, NULL));
}

json_t *json_bounds(double low, double high)
{
    if (!isfinite(low) || !isfinite(high))
        return json_null();
    return must(json_pack("[o, o]", json_figure(low), json_figure(high)));
}

static const char *recorded_name(const struct option_row *row, char *name, size_t size)
{
    (void)snprintf(name, size, "%s%s", row->name, row->type == OPTION_TIME ? "_s" : "");
    for (char *at = name; (at = strchr(at, '-')) != NULL;)
        *at = '_';
    return name;
}

static json_t *option_to_json(const struct option_row *row, const void *field)
{
    const struct option_list *list = field;
    const int64_t *integer = field;
    const double *real = field;
    switch (row->type) {
    case OPTION_FLAG:
        return json_boolean(*(const bool *)field);
    case OPTION_COUNT:
        return json_integer((json_int_t) * (const uint64_t *)field);
    case OPTION_INTEGER:
        return *integer == OPTION_NOT_GIVEN ? json_null() : json_integer(*integer);
    case OPTION_TIME:
        return *integer == 0 ? json_null() : number_to_json((double)*integer / 1e9);
    case OPTION_CHOICE:
        return json_string(row->choices[*(const int *)field]);
    case OPTION_LIST:
        return texts_to_json(list->item, list->count);
    case OPTION_TEXT:
    case OPTION_CPUS:
        return text_to_json(*(const char *const *)field);
    default: // a real number
        return number_to_json(*real > 0 ? *real : NAN);
    }
}

void options_to_json(const struct option_row *rows, const void *values, json_t *object)
{
    char name[64];
    for (; rows->name; rows++)
        if (!rows->apart)
            json_put(object, recorded_name(rows, name, sizeof name),
                     option_to_json(rows, option_field(rows, values)));
}

const struct option_row *option_recorded(const struct option_row *rows, const char *name)
{
    char own[64];
    while (rows->name && strcmp(recorded_name(rows, own, sizeof own), name) != 0)
        rows++;
    return rows->name ? rows : NULL;
}

json_t *json_member(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return !value ? json_null() : json_incref(value);
}

char *json_words_quoted(const json_t *words)
{
    const size_t count = json_array_size(words);
    const char **list = must(calloc(count + 1, sizeof *list));
    for (size_t i = 0; i < count; i++)
        list[i] = json_string_value(json_array_get(words, i)) ?: "";
    char *text = must(words_quote(list, count));
    free(list);
    return text;
}

void json_put(json_t *object, const char *key, json_t *value)
{
    if (json_object_set_new(object, key, value) != 0)
        must(NULL);
}

void json_add(json_t *array, json_t *value)
{
    if (json_array_append_new(array, value) != 0)
        must(NULL);
}

json_t *record_read(const char *path, const char *schema, char why[RECORD_WHY])
{
    json_error_t error;
    struct stat status;
    json_t *record = json_read_record(path, 0, &error);
    if (json_text_is(record, "schema", schema))
        return record;
    if (record)
        snprintf(why, RECORD_WHY, "it is no %s", schema);
    else if (stat(path, &status) == 0 && status.st_size == 0)
        snprintf(why, RECORD_WHY, "it is empty");
    else
        snprintf(why, RECORD_WHY, "%s", error.text);
    json_decref(record);
    return NULL;
}

// Enough of a hash to tell two builds apart by eye.
enum { SHOWN_DIGITS = 12 };

bool changes_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    if (!a || !b)
        return (!a || json_is_null(a)) && (!b || json_is_null(b));
    return json_equal(a, b);
}

static bool same_member(const json_t *a, const json_t *b, const char *name)
{
    return changes_same(json_object_get(a, name), json_object_get(b, name));
}

// "sha256 0123456789ab (1048576 bytes, 2026-11-21T16:00:00Z)"
static json_t *program_text(const json_t *program)
{
    const char *hash = json_text_at(program, "sha256");
    const char *time = json_text_at(program, "mtime");
    const char *reason = json_text_at(program, "reason");
    const json_t *size = json_object_get(program, "size_bytes");
    if (!json_is_integer(size))
        return json_sprintf("not known (%s)", reason ?: "no reason");
    return json_sprintf("sha256 %.*s (%lld bytes, %s)", SHOWN_DIGITS, hash ?: "not known",
                        (long long)json_integer_value(size), time ?: "no time");
}

// Of the same content; where that is not known, as far as can be seen.
static bool same_file(const json_t *a, const json_t *b)
{
    const bool hashed = json_is_string(json_object_get(a, "sha256")) &&
                        json_is_string(json_object_get(b, "sha256"));
    return hashed ? same_member(a, b, "sha256")
                  : same_member(a, b, "sha256") && same_member(a, b, "size_bytes") &&
                        same_member(a, b, "mtime") && same_member(a, b, "path");
}

bool changes_of_program(const json_t *a, const json_t *b, json_t *changes)
{
    if (!json_is_object(a) || !json_is_object(b))
        return false;
    if (!same_file(a, b))
        json_array_append_new(changes, json_pack("{s:s, s:o, s:o}", "what", "program", "a",
                                                 program_text(a), "b", program_text(b)));
    return true;
}

void changes_of_variants(const json_t *a, const json_t *b, json_t *changes)
{
    for (size_t i = 1; i < json_array_size(a); i++) {
        const json_t *one = json_array_get(a, i);
        const char *name = json_text_at(one, "name");
        const json_t *other = json_named(b, "name", name);
        const size_t before = json_array_size(changes);
        if (!other || json_is_object(json_object_get(one, "revision")))
            continue;
        (void)changes_of_program(json_object_get(one, "program"), json_object_get(other, "program"),
                                 changes);
        json_object_set_new(json_array_get(changes, before), "what",
                            json_sprintf("program of variant %s", name));
    }
}

bool changes_in_session(const json_t *file)
{
    const json_t *end = json_object_get(file, "end");
    return end && !same_file(file, end);
}

bool changes_of_inputs(const json_t *a, const json_t *b, json_t *changes)
{
    if (!json_is_array(a) || !json_is_array(b))
        return false;
    for (size_t i = 0; i < json_array_size(a); i++) {
        const json_t *one = json_array_get(a, i), *end = json_object_get(one, "end");
        const char *word = json_text_at(one, "word");
        const json_t *other = json_named(b, "word", word);
        const json_t *last = end ? end : one;
        if (other && !same_file(last, other))
            json_array_append_new(changes, json_pack("{s:o, s:o, s:o}", "what",
                                                     json_sprintf("input %s", word), "a",
                                                     program_text(last), "b", program_text(other)));
    }
    return true;
}

json_t *changes_last_inputs(const json_t *experiment)
{
    const json_t *resumed = json_object_get(experiment, "resumed");
    for (size_t i = json_array_size(resumed); i-- > 0;) {
        json_t *inputs = json_object_get(json_array_get(resumed, i), "inputs");
        if (inputs)
            return inputs;
    }
    return json_object_get(experiment, "inputs");
}

static void add_variable(json_t *changes, const char *name, const json_t *a, const json_t *b)
{
    if (!same_member(a, b, name))
        json_array_append_new(changes, json_pack("{s:s, s:o, s:o}", "what", name, "a",
                                                 json_member(a, name), "b", json_member(b, name)));
}

bool changes_of_variables(const json_t *a, const json_t *b, json_t *changes)
{
    const char *name;
    json_t *value;
    if (!json_is_object(a) || !json_is_object(b))
        return false;
    json_object_foreach((json_t *)a, name, value) add_variable(changes, name, a, b);
    json_object_foreach((json_t *)b, name, value) if (!json_object_get(a, name))
        add_variable(changes, name, a, b);
    return true;
}

static const char *shown_value(const json_t *value)
{
    return json_is_string(value) ? json_string_value(value) : "not set";
}

char *changes_text(const json_t *changes, const char *a, const char *b)
{
    char *text = NULL;
    size_t size = 0;
    FILE *stream = json_array_size(changes) > 0 ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; stream && i < json_array_size(changes); i++) {
        const json_t *one = json_array_get(changes, i);
        fprintf(stream, "%s%s (%s %s, %s %s)", i > 0 ? ", " : "", json_text_at(one, "what"), a,
                shown_value(json_object_get(one, "a")), b, shown_value(json_object_get(one, "b")));
    }
    return stream && fclose(stream) == 0 ? text : NULL;
}

json_t *metric_to_json(const struct metric *metric)
{
    char number[METRIC_VALUE_SIZE];
    json_t *json = json_pack("{s:s, s:s*, s:o}", "name", metric->name, "variant", metric->variant,
                             "source", text_to_json(metric->source_text));
    for (size_t i = 0; metric_option_names[i]; i++) {
        const char *name = metric_option_names[i], *value = metric_option(metric, i, number);
        const bool is_real = strcmp(name, "scale") == 0 || strcmp(name, "quantile") == 0;
        if (strcmp(name, "idle") == 0 ||
            ((strcmp(name, "scale") == 0 || strcmp(name, "comma") == 0) && *value == '\0'))
            continue;
        json_object_set_new(json, name,
                            *value == '\0' && strcmp(name, "unit") != 0 ? json_null()
                            : is_real ? json_real(strtod(value, NULL))
                                      : text_to_json(value));
    }
    json_object_set_new(json, "adapter", text_to_json(metric->adapter));
    return json;
}
