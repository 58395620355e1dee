#include "matrix.h"

#include "handles.h"
#include "json.h"

#include "common/messages.h"
#include "harness/report/memory.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct part parts[] = {{"cpu", "CPU", part_cpu},
                             {"memory", "Memory", part_memory},
                             {"disk", "Disk", part_disk},
                             {"network", "Network", part_network},
                             {0}};

#define CELL_LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._%-"

struct matrix *matrix_new(const struct choice *choice, const char *workloads)
{
    struct matrix *matrix = must(calloc(1, sizeof *matrix));
    *matrix = (struct matrix){.choice = choice,
                              .workloads = workloads,
                              .parts = must(json_array()),
                              .names = must(json_object())};
    return matrix;
}

void matrix_free(struct matrix *matrix)
{
    for (size_t i = 0; i < matrix->handle_count; i++)
        free(matrix->handle[i]);
    free(matrix->handle);
    json_decref(matrix->parts);
    json_decref(matrix->names);
    free(matrix);
}

const json_t *matrix_parts(const struct matrix *matrix)
{
    return matrix->parts;
}

/* A mistake in the source of a part, found by the first that runs it. */
__attribute__((noreturn)) static void mistake(const json_t *cell, const char *what)
{
    complain("bench: the cell %s %s: this is a bug of jostle, please report it",
             json_text_at(cell, "cell"), what);
    exit(1);
}

json_t *matrix_format(const char *format, va_list list)
{
    char *made = NULL;
    if (vasprintf(&made, format, list) < 0)
        must(NULL);
    json_t *json = must(json_string(made));
    free(made);
    return json;
}

void *matrix_handle(struct matrix *matrix, size_t size)
{
    matrix->handle =
        grown(matrix->handle, matrix->handle_count, &matrix->allocated, sizeof *matrix->handle);
    return matrix->handle[matrix->handle_count++] = must(calloc(1, size));
}

static struct cell *add_cell(struct matrix *matrix, json_t *named)
{
    struct cell *cell = matrix_handle(matrix, sizeof *cell);
    cell->matrix = matrix;
    cell->json = must(json_pack(
        "{s:o, s:[], s:n, s:[], s:n, s:[], s:n, s:[], s:[], s:[], s:n, s:n, s:n, s:{}, s:n, s:f, "
        "s:f}",
        "cell", named, "labels", "figure", "more", "command", "peers", "peak", "marks", "problems",
        "rules", "skip", "cpus", "load", "around", "series", "run_s",
        matrix->choice->duration_s + 0.2, "setup_s", 0.0));
    if (strspn(json_string_value(named), CELL_LETTERS) != json_string_length(named))
        mistake(cell->json, "has a name that is none of a folder");
    if (json_object_get(matrix->names, json_string_value(named)) != NULL)
        mistake(cell->json, "is there twice");
    json_put(matrix->names, json_string_value(named), json_true());
    json_add(json_object_get(matrix->part, "cells"), cell->json);
    return cell;
}

struct cell *matrix_cell(struct matrix *matrix, const char *name, ...)
{
    FORMATTED(named, name);
    return add_cell(matrix, named);
}

struct cell *matrix_row(struct matrix *matrix, const struct cell *of, const char *figure,
                        const char *name, ...)
{
    FORMATTED(named, name);
    struct cell *cell = add_cell(matrix, named);
    const json_t *one;
    size_t index;
    json_put(cell->json, "of", json_incref(json_object_get(of->json, "cell")));
    json_array_foreach(json_object_get(of->json, "more"), index, one)
    {
        if (strcmp(json_text_at(one, "name"), figure) == 0)
            json_put(cell->json, "figure", must(json_deep_copy(one)));
    }
    return cell;
}

void row_more(struct cell *row, const struct cell *of, const char *figure, const char *name)
{
    const json_t *one;
    size_t index;
    json_array_foreach(json_object_get(of->json, "more"), index, one)
    {
        if (strcmp(json_text_at(one, "name"), figure) != 0)
            continue;
        json_t *more = must(json_deep_copy(one));
        json_put(more, "metric", json_text(figure));
        json_put(more, "name", json_text(name));
        json_put(more, "shown", json_true());
        json_add(json_object_get(row->json, "more"), more);
    }
}

/* A row of the runs of another cell has its peers, its load and its fate. */
static void settle(json_t *cell, const json_t *cells)
{
    static const char *const theirs[] = {"peers", "load", "skip"};
    const json_t *of;
    json_t *peer;
    size_t index;
    json_array_foreach(cells, index, of)
    {
        if (!json_equal(json_object_get(of, "cell"), json_object_get(cell, "of")))
            continue;
        for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
            json_put(cell, theirs[i], must(json_deep_copy(json_object_get(of, theirs[i]))));
    }
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    json_array_foreach(json_object_get(cell, "peers"), index, peer)
    {
        if (figure != NULL && !json_has(json_object_get(peer, "figures"), figure) &&
            !json_has(peer, "reason"))
            json_put(peer, "reason", json_text("it prints no such figure of these runs"));
    }
}

/* What a part may not leave out. */
static void check(const json_t *cell)
{
    const json_t *peer;
    size_t index;
    if (json_has(cell, "skip"))
        return;
    if (!json_has(cell, "figure"))
        mistake(cell, "has no figure");
    if (json_has(cell, "of"))
        return;
    if (!json_has(cell, "command"))
        mistake(cell, "has no command");
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    json_array_foreach(json_object_get(cell, "peers"), index, peer)
    {
        if (!json_has(json_object_get(peer, "figures"), figure) && !json_has(peer, "reason"))
            mistake(cell, "has a peer without its figure");
    }
}

void matrix_make(struct matrix *matrix, const struct part *part)
{
    json_t *cells, *cell;
    size_t index;
    matrix->part = must(json_pack("{s:s, s:s, s:[], s:[], s:[]}", "part", part->name, "title",
                                  part->title, "cells", "charts", "kept"));
    json_add(matrix->parts, matrix->part);
    part->make(matrix, matrix->choice);
    cells = json_object_get(matrix->part, "cells");
    json_array_foreach(cells, index, cell)
    {
        if (json_has(cell, "of"))
            settle(cell, cells);
        check(cell);
    }
    json_object_del(matrix->part, "kept");
}
