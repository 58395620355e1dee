// Makes the cells of the matrix's files, as they are written to bench-plan.json
// (jostle.bench-plan/1).

#include "matrix.h"

#include "common/expression.h"
#include "common/memory.h"
#include "common/record_json.h"

#include <string.h>

static void section_apply(const struct filling *filling, const char *kind, const char *name);
static bool lines_apply(struct filling *filling, const struct section *section);

static bool does_rows(struct filling *filling, char *value)
{
    while (*value != '\0')
        section_apply(filling, "cell", line_word(filling, &value));
    return true;
}

static bool does_when(struct filling *filling, char *value)
{
    return matrix_value(filling->matrix, value, filling->variables) != 0;
}

static bool does_let(struct filling *filling, char *value)
{
    size_t length;
    const char *text = expression_let(value, &length);
    if (!text)
        matrix_refuse(filling->matrix, "%s: write let = NAME = EXPRESSION", value);
    const double number = matrix_value(filling->matrix, text, filling->variables);
    value[length] = '\0';
    json_put(filling->variables, value, must(json_real(number)));
    return true;
}

static bool does_text(struct filling *filling, char *value)
{
    const char *name = line_word(filling, &value);
    line_put(filling->variables, name, value);
    return true;
}

// A body without axes is as if its lines stood here, but that `when` leaves it alone.
static bool does_use(struct filling *filling, char *value)
{
    OWNED_SECTION struct section body = matrix_section(filling->matrix, "body", value);
    if (strcmp(body.entries[0]->key, "over") == 0)
        section_apply(filling, "body", value);
    else
        (void)lines_apply(filling, &body);
    return !json_has(filling->cell, "skip");
}

static bool does_peer(struct filling *filling, char *value)
{
    if (!filling->matrix->request->peers)
        return true;
    struct filling inner = *filling;
    inner.peer =
        must(json_pack("{s:s, s:s, s:s, s:n, s:s, s:{}, s:n}", "name", value, "program", value,
                       "package", value, "command", "version", "--version", "figures", "reason"));
    section_apply(&inner, "peer", value);
    json_add(json_object_get(filling->cell, "peers"), inner.peer);
    return true;
}

static const struct {
    const char *key;
    line_does *does; // NULL: puts it into the peer, the options of the cell's campaign, or the part
} keys[] = {{"title", NULL},       {"rows", does_rows},     {"when", does_when},
            {"let", does_let},     {"text", does_text},     {"use", does_use},
            {"name", does_name},   {"label", does_label},   {"figure", does_figure},
            {"take", does_take},   {"column", does_column}, {"command", does_command},
            {"peer", does_peer},   {"program", NULL},       {"package", NULL},
            {"version", NULL},     {"skip", does_skip},     {"peak-of-cpu", does_peak_of_cpu},
            {"cpus", does_cpus},   {"series", does_series}, {"chart", does_chart},
            {"point", does_point}, {"setup", NULL},         {"conclude", NULL},
            {"service", NULL},     {"ready", NULL},         {"keep-service", NULL}};

static bool line_apply(struct filling *filling, const char *key, char *value)
{
    size_t i = 0;
    while (i < sizeof keys / sizeof *keys && strcmp(keys[i].key, key) != 0)
        i++;
    if (i == sizeof keys / sizeof *keys)
        return line_shape(filling, key, value);
    if (keys[i].does)
        return keys[i].does(filling, value);
    line_put(filling->peer   ? filling->peer
             : filling->cell ? json_object_get(filling->cell, "around")
                             : filling->matrix->part,
             key, value);
    return true;
}

// What is behind a condition in brackets; NULL: it does not hold.
static const char *behind_condition(const struct filling *filling, const char *value)
{
    if (*value != '[')
        return value;
    OWNED char *condition = must(strndup(value + 1, strcspn(value + 1, "]")));
    return matrix_value(filling->matrix, condition, filling->variables) == 0
               ? NULL
               : value + strlen(condition) + strlen("[] ");
}

// False: a line said that it is enough.
static bool lines_apply(struct filling *filling, const struct section *section)
{
    struct matrix *matrix = filling->matrix;
    bool goes_on = true;
    for (size_t i = 0; goes_on && i < section->count; i++) {
        const struct entry *entry = section->entries[i];
        matrix->at = entry;
        const char *text = behind_condition(filling, entry->value);
        if (!text || strcmp(entry->key, "over") == 0)
            continue;
        OWNED char *value = matrix_fill(matrix, text, filling->variables);
        goes_on = line_apply(filling, entry->key, value);
    }
    return goes_on;
}

// The lines for each combination of the cases of the axes, which are words.
static void axes_apply(const struct filling *filling, const struct section *section,
                       const char *axes)
{
    const size_t length = strcspn(axes, " ");
    struct filling inner = *filling;
    inner.variables = must(json_copy(filling->variables));
    if (length == 0) {
        (void)lines_apply(&inner, section);
        json_decref(inner.variables);
        return;
    }
    OWNED char *name = must(strndup(axes, length));
    OWNED char *first = text_of("%s_first", name), *last = text_of("%s_last", name);
    const json_t *cases = axis_cases(filling->matrix, name);
    const size_t count = json_array_size(cases);
    for (size_t i = 0; i < count; i++) {
        const char *key;
        json_t *value;
        json_object_update(inner.variables, filling->variables);
        json_put(inner.variables, first, json_real(i == 0));
        json_put(inner.variables, last, json_real(i + 1 == count));
        json_object_foreach(json_array_get(cases, i), key, value)
        {
            OWNED char *text =
                json_is_string(value)
                    ? matrix_fill(filling->matrix, json_string_value(value), inner.variables)
                    : NULL;
            json_put(inner.variables, key, text ? json_text(text) : json_incref(value));
        }
        axes_apply(&inner, section, axes + length + strspn(axes + length, " "));
        json_object_clear(inner.variables);
    }
    json_decref(inner.variables);
}

static void section_apply(const struct filling *filling, const char *kind, const char *name)
{
    OWNED_SECTION struct section section = matrix_section(filling->matrix, kind, name);
    const struct entry *first = section.entries[0];
    axes_apply(filling, &section, strcmp(first->key, "over") == 0 ? first->value : "");
}

static void make_part(struct matrix *matrix, const struct part *part)
{
    const struct filling filling = {.matrix = matrix, .variables = must(json_object())};
    json_t *cells = must(json_array());
    matrix->axes = must(json_object());
    matrix->part = must(
        json_pack("{s:s, s:n, s:o, s:[]}", "part", part->name, "title", "cells", cells, "charts"));
    json_add(matrix->parts, matrix->part);
    facts_of_choice(filling.variables, matrix->axes, matrix->request);
    part->facts(filling.variables, matrix->axes, matrix->request);
    section_apply(&filling, "part", part->name);
    matrix->at = NULL;
    JSON_EACH (cell, cells) {
        if (json_has(cell, "of"))
            cell_settle(cell, cells);
        cell_check(matrix, cell);
    }
    json_decref(filling.variables);
    json_decref(matrix->axes);
}

json_t *matrix_parts(const struct bench_request *request, FILE *entries)
{
    struct matrix matrix = {
        .request = request, .parts = must(json_array()), .names = must(json_object())};
    config_read(&matrix.config, "harness/bench/matrix", entries);
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        if (request->part[i])
            make_part(&matrix, &bench_parts[i]);
    json_decref(matrix.names);
    config_free(&matrix.config);
    return matrix.parts;
}
