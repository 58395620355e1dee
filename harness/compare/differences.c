#include "differences.h"

#include "common/words.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Settings that say how long to measure do not change what is measured.
static const char *const settings[] = {"target_cpus", "load_cpus", "place",   "place_cpus", "nice",
                                       "load_nice",   "prepare",   "cleanup", "timeout_s",  "cold",
                                       "cold_path",   "engine",    "settle_s"};

// 1 and 1.0 are the same number, which json_equal() does not think.
static bool is_same(const json_t *a, const json_t *b)
{
    if (json_is_number(a) && json_is_number(b))
        return json_number_value(a) == json_number_value(b);
    return a && b ? json_equal(a, b) : (!a || json_is_null(a)) && (!b || json_is_null(b));
}

static json_t *or_null(json_t *value)
{
    return value ? json_incref(value) : json_null();
}

// A value as text: "-" for none; else as it is, or as JSON.
static json_t *text_of(const json_t *value)
{
    if (!value || json_is_null(value))
        return json_string("-");
    if (json_is_string(value))
        return json_string(json_string_value(value));
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    json_t *string = text ? json_string(text) : NULL;
    free(text);
    return string;
}

static void add(json_t *list, const char *what, json_t *a, json_t *b)
{
    json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "what", what, "a", a, "b", b));
}

static json_t *command_text(const json_t *command)
{
    const size_t count = json_array_size(command);
    const char **words = calloc(count + 1, sizeof *words);
    for (size_t i = 0; words && i < count; i++) {
        const char *word = json_string_value(json_array_get(command, i));
        words[i] = word ? word : "";
    }
    char *text = words ? words_quote(words, count) : NULL;
    json_t *string = text ? json_string(text) : json_null();
    free(text);
    free(words);
    return string;
}

static json_t *load_of(const json_t *experiment, const char *name)
{
    const json_t *loads = json_object_get(experiment, "loads");
    for (size_t i = 0; i < json_array_size(loads); i++) {
        json_t *load = json_array_get(loads, i);
        const char *its = json_string_value(json_object_get(load, "name"));
        if (its && strcmp(its, name) == 0)
            return load;
    }
    return NULL;
}

static json_t *names(const json_t *a, const json_t *b, bool in_both)
{
    const json_t *loads = json_object_get(a, "loads");
    json_t *list = json_array();
    for (size_t i = 0; i < json_array_size(loads); i++) {
        json_t *name = json_object_get(json_array_get(loads, i), "name");
        if (json_is_string(name) && (load_of(b, json_string_value(name)) != NULL) == in_both)
            json_array_append(list, name);
    }
    return list;
}

json_t *differences_common(const json_t *a, const json_t *b)
{
    json_t *list = names(a, b, true);
    for (size_t i = json_array_size(list); i-- > 0;)
        if (strcmp(json_string_value(json_array_get(list, i)), "aa") == 0)
            json_array_remove(list, i);
    return list;
}

static json_t *grave(const json_t *a, const json_t *b)
{
    json_t *list = json_array(), *common = names(a, b, true);
    const json_t *command_a = json_object_get(a, "command");
    const json_t *command_b = json_object_get(b, "command");
    if (!json_equal(command_a, command_b))
        add(list, "command", command_text(command_a), command_text(command_b));
    for (size_t i = 0; i < json_array_size(common); i++) {
        const char *name = json_string_value(json_array_get(common, i));
        const json_t *spec_a = json_object_get(load_of(a, name), "spec");
        const json_t *spec_b = json_object_get(load_of(b, name), "spec");
        char *what = NULL;
        if (!is_same(spec_a, spec_b) && asprintf(&what, "load %s", name) >= 0)
            add(list, what, text_of(spec_a), text_of(spec_b));
        free(what);
    }
    json_decref(common);
    return list;
}

static json_t *settings_differing(const json_t *a, const json_t *b)
{
    json_t *list = json_array();
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const json_t *one = json_object_get(json_object_get(a, "settings"), settings[i]);
        const json_t *other = json_object_get(json_object_get(b, "settings"), settings[i]);
        if (!is_same(one, other))
            add(list, settings[i], text_of(one), text_of(other));
    }
    return list;
}

// Every leaf of an object by a name with dots, into `flat`: {"a":{"b":1}} -> {"a.b": 1}
static void flatten(const json_t *object, const char *before, json_t *flat)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        char *path = NULL;
        if (asprintf(&path, "%s%s%s", before, *before ? "." : "", name) < 0)
            return;
        if (json_is_object(value))
            flatten(value, path, flat);
        else
            json_object_set(flat, path, value);
        free(path);
    }
}

// The load average differs from moment to moment: left out.
static json_t *leaves(const json_t *experiment)
{
    json_t *flat = json_object();
    flatten(json_object_get(experiment, "environment"), "", flat);
    json_object_del(flat, "load_average");
    return flat;
}

static json_t *environment_differing(const json_t *a, const json_t *b)
{
    json_t *one = leaves(a), *other = leaves(b), *list = json_array(), *value;
    const char *name;
    json_object_foreach(one, name, value)
    {
        if (!is_same(value, json_object_get(other, name)))
            add(list, name, or_null(value), or_null(json_object_get(other, name)));
    }
    json_object_foreach(other, name, value)
    {
        if (!json_object_get(one, name) && !json_is_null(value))
            add(list, name, json_null(), json_incref(value));
    }
    json_decref(one);
    json_decref(other);
    return list;
}

json_t *differences_of(const json_t *a, const json_t *b)
{
    return json_pack("{s:o, s:o, s:o, s:o, s:o}", "command_or_load", grave(a, b), "settings",
                     settings_differing(a, b), "environment", environment_differing(a, b), "only_a",
                     names(a, b, false), "only_b", names(b, a, false));
}

char *differences_grave(const json_t *differences)
{
    const json_t *list = json_object_get(differences, "command_or_load");
    char *text = NULL;
    size_t size = 0;
    FILE *stream = json_array_size(list) > 0 ? open_memstream(&text, &size) : NULL;
    for (size_t i = 0; stream && i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        fprintf(stream, "%s%s: A %s, B %s", i > 0 ? "; " : "",
                json_string_value(json_object_get(one, "what")),
                json_string_value(json_object_get(one, "a")),
                json_string_value(json_object_get(one, "b")));
    }
    return stream && fclose(stream) == 0 ? text : NULL;
}
