#include "bench.h"

#include "common/child.h"
#include "common/cpus.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

// The cells of the matrix's files, as they are written to bench-plan.json (jostle.bench-plan/1).

struct matrix {
    const struct request *request;
    json_t *parts, *part; // part: the one that is being made, one of parts
    json_t *names;        // of cells
    json_t *sections, *axes;
};

// What lines are applied to.
struct filling {
    struct matrix *matrix;
    json_t *variables;
    json_t *cell, *peer; // the ones that are being made; NULL: none
};

#define CELL_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%-"

static const char *text_in(const json_t *line, size_t index)
{
    return json_string_value(json_array_get(line, index));
}

static json_t *section_find(const struct matrix *matrix, const char *kind, const char *name)
{
    OWNED char *id = text_of("%s %s", kind, name);
    json_t *lines = json_object_get(matrix->sections, id);
    if (!lines)
        matrix_mistake(id, "there is no such section");
    return lines;
}

// ---- axes

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
static const json_t *axis_cases(const struct matrix *matrix, const char *name)
{
    json_t *cases = json_object_get(matrix->axes, name);
    if (cases)
        return cases;
    const json_t *lines = section_find(matrix, "axis", name), *line = json_array_get(lines, 0);
    const json_t *instead = strcmp(text_in(line, 0), "or") == 0
                                ? json_object_get(matrix->axes, text_in(line, 1))
                                : NULL;
    if (json_array_size(instead) > 0)
        return instead;
    cases = must(json_array());
    json_put(matrix->axes, name, cases);
    JSON_EACH (one, lines) {
        const char *key = text_in(one, 0);
        if (strcmp(key, "case") == 0)
            json_add(cases, case_json(text_in(one, 1)));
        else if (strcmp(key, "or") != 0)
            values_add(cases, key, text_in(one, 1));
    }
    return cases;
}

// ---- what the lines of a section do; each gets its value, of which it may make words

typedef bool line_does(struct filling *filling, char *value);

static void section_apply(const struct filling *filling, const char *kind, const char *name);
static bool lines_apply(struct filling *filling, const json_t *lines);

// The next word of a value, without it.
static char *word_of(char **value)
{
    char *word = strsep(value, " ");
    if (!word)
        matrix_mistake("matrix", "a line has too few words");
    *value = !*value ? word + strlen(word) : *value;
    return word;
}

static double number_in(const struct filling *filling, char **value)
{
    return expression_value(word_of(value), filling->variables);
}

static void put(json_t *object, const char *key, const char *value)
{
    json_put(object, key, json_text(value));
}

static const char *unit_of(const char *word)
{
    return strcmp(word, "-") == 0 ? "" : word;
}

static bool does_rows(struct filling *filling, char *value)
{
    while (*value != '\0')
        section_apply(filling, "cell", word_of(&value));
    return true;
}

static bool does_when(struct filling *filling, char *value)
{
    return expression_value(value, filling->variables) != 0;
}

static bool does_let(struct filling *filling, char *value)
{
    const char *name = word_of(&value);
    json_put(filling->variables, name,
             must(json_real(expression_value(value, filling->variables))));
    return true;
}

static bool does_text(struct filling *filling, char *value)
{
    const char *name = word_of(&value);
    put(filling->variables, name, value);
    return true;
}

// A body without axes is as if its lines stood here, but that `when` leaves it alone.
static bool does_use(struct filling *filling, char *value)
{
    const json_t *lines = section_find(filling->matrix, "body", value);
    if (strcmp(text_in(json_array_get(lines, 0), 0), "over") == 0)
        section_apply(filling, "body", value);
    else
        (void)lines_apply(filling, lines);
    return !json_has(filling->cell, "skip");
}

// Members of a cell that are made of the words of a value alone: an object by these names, where
// the last of them is all that is left, or, without names, the value. NAME#: an expression; NAME-:
// `-` is nothing. A list (`adds`) gets it as a further element.
static const struct shape {
    const char *key, *member, *words, *also; // also: further members, as JSON
    bool adds;
} shapes[] = {
    {"figure", "figure", "name unit- better source", "{}", false},
    {"more", "more", "name unit- better source", "{\"shown\": true}", true},
    {"watch", "more", "name unit- better source", "{\"shown\": false}", true},
    // Of the runs themselves: how many of them passed, or the least or greatest of a figure.
    {"over-runs", "more", "name unit- better of metric", "{\"shown\": true}", true},
    {"peak", "peak", "value# source", "{}", false},
    {"peak-of", "peaks", "figure value# source", "{}", true},
    {"no-peak", "peak", "reason", "{}", false},
    // A problem of texts.c, which is found where the interval of a figure of the cell, of
    // a single run the figure itself, is wholly below the limit.
    {"rule", "rules", "figure below# flag", "{\"text\": null}", true},
    {"load", "load", "name spec", "{}", false}, // a name has one spec in the whole bench
    {"mark", "marks", NULL, NULL, true},
    {"of", "of", NULL, NULL, false},
    {"average", "average", NULL, NULL, false},
    {"run-s", "run_s", "#", NULL, false},
    {"setup-s", "setup_s", "#", NULL, false}};

static json_t *shape_object(const struct filling *filling, const struct shape *shape, char *value)
{
    json_t *object = must(json_object()), *also = must(json_loads(shape->also, 0, NULL));
    OWNED char *names = must(strdup(shape->words));
    for (char *rest = names, *name; (name = strsep(&rest, " "));) {
        const size_t length = strcspn(name, "#-");
        const char kind = name[length];
        name[length] = '\0';
        if (kind == '#')
            json_put(object, name, must(json_real(number_in(filling, &value))));
        else
            put(object, name,
                rest ? (kind == '-' ? unit_of(word_of(&value)) : word_of(&value)) : value);
    }
    json_object_update(object, also);
    json_decref(also);
    return object;
}

static bool line_shape(struct filling *filling, const char *key, char *value)
{
    const struct shape *shape = shapes, *end = shapes + sizeof shapes / sizeof *shapes;
    while (shape < end && strcmp(shape->key, key) != 0)
        shape++;
    if (shape == end)
        matrix_mistake(key, "there is no such setting");
    json_t *made = shape->also    ? shape_object(filling, shape, value)
                   : shape->words ? json_number(expression_value(value, filling->variables))
                                  : json_text(value);
    if (shape->adds)
        json_add(json_object_get(filling->cell, shape->member), made);
    else
        json_put(filling->cell, shape->member, made);
    return true;
}

static void cell_mistake(const json_t *cell, const char *what)
{
    OWNED char *where = text_of("the cell %s", json_text_at(cell, "cell"));
    matrix_mistake(where, what);
}

static void cell_new(struct filling *filling, const char *name)
{
    const struct matrix *matrix = filling->matrix;
    filling->cell = must(json_pack(
        "{s:s, s:[], s:n, s:[], s:n, s:[], s:n, s:[], s:[], s:[], s:[], s:n, s:n, s:n, s:{}, s:n, "
        "s:f, s:f}",
        "cell", name, "labels", "figure", "more", "command", "peers", "peak", "peaks", "marks",
        "problems", "rules", "skip", "cpus", "load", "around", "series", "run_s",
        matrix->request->duration_s + 0.2, "setup_s", 0.0));
    json_add(json_object_get(matrix->part, "cells"), filling->cell);
    if (strspn(name, CELL_LETTERS) != strlen(name))
        cell_mistake(filling->cell, "has a name that is none of a folder");
    if (json_has(matrix->names, name))
        cell_mistake(filling->cell, "is there twice");
    json_put(matrix->names, name, json_true());
}

static bool does_name(struct filling *filling, char *value)
{
    if (filling->peer)
        put(filling->peer, "name", value);
    else
        cell_new(filling, value);
    return true;
}

static bool does_label(struct filling *filling, char *value)
{
    char *text = strstr(value, ": ");
    if (!text)
        cell_mistake(filling->cell, "has a label without text");
    *text = '\0';
    json_add(json_object_get(filling->cell, "labels"), must(json_pack("[s, s]", value, text + 2)));
    return true;
}

// Of a peer NAME SCALE SOURCE: what it prints, times scale, is in the unit of the cell.
static bool does_figure(struct filling *filling, char *value)
{
    if (!filling->peer)
        return line_shape(filling, "figure", value);
    const char *name = word_of(&value);
    const double scale = number_in(filling, &value);
    json_put(json_object_get(filling->peer, "figures"), name,
             must(json_pack("{s:s, s:f}", "source", value, "scale", scale)));
    return true;
}

// ---- rows of the runs of another cell

// The figure of the cell whose runs the row is of. A new reference.
static json_t *figure_taken(const struct filling *filling, const char *figure)
{
    const json_t *of = json_named(json_object_get(filling->matrix->part, "cells"), "cell",
                                  json_text_at(filling->cell, "of"));
    return must(json_deep_copy(json_named(json_object_get(of, "more"), "name", figure)));
}

static bool does_take(struct filling *filling, char *value)
{
    json_put(filling->cell, "figure", figure_taken(filling, value));
    return true;
}

// FIGURE NAME
static bool does_column(struct filling *filling, char *value)
{
    const char *figure = word_of(&value);
    json_t *more = figure_taken(filling, figure);
    put(more, "metric", figure);
    put(more, "name", value);
    json_put(more, "shown", json_true());
    json_add(json_object_get(filling->cell, "more"), more);
    return true;
}

// Such a row has that cell's peers, its load and its fate.
static void settle(json_t *cell, const json_t *cells)
{
    static const char *const theirs[] = {"peers", "load", "skip"};
    const json_t *of = json_named(cells, "cell", json_text_at(cell, "of"));
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        json_put(cell, theirs[i], must(json_deep_copy(json_object_get(of, theirs[i]))));
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        if (figure && !json_has(json_object_get(peer, "figures"), figure) &&
            !json_has(peer, "reason"))
            put(peer, "reason", "it prints no such figure of these runs");
    }
}

// ---- peers

static bool does_command(struct filling *filling, char *value)
{
    json_t *peer = filling->peer;
    const char *program = json_text_at(peer, "program"),
               *workloads = filling->matrix->request->workloads;
    char found[PATH_MAX];
    OWNED char *workload = text_of("%s/%s", workloads ? workloads : "", program ? program : "");
    put(peer ? peer : filling->cell, "command", value);
    if (!peer || access(workload, X_OK) == 0 || child_find(program, found))
        return true;
    OWNED char *reason =
        text_of("%s is not installed: apt install %s", program, json_text_at(peer, "package"));
    put(peer, "reason", reason);
    return true;
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

// Nothing more is said of a cell that is skipped.
static bool does_skip(struct filling *filling, char *value)
{
    put(filling->peer ? filling->peer : filling->cell, filling->peer ? "reason" : "skip", value);
    return filling->peer != NULL;
}

// ---- peaks

// Of vectors of that name, from the clock of each run.
static bool does_peak_of_cpu(struct filling *filling, char *value)
{
    OWNED char *why = NULL;
    OWNED char *source = cpu_peak_source(filling->matrix->request, filling->variables, value, &why);
    if (!source)
        return line_shape(filling, "no-peak", why);
    json_put(filling->cell, "peak", must(json_pack("{s:s, s:s}", "metric", source, "source", why)));
    OWNED char *share = text_fill(PEAK_SHARE " - higher {@peak_share}", filling->variables);
    return line_shape(filling, "watch", share);
}

// ---- how it is run

static bool does_cpus(struct filling *filling, char *value)
{
    const double threads = number_in(filling, &value);
    struct cpu_list allowed;
    char list[CPUS_TEXT];
    if (cpus_allowed(&allowed) != 0)
        return true;
    if (threads > allowed.count) {
        OWNED char *words =
            text_of("%.0f threads on %u CPUs: they take turns", threads, allowed.count);
        json_add(json_object_get(filling->cell, "problems"),
                 must(json_pack("{s:s, s:s}", "flag", "beyond-cpus", "text", words)));
    }
    if (threads < allowed.count)
        allowed.count = (unsigned)threads;
    put(filling->cell, "cpus", cpus_format(&allowed, list, sizeof list));
    return true;
}

// KEY SCALE: the member of loadgen's interval events, times scale in the unit of the figure.
static bool does_series(struct filling *filling, char *value)
{
    const struct request *request = filling->matrix->request;
    const char *key = word_of(&value);
    json_put(filling->cell, "series",
             must(json_pack("{s:s, s:f, s:I}", "key", key, "scale", number_in(filling, &value),
                            "samples", (json_int_t)request->samples)));
    json_put(filling->cell, "run_s",
             must(json_real((double)request->samples * ((double)request->every_ns / 1e9) + 1)));
    return true;
}

// ---- charts

// UNIT SCALE LABEL
static json_t *axis_json(char *value)
{
    const char *unit = unit_of(word_of(&value));
    const bool is_log = strcmp(word_of(&value), "log") == 0;
    return must(json_pack("{s:s, s:s, s:b}", "label", value, "unit", unit, "log", is_log));
}

// The chart of that section, once for each title.
static json_t *chart_of(const struct filling *filling, const char *name)
{
    json_t *charts = json_object_get(filling->matrix->part, "charts");
    json_t *chart = must(json_object());
    JSON_EACH (line, section_find(filling->matrix, "chart", name)) {
        const char *key = text_in(line, 0);
        OWNED char *value = text_fill(text_in(line, 1), filling->variables);
        json_put(chart, key, strlen(key) == 1 ? axis_json(value) : json_text(value));
    }
    json_t *found = json_named(charts, "title", json_text_at(chart, "title"));
    if (found) {
        json_decref(chart);
        return found;
    }
    json_put(chart, "series", must(json_array()));
    json_add(charts, chart);
    return chart;
}

static bool does_chart(struct filling *filling, char *value)
{
    (void)chart_of(filling, value);
    return true;
}

// CHART X FIGURE SERIES: a point of a curve, which begins with the first of them. X `load`: the
// mean of what the cell's load has achieved. FIGURE `-`: the one that counts.
static bool does_point(struct filling *filling, char *value)
{
    json_t *all = json_object_get(chart_of(filling, word_of(&value)), "series");
    char *x = word_of(&value);
    const char *figure = word_of(&value);
    json_t *series = json_named(all, "name", value);
    if (!series) {
        series = must(json_pack("{s:s, s:[]}", "name", value, "points"));
        json_add(all, series);
    }
    json_add(
        json_object_get(series, "points"),
        must(json_pack("{s:O, s:o, s:s?, s:n}", "cell", json_object_get(filling->cell, "cell"), "x",
                       strcmp(x, "load") == 0 ? json_null() : json_number(number_in(filling, &x)),
                       "figure", *unit_of(figure) ? figure : NULL, "peer")));
    return true;
}

// ---- lines and sections

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
    put(filling->peer   ? filling->peer
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
    return expression_value(condition, filling->variables) == 0
               ? NULL
               : value + strlen(condition) + strlen("[] ");
}

// False: a line said that it is enough.
static bool lines_apply(struct filling *filling, const json_t *lines)
{
    JSON_EACH (line, lines) {
        const char *key = text_in(line, 0), *text = behind_condition(filling, text_in(line, 1));
        if (!text || strcmp(key, "over") == 0)
            continue;
        OWNED char *value = text_fill(text, filling->variables);
        if (!line_apply(filling, key, value))
            return false;
    }
    return true;
}

// The lines for each combination of the cases of the axes, which are words.
static void axes_apply(const struct filling *filling, const json_t *lines, const char *axes)
{
    const size_t length = strcspn(axes, " ");
    struct filling inner = *filling;
    inner.variables = must(json_copy(filling->variables));
    if (length == 0) {
        (void)lines_apply(&inner, lines);
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
                json_is_string(value) ? text_fill(json_string_value(value), inner.variables) : NULL;
            json_put(inner.variables, key, text ? json_text(text) : json_incref(value));
        }
        axes_apply(&inner, lines, axes + length + strspn(axes + length, " "));
        json_object_clear(inner.variables);
    }
    json_decref(inner.variables);
}

static void section_apply(const struct filling *filling, const char *kind, const char *name)
{
    const json_t *lines = section_find(filling->matrix, kind, name),
                 *first = json_array_get(lines, 0);
    axes_apply(filling, lines, strcmp(text_in(first, 0), "over") == 0 ? text_in(first, 1) : "");
}

// What a cell may not lack.
static void cell_check(const json_t *cell)
{
    if (json_has(cell, "skip"))
        return;
    if (!json_has(cell, "figure"))
        cell_mistake(cell, "has no figure");
    if (json_has(cell, "of"))
        return;
    if (!json_has(cell, "command"))
        cell_mistake(cell, "has no command");
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        if (!json_has(json_object_get(peer, "figures"), figure) && !json_has(peer, "reason"))
            cell_mistake(cell, "has a peer without its figure");
    }
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
    JSON_EACH (cell, cells) {
        if (json_has(cell, "of"))
            settle(cell, cells);
        cell_check(cell);
    }
    json_decref(filling.variables);
    json_decref(matrix->axes);
}

json_t *matrix_parts(const struct request *request)
{
    struct matrix matrix = {.request = request,
                            .parts = must(json_array()),
                            .names = must(json_object()),
                            .sections = sections_read()};
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        if (request->part[i])
            make_part(&matrix, &bench_parts[i]);
    json_decref(matrix.names);
    json_decref(matrix.sections);
    return matrix.parts;
}
