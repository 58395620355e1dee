// What differs between two experiments besides their figures: commands, settings, files, machines.

#include "compare.h"

#include "common/machine_json.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

// Facts of moments, not of machines.
static const char *const moments[] = {"load_average", "job.time_left_s"};

// A value as text: "-" for none; else as it is, or as JSON.
static json_t *value_text(const json_t *value)
{
    if (!value || json_is_null(value))
        return json_string("-");
    if (json_is_string(value))
        return json_string(json_string_value(value));
    OWNED char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT | JSON_REAL_PRECISION(15));
    return text ? json_string(text) : NULL;
}

static void add(json_t *list, const char *what, json_t *a, json_t *b)
{
    json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "what", what, "a", a, "b", b));
}

static json_t *command_text(const json_t *command)
{
    return json_owned_text(json_words_quoted(command));
}

// The names in one list that are also in the other, or that are not.
static json_t *names(const json_t *a, const json_t *b, bool in_both)
{
    json_t *list = json_array();
    JSON_EACH (one, a) {
        json_t *name = json_object_get(one, "name");
        if (json_is_string(name) &&
            (json_named(b, "name", json_string_value(name)) != NULL) == in_both)
            json_array_append(list, name);
    }
    return list;
}

// Older records have no list of conditions: they are the loads.
static const json_t *conditions_of(const json_t *experiment)
{
    const json_t *conditions = json_object_get(experiment, "conditions");
    return json_array_size(conditions) > 0 ? conditions : json_object_get(experiment, "loads");
}

json_t *differences_common(const json_t *a, const json_t *b)
{
    json_t *list = names(conditions_of(a), conditions_of(b), true);
    for (size_t i = json_array_size(list); i-- > 0;)
        if (strcmp(json_string_value(json_array_get(list, i)), "aa") == 0)
            json_array_remove(list, i);
    return list;
}

// What differs in a member of two objects of the same name.
static void add_member(json_t *list, const char *kind, const json_t *a, const json_t *b,
                       const char *member, json_t *(*as_text)(const json_t *value))
{
    const json_t *one = json_object_get(a, member), *other = json_object_get(b, member);
    OWNED char *what = text_of("%s %s", kind, json_text_at(a, "name"));
    if (!changes_same(one, other))
        add(list, what, as_text(one), as_text(other));
}

static void add_loads(json_t *list, const json_t *a, const json_t *b)
{
    JSON_EACH (one, json_object_get(a, "loads")) {
        const json_t *other =
            json_named(json_object_get(b, "loads"), "name", json_text_at(one, "name"));
        if (other)
            add_member(list, "load", one, other, "spec", value_text);
    }
}

// Variants of one name are to be the same; without them the command is.
static void add_commands(json_t *list, const json_t *a, const json_t *b)
{
    const json_t *variants = json_object_get(a, "variants");
    const json_t *others = json_object_get(b, "variants");
    const json_t *command = json_object_get(a, "command"), *its = json_object_get(b, "command");
    if (!json_is_array(variants) || !json_is_array(others)) {
        if (!json_equal(command, its))
            add(list, "command", command_text(command), command_text(its));
        return;
    }
    JSON_EACH (one, variants) {
        const json_t *other = json_named(others, "name", json_text_at(one, "name"));
        if (other)
            add_member(list, "command of variant", one, other, "command", command_text);
    }
}

// As good as not given: older records do not have all settings.
static bool is_off(const json_t *value)
{
    return !value || json_is_null(value) || json_is_false(value) ||
           (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_number(value) && json_number_value(value) == 0);
}

// Each name once: "environment.mitigations.l1tf" is of what is recorded as a whole.
static void add_missing(json_t *missing, const char *kind, const char *name, const char *side)
{
    OWNED char *what = text_of("%s%.*s", kind, (int)strcspn(name, "."), name);
    if (json_named(missing, "what", what))
        return;
    json_array_append_new(missing, json_pack("{s:s, s:s}", "what", what, "side", side));
}

// The settings, with what an older record means by leaving it out. A new reference.
static json_t *completed(const json_t *experiment)
{
    json_t *settings = json_copy(json_object_get(experiment, "settings"));
    json_auto_t *known = json_pack("{s:s, s:[], s:O?}", "statistic", "mean", "metrics", "decide",
                                   json_object_get(settings, "metric"));
    json_object_update_missing(settings, known);
    return settings;
}

// How members of two objects are compared.
struct way {
    const char *kind;                      // in front of the names of those that one has not
    const char *left_out;                  // NULL, or what each experiment chooses anew
    bool (*is_off)(const json_t *value);   // as good as not there; NULL: nothing is
    json_t *(*shown)(const json_t *value); // a new reference
};

// What differs, as a new list; what one has alone is added to `missing`.
static json_t *members_differing(json_t *one, json_t *other, const struct way *way, json_t *missing)
{
    json_t *list = json_array(), *value;
    const char *name;
    json_object_foreach(one, name, value)
    {
        const json_t *its = json_object_get(other, name);
        const bool off = way->is_off && way->is_off(value);
        if (!its && !off)
            add_missing(missing, way->kind, name, "b");
        else if (its && !(way->left_out && strcmp(name, way->left_out) == 0) &&
                 !changes_same(value, its) && !(off && way->is_off(its)))
            add(list, name, way->shown(value), way->shown(its));
    }
    json_object_foreach(other, name, value)
    {
        if (!json_object_get(one, name) && !(way->is_off && way->is_off(value)))
            add_missing(missing, way->kind, name, "a");
    }
    return list;
}

static json_t *settings_differing(const json_t *a, const json_t *b, json_t *missing)
{
    static const struct way way = {"setting ", "seed", is_off, value_text};
    json_auto_t *one = completed(a), *other = completed(b);
    return members_differing(one, other, &way, missing);
}

// Every leaf of an object by a name with dots, into `flat`: {"a":{"b":1}} -> {"a.b": 1}
static void flatten(const json_t *object, const char *before, json_t *flat)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value)
    {
        OWNED char *path = text_of("%s%s%s", before, *before ? "." : "", name);
        if (json_is_object(value))
            flatten(value, path, flat);
        else
            json_object_set(flat, path, value);
    }
}

static json_t *leaves(const json_t *experiment)
{
    json_t *flat = json_object();
    json_t *group = json_object_get(json_object_get(experiment, "arrangement"), "group");
    flatten(json_object_get(experiment, "environment"), "", flat);
    if (group)
        json_object_set(flat, "arrangement", group);
    for (size_t i = 0; i < sizeof moments / sizeof *moments; i++)
        json_object_del(flat, moments[i]);
    return flat;
}

// Facts that neither has are missed in both.
static void add_unknown_facts(const json_t *a, const json_t *b, json_t *missing)
{
    const json_t *one = json_object_get(a, "environment"),
                 *other = json_object_get(b, "environment");
    for (enum fact fact = 0; fact < FACTS; fact++)
        if (!json_object_get(one, fact_names[fact]) && !json_object_get(other, fact_names[fact]))
            add_missing(missing, "", fact_names[fact], "both");
}

static json_t *as_it_is(const json_t *value)
{
    return json_incref((json_t *)value);
}

// Differing leaves into the list that it returns, those of one side into `missing`,
// the names of all that both have into `compared`.
static json_t *environment_differing(const json_t *a, const json_t *b, json_t *missing,
                                     json_t *compared)
{
    static const struct way way = {.kind = "", .shown = as_it_is};
    json_auto_t *one = leaves(a), *other = leaves(b);
    json_t *list = members_differing(one, other, &way, missing), *value;
    const char *name;
    json_object_foreach(one, name, value)
    {
        if (json_object_get(other, name))
            json_array_append_new(compared, json_string(name));
    }
    add_unknown_facts(a, b, missing);
    return list;
}

static bool is_there(const json_t *experiment, const char *name)
{
    const json_t *value = json_object_get(experiment, name);
    return json_is_object(value) || json_is_array(value);
}

static const char *lacking(const json_t *a, const json_t *b, const char *name)
{
    return is_there(a, name) ? "b" : is_there(b, name) ? "a" : "both";
}

static json_t *program_differing(const json_t *a, const json_t *b, json_t *missing)
{
    const json_t *one = json_object_get(a, "program"), *other = json_object_get(b, "program");
    const json_t *path = json_object_get(one, "path"), *its = json_object_get(other, "path");
    json_t *list = json_array();
    if (!changes_of_program(one, other, list))
        add_missing(missing, "", "program", lacking(a, b, "program"));
    else if (!changes_same(path, its))
        add(list, "path of the program", value_text(path), value_text(its));
    changes_of_variants(json_object_get(a, "variants"), json_object_get(b, "variants"), list);
    return list;
}

static json_t *with_word(const json_t *inputs, const json_t *word)
{
    return json_named(inputs, "word", json_string_value(word));
}

// Of A's files those that B has, too, are compared, unless they were written meanwhile: their
// words go into `same` or `written`.
static void split_inputs(const json_t *a, const json_t *b, json_t *same, json_t *written)
{
    JSON_EACH (one, a) {
        json_t *word = json_object_get(one, "word");
        const json_t *other = with_word(b, word);
        if (changes_in_session(one) || (other && changes_in_session(other)))
            json_array_append(written, word);
        else if (other)
            json_array_append(same, word);
    }
}

// The differences of the words.
static json_t *chosen(const json_t *inputs, const json_t *words)
{
    json_t *list = json_array();
    JSON_EACH (word, words)
        json_array_append(list, with_word(inputs, word));
    return list;
}

static void add_lone_inputs(json_t *list, const json_t *a, const json_t *b, bool in_a)
{
    JSON_EACH (one, a) {
        const char *word = json_text_at(one, "word");
        OWNED char *what = text_of("input %s", word);
        if (!json_named(b, "word", word) && !changes_in_session(one))
            add(list, what, json_string(in_a ? "a file" : "no file"),
                json_string(in_a ? "no file" : "a file"));
    }
}

static json_t *inputs_differing(const json_t *a, const json_t *b, json_t *missing, json_t *same,
                                json_t *written)
{
    const json_t *one = json_object_get(a, "inputs"), *other = json_object_get(b, "inputs");
    json_t *list = json_array();
    if (!json_is_array(one) || !json_is_array(other)) {
        add_missing(missing, "", "inputs", lacking(a, b, "inputs"));
        return list;
    }
    split_inputs(one, other, same, written);
    json_auto_t *first = chosen(one, same), *second = chosen(other, same);
    (void)changes_of_inputs(first, second, list);
    add_lone_inputs(list, one, other, true);
    add_lone_inputs(list, other, one, false);
    return list;
}

static json_t *variables_differing(const json_t *a, const json_t *b, json_t *missing)
{
    json_t *list = json_array();
    if (!changes_of_variables(json_object_get(a, "variables"), json_object_get(b, "variables"),
                              list))
        add_missing(missing, "", "variables", lacking(a, b, "variables"));
    return list;
}

static json_t *sources_of(const json_t *experiment)
{
    return json_object_get(json_object_get(experiment, "settings"), "metrics");
}

static bool is_source(const json_t *one, const char *name, const char *variant)
{
    const char *its = json_text_at(one, "name"), *of = json_text_at(one, "variant");
    return its && strcmp(its, name) == 0 &&
           (of && variant ? strcmp(of, variant) == 0 : of == variant);
}

// The source of a metric for a variant, or (NULL) for all that have none of their own; NULL.
static const json_t *source_of(const json_t *experiment, const char *name, const char *variant)
{
    JSON_EACH (one, sources_of(experiment))
        if (is_source(one, name, variant))
            return one;
    return NULL;
}

static void add_source(json_t *differences, const json_t *one, const json_t *other,
                       const char *name, const char *variant)
{
    static const char *const parts[] = {"source", "take", "scale", "comma", "unit", "better"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        const json_t *part = json_object_get(one, parts[i]),
                     *its = json_object_get(other, parts[i]);
        OWNED char *what =
            text_of("%s of metric %s%s%s", parts[i], name, variant ? "@" : "", variant ?: "");
        if (!changes_same(part, its))
            add(json_object_get(differences, "command_or_load"), what, value_text(part),
                value_text(its));
    }
}

void differences_add_metric(json_t *differences, const json_t *a, const json_t *b, const char *name)
{
    const json_t *const both[] = {a, b};
    for (int side = 0; side < 2; side++) {
        const json_t *all = sources_of(both[side]);
        JSON_EACH (one, all) {
            const char *variant = json_text_at(one, "variant");
            if (!is_source(one, name, variant))
                continue;
            // What both have was compared with the first side's.
            if (side == 0)
                add_source(differences, one, source_of(b, name, variant), name, variant);
            else if (!source_of(a, name, variant))
                add_source(differences, NULL, one, name, variant);
        }
    }
}

json_t *differences_of(const json_t *a, const json_t *b)
{
    json_t *missing = json_array(), *compared = json_array();
    json_t *files = json_array(), *written = json_array(), *grave = json_array();
    add_commands(grave, a, b);
    add_loads(grave, a, b);
    // One after the other: they add to `missing` in this order.
    json_t *program = program_differing(a, b, missing);
    json_t *inputs = inputs_differing(a, b, missing, files, written);
    json_t *variables = variables_differing(a, b, missing);
    json_t *settings = settings_differing(a, b, missing);
    json_t *environment = environment_differing(a, b, missing, compared);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "command_or_load", grave, "settings", settings, "program", program, "inputs",
                     inputs, "inputs_compared", files, "inputs_written", written, "variables",
                     variables, "environment", environment, "not_recorded", missing, "compared",
                     compared, "only_a", names(conditions_of(a), conditions_of(b), false), "only_b",
                     names(conditions_of(b), conditions_of(a), false));
}

char *differences_grave(const json_t *differences)
{
    char *text = NULL;
    JSON_EACH (one, json_object_get(differences, "command_or_load"))
        text =
            text_added(text, "%s%s: A %s, B %s", text ? "; " : "", json_text_or_empty(one, "what"),
                       json_text_or_empty(one, "a"), json_text_or_empty(one, "b"));
    return text;
}
