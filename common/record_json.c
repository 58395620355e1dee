#include "common/record_json.h"

#include "common/file.h"
#include "common/memory.h"
#include "common/text.h"
#include "common/words.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

json_t *json_element(const json_t *list, const char *key, const char *text)
{
    json_t *one;
    size_t index;
    json_array_foreach(list, index, one)
    {
        if (json_text_is(one, key, text))
            return one;
    }
    return NULL;
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
    size_t length = size - 1;
    while (length > 0 && ((unsigned char)value[length] & 0xc0) == 0x80) // within a character
        length--;
    text[length] = '\0';
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

double json_confidence_at(const json_t *settings)
{
    const double confidence = json_number_at(settings, "confidence");
    return confidence > 0 && confidence < 1 ? confidence : 0.95;
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

json_t *json_named(const json_t *array, const char *key, const char *text)
{
    for (size_t i = 0; i < json_array_size(array) && text; i++) {
        const char *own = json_text_at(json_array_get(array, i), key);
        if (own && strcmp(own, text) == 0)
            return json_array_get(array, i);
    }
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

json_t *json_read_line(const char *line, size_t length)
{
    return json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
}

// The text with U+FFFD for each byte that is not part of UTF-8.
static json_t *repaired(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *whole = malloc(strlen(text) * (sizeof replacement - 1) + 1), *out = whole;
    while (whole && *text != '\0') {
        size_t length = strnlen(text, 4); // the longest sequence; jansson judges it
        json_t *valid = NULL;
        while (length > 0 && (valid = json_stringn(text, length)) == NULL)
            length--;
        json_decref(valid);
        out = length > 0 ? mempcpy(out, text, length) : stpcpy(out, replacement);
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
        list[i] = json_string_value(json_array_get(words, i));
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
    const char *name = json_text_at(record, "schema");
    if (name && strcmp(name, schema) == 0)
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
