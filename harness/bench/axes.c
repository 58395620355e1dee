// The axes of the matrix: lists of cases, each of which sets some variables.

#include "matrix.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <string.h>

// "name=value flag": an object; a flag is 1.
static json_t *case_json(const char *text)
{
    const char *error;
    size_t count;
    json_t *values = must(json_object());
    OWNED char **words = words_split(text, &count, &error);
    for (size_t i = 0; words && i < count; i++) {
        char *equals = strchr(words[i], '=');
        if (equals)
            *equals = '\0';
        json_put(values, words[i], json_text(equals ? equals + 1 : "1"));
    }
    return values;
}

static void values_add(json_t *cases, const char *name, const char *values)
{
    OWNED char *copy = must(strdup(values));
    for (char *rest = copy, *value; (value = strsep(&rest, " "));)
        json_add(cases, must(json_pack("{s:s}", name, value)));
}

// The cases of an axis: of the machine and the command line, or of its section. `or`: in place of
// the section's those of that axis, where it is there. `case`: several variables at once; any other
// name: the values of that one.
const json_t *axis_cases(const struct matrix *matrix, const char *name)
{
    json_t *cases = json_object_get(matrix->axes, name);
    if (cases)
        return cases;
    OWNED_SECTION struct section section = matrix_section(matrix, "axis", name);
    const struct entry *first = section.entries[0];
    const json_t *instead =
        strcmp(first->key, "or") == 0 ? json_object_get(matrix->axes, first->value) : NULL;
    if (json_array_size(instead) > 0)
        return instead;
    cases = must(json_array());
    json_put(matrix->axes, name, cases);
    for (size_t i = 0; i < section.count; i++) {
        const struct entry *entry = section.entries[i];
        if (strcmp(entry->key, "case") == 0)
            json_add(cases, case_json(entry->value));
        else if (strcmp(entry->key, "or") != 0)
            values_add(cases, entry->key, entry->value);
    }
    return cases;
}
