#include "common/changes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
    const char *hash = json_string_value(json_object_get(program, "sha256"));
    const char *time = json_string_value(json_object_get(program, "mtime"));
    const char *reason = json_string_value(json_object_get(program, "reason"));
    const json_t *size = json_object_get(program, "size_bytes");
    char *text = NULL;
    if (!json_is_integer(size))
        return json_sprintf("not known (%s)", reason != NULL ? reason : "no reason");
    if (asprintf(&text, "sha256 %.*s (%lld bytes, %s)", SHOWN_DIGITS,
                 hash != NULL ? hash : "not known", (long long)json_integer_value(size),
                 time != NULL ? time : "no time") < 0)
        return json_null();
    json_t *string = json_string(text);
    free(text);
    return string;
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

// Of a list of objects the one whose `member` is that text.
static const json_t *find(const json_t *list, const char *member, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *its = json_string_value(json_object_get(one, member));
        if (its && strcmp(its, text) == 0)
            return one;
    }
    return NULL;
}

void changes_of_variants(const json_t *a, const json_t *b, json_t *changes)
{
    for (size_t i = 1; i < json_array_size(a); i++) {
        const json_t *one = json_array_get(a, i);
        const char *name = json_string_value(json_object_get(one, "name"));
        const json_t *other = name ? find(b, "name", name) : NULL;
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
        const char *word = json_string_value(json_object_get(one, "word"));
        const json_t *other = word ? find(b, "word", word) : NULL;
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

static json_t *or_null(json_t *value)
{
    return value ? json_incref(value) : json_null();
}

static void add_variable(json_t *changes, const char *name, json_t *a, json_t *b)
{
    if (!changes_same(a, b))
        json_array_append_new(
            changes, json_pack("{s:s, s:o, s:o}", "what", name, "a", or_null(a), "b", or_null(b)));
}

bool changes_of_variables(const json_t *a, const json_t *b, json_t *changes)
{
    const char *name;
    json_t *value;
    if (!json_is_object(a) || !json_is_object(b))
        return false;
    json_object_foreach((json_t *)a, name, value)
        add_variable(changes, name, value, json_object_get(b, name));
    json_object_foreach((json_t *)b, name, value) if (!json_object_get(a, name))
        add_variable(changes, name, NULL, value);
    return true;
}

static const char *shown(const json_t *value)
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
        fprintf(stream, "%s%s (%s %s, %s %s)", i > 0 ? ", " : "",
                json_string_value(json_object_get(one, "what")), a,
                shown(json_object_get(one, "a")), b, shown(json_object_get(one, "b")));
    }
    return stream && fclose(stream) == 0 ? text : NULL;
}
