// Lines that make a cell, or a peer of it: its members, as bench-plan.json has them.

#include "matrix.h"

#include "common/child.h"
#include "common/cpus.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <string.h>
#include <unistd.h>

#define CELL_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%-"

// Members of a cell that are made of the words of a value alone: an object by these names, where
// the last of them is all that is left, or, without names, the value. NAME#: an expression; NAME-:
// `-` is nothing. A list (`adds`) gets it as a further element.
static const struct shape {
    const char *key, *member, *words, *also; // also: further members, as JSON
    bool adds;
} shapes[] = {{"figure", "figure", "name unit- better source", "{}", false},
              {"more", "more", "name unit- better source", "{\"shown\": true}", true},
              {"watch", "more", "name unit- better source", "{\"shown\": false}", true},
              // This is a figure of the runs themselves: how many of them passed, or the least or
              // greatest of a figure.
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
            json_put(object, name, must(json_real(line_number(filling, &value))));
        else
            line_put(object, name,
                     rest ? (kind == '-' ? line_unit(line_word(filling, &value))
                                         : line_word(filling, &value))
                          : value);
    }
    json_object_update(object, also);
    json_decref(also);
    return object;
}

bool line_shape(struct filling *filling, const char *key, char *value)
{
    const struct shape *shape = shapes, *end = shapes + sizeof shapes / sizeof *shapes;
    while (shape < end && strcmp(shape->key, key) != 0)
        shape++;
    if (shape == end)
        matrix_refuse(filling->matrix, "there is no such setting");
    json_t *made = shape->also ? shape_object(filling, shape, value)
                   : shape->words
                       ? json_number(matrix_value(filling->matrix, value, filling->variables))
                       : json_text(value);
    if (shape->adds)
        json_add(json_object_get(filling->cell, shape->member), made);
    else
        json_put(filling->cell, shape->member, made);
    return true;
}

// Ends the program because of a cell.
__attribute__((noreturn)) static void cell_refuse(const struct matrix *matrix, const json_t *cell,
                                                  const char *what)
{
    matrix_refuse(matrix, "the cell %s %s", json_text_at(cell, "cell"), what);
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
        cell_refuse(filling->matrix, filling->cell, "has a name that is none of a folder");
    if (json_has(matrix->names, name))
        cell_refuse(filling->matrix, filling->cell, "is there twice");
    json_put(matrix->names, name, json_true());
}

bool does_name(struct filling *filling, char *value)
{
    if (filling->peer)
        line_put(filling->peer, "name", value);
    else
        cell_new(filling, value);
    return true;
}

bool does_label(struct filling *filling, char *value)
{
    char *text = strstr(value, ": ");
    if (!text)
        cell_refuse(filling->matrix, filling->cell, "has a label without text");
    *text = '\0';
    json_add(json_object_get(filling->cell, "labels"), must(json_pack("[s, s]", value, text + 2)));
    return true;
}

// A peer has NAME SCALE SOURCE: what it prints, times scale, is in the unit of the cell.
bool does_figure(struct filling *filling, char *value)
{
    if (!filling->peer)
        return line_shape(filling, "figure", value);
    const char *name = line_word(filling, &value);
    const double scale = line_number(filling, &value);
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

bool does_take(struct filling *filling, char *value)
{
    json_put(filling->cell, "figure", figure_taken(filling, value));
    return true;
}

// FIGURE NAME
bool does_column(struct filling *filling, char *value)
{
    const char *figure = line_word(filling, &value);
    json_t *more = figure_taken(filling, figure);
    line_put(more, "metric", figure);
    line_put(more, "name", value);
    json_put(more, "shown", json_true());
    json_add(json_object_get(filling->cell, "more"), more);
    return true;
}

// Such a row has that cell's peers, its load and its fate.
void cell_settle(json_t *cell, const json_t *cells)
{
    static const char *const theirs[] = {"peers", "load", "skip"};
    const json_t *of = json_named(cells, "cell", json_text_at(cell, "of"));
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
        json_put(cell, theirs[i], must(json_deep_copy(json_object_get(of, theirs[i]))));
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        if (figure && !json_has(json_object_get(peer, "figures"), figure) &&
            !json_has(peer, "reason"))
            line_put(peer, "reason", "it prints no such figure of these runs");
    }
}

// ---- peers

bool does_command(struct filling *filling, char *value)
{
    json_t *peer = filling->peer;
    const char *program = json_text_at(peer, "program"),
               *workloads = filling->matrix->request->workloads;
    char found[PATH_MAX];
    OWNED char *workload = text_of("%s/%s", workloads ? workloads : "", program ? program : "");
    line_put(peer ? peer : filling->cell, "command", value);
    if (!peer || access(workload, X_OK) == 0 || child_find(program, found))
        return true;
    OWNED char *reason =
        text_of("%s is not installed: apt install %s", program, json_text_at(peer, "package"));
    line_put(peer, "reason", reason);
    return true;
}

// Nothing more is said of a cell that is skipped.
bool does_skip(struct filling *filling, char *value)
{
    line_put(filling->peer ? filling->peer : filling->cell, filling->peer ? "reason" : "skip",
             value);
    return filling->peer != NULL;
}

// ---- peaks

// The peak is that of vectors of that name, by the clock that each run prints.
bool does_peak_of_cpu(struct filling *filling, char *value)
{
    OWNED char *why = NULL;
    OWNED char *source = cpu_peak_source(filling->matrix->request, filling->variables, value, &why);
    if (!source)
        return line_shape(filling, "no-peak", why);
    json_put(filling->cell, "peak", must(json_pack("{s:s, s:s}", "metric", source, "source", why)));
    OWNED char *printed = summary_source("peak_share");
    OWNED char *share = text_of(PEAK_SHARE " - higher %s", printed);
    return line_shape(filling, "watch", share);
}

// ---- how it is run

bool does_cpus(struct filling *filling, char *value)
{
    const double threads = line_number(filling, &value);
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
    line_put(filling->cell, "cpus", cpus_format(&allowed, list, sizeof list));
    return true;
}

// KEY SCALE: the member of loadgen's interval events, times scale in the unit of the figure.
bool does_series(struct filling *filling, char *value)
{
    const struct bench_request *request = filling->matrix->request;
    const char *key = line_word(filling, &value);
    json_put(filling->cell, "series",
             must(json_pack("{s:s, s:f, s:I}", "key", key, "scale", line_number(filling, &value),
                            "samples", (json_int_t)request->samples)));
    json_put(filling->cell, "run_s",
             must(json_real((double)request->samples * ((double)request->every_ns / 1e9) + 1)));
    return true;
}

// What a cell may not lack.
void cell_check(const struct matrix *matrix, const json_t *cell)
{
    if (json_has(cell, "skip"))
        return;
    if (!json_has(cell, "figure"))
        cell_refuse(matrix, cell, "has no figure");
    if (json_has(cell, "of"))
        return;
    if (!json_has(cell, "command"))
        cell_refuse(matrix, cell, "has no command");
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        if (!json_has(json_object_get(peer, "figures"), figure) && !json_has(peer, "reason"))
            cell_refuse(matrix, cell, "has a peer without its figure");
    }
}
