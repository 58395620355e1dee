#include "bench.h"

#include "common/child.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/record_json.h"

#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// The cells that the parts ask for, as they are written to bench-plan.json (jostle.bench-plan/1).

// Kept as JSON from the first word on: the plan is these objects.
struct cell {
    json_t *json;
    struct matrix *matrix;
};

struct peer {
    json_t *json;
};

struct chart {
    json_t *json;
};

struct matrix {
    const struct choice *choice;
    const char *workloads;
    json_t *parts, *part; // part: the one that is being made, one of parts
    json_t *names;        // of cells: who made it
    void **handle;        // of cells, peers and charts
    size_t handle_count, allocated;
};

// The text that a function with `format, ...` was given, into `made`.
#define FORMATTED(made, format)                                                                    \
    va_list list;                                                                                  \
    va_start(list, format);                                                                        \
    json_t *made = matrix_format(format, list);                                                    \
    va_end(list)

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

// A mistake in the source of a part, found by the first that runs it.
__attribute__((noreturn)) static void mistake(const json_t *cell, const char *what)
{
    complain("bench: the cell %s %s: this is a bug of jostle, please report it",
             json_text_at(cell, "cell"), what);
    exit(1);
}

// A text as printf makes it. A new reference.
static json_t *matrix_format(const char *format, va_list list)
{
    OWNED char *made = NULL;
    if (vasprintf(&made, format, list) < 0)
        must(NULL);
    return must(json_string(made));
}

// A handle of that size, zeroed, which is freed with the matrix.
static void *matrix_handle(struct matrix *matrix, size_t size)
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
    if (json_object_get(matrix->names, json_string_value(named)))
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
    json_put(cell->json, "of", json_incref(json_object_get(of->json, "cell")));
    json_put(cell->json, "figure",
             must(json_deep_copy(json_named(json_object_get(of->json, "more"), "name", figure))));
    return cell;
}

void row_more(struct cell *row, const struct cell *of, const char *figure, const char *name)
{
    json_t *more =
        must(json_deep_copy(json_named(json_object_get(of->json, "more"), "name", figure)));
    json_put(more, "metric", json_text(figure));
    json_put(more, "name", json_text(name));
    json_put(more, "shown", json_true());
    json_add(json_object_get(row->json, "more"), more);
}

// A row of the runs of another cell has its peers, its load and its fate.
static void settle(json_t *cell, const json_t *cells)
{
    static const char *const theirs[] = {"peers", "load", "skip"};
    JSON_EACH (of, cells) {
        if (!json_equal(json_object_get(of, "cell"), json_object_get(cell, "of")))
            continue;
        for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++)
            json_put(cell, theirs[i], must(json_deep_copy(json_object_get(of, theirs[i]))));
    }
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        if (figure && !json_has(json_object_get(peer, "figures"), figure) &&
            !json_has(peer, "reason"))
            json_put(peer, "reason", json_text("it prints no such figure of these runs"));
    }
}

// What a part may not leave out.
static void matrix_check(const json_t *cell)
{
    if (json_has(cell, "skip"))
        return;
    if (!json_has(cell, "figure"))
        mistake(cell, "has no figure");
    if (json_has(cell, "of"))
        return;
    if (!json_has(cell, "command"))
        mistake(cell, "has no command");
    const char *figure = json_text_at(json_object_get(cell, "figure"), "name");
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        if (!json_has(json_object_get(peer, "figures"), figure) && !json_has(peer, "reason"))
            mistake(cell, "has a peer without its figure");
    }
}

void matrix_make(struct matrix *matrix, const struct part *part)
{
    json_t *cells;
    matrix->part = must(json_pack("{s:s, s:s, s:[], s:[], s:[]}", "part", part->name, "title",
                                  part->title, "cells", "charts", "kept"));
    json_add(matrix->parts, matrix->part);
    part->make(matrix, matrix->choice);
    cells = json_object_get(matrix->part, "cells");
    JSON_EACH (cell, cells) {
        if (json_has(cell, "of"))
            settle(cell, cells);
        matrix_check(cell);
    }
    json_object_del(matrix->part, "kept");
}

// What a part says of a peer.

// Whether the peer's program is one of jostle's workloads, or in PATH.
static bool is_installed(const struct matrix *matrix, const char *program)
{
    char found[PATH_MAX];
    if (snprintf(found, sizeof found, "%s/%s", matrix->workloads, program) < PATH_MAX &&
        access(found, X_OK) == 0)
        return true;
    return child_find(program, found);
}

struct peer *cell_peer(struct cell *cell, const char *name, const char *program,
                       const char *package, const char *command, ...)
{
    FORMATTED(made, command);
    struct peer *peer = matrix_handle(cell->matrix, sizeof *peer);
    peer->json = must(json_pack("{s:s, s:s, s:s, s:o, s:s, s:{}, s:n}", "name", name, "program",
                                program, "package", package, "command", made, "version",
                                "--version", "figures", "reason"));
    if (!is_installed(cell->matrix, program))
        peer_skip(peer, "%s is not installed: apt install %s", program, package);
    if (cell->matrix->choice->peers)
        json_add(json_object_get(cell->json, "peers"), json_incref(peer->json));
    json_add(json_object_get(cell->matrix->part, "kept"), peer->json);
    return peer;
}

void peer_figure(struct peer *peer, const char *name, const char *source, double scale)
{
    json_put(json_object_get(peer->json, "figures"), name,
             must(json_pack("{s:s, s:f}", "source", source, "scale", scale)));
}

void peer_version(struct peer *peer, const char *words)
{
    json_put(peer->json, "version", json_text(words));
}

void peer_skip(struct peer *peer, const char *reason, ...)
{
    FORMATTED(made, reason);
    json_put(peer->json, "reason", made);
}

// What a part says of a cell.

void cell_label(struct cell *cell, const char *name, const char *value, ...)
{
    FORMATTED(made, value);
    json_add(json_object_get(cell->json, "labels"), must(json_pack("[s, o]", name, made)));
}

static json_t *source_json(const char *name, const char *unit, enum better better,
                           const char *source)
{
    return must(json_pack("{s:s, s:s, s:s, s:s}", "name", name, "unit", unit, "better",
                          better == HIGHER ? "higher" : "lower", "source", source));
}

void cell_figure(struct cell *cell, const char *name, const char *unit, enum better better,
                 const char *source)
{
    json_put(cell->json, "figure", source_json(name, unit, better, source));
}

static void add_more(struct cell *cell, json_t *figure, bool is_shown)
{
    json_put(figure, "shown", json_boolean(is_shown));
    json_add(json_object_get(cell->json, "more"), figure);
}

void cell_more(struct cell *cell, const char *name, const char *unit, enum better better,
               const char *source)
{
    add_more(cell, source_json(name, unit, better, source), true);
}

void cell_watch(struct cell *cell, const char *name, const char *unit, enum better better,
                const char *source)
{
    add_more(cell, source_json(name, unit, better, source), false);
}

static void cell_problem(struct cell *cell, const char *flag, const char *words)
{
    json_add(json_object_get(cell->json, "problems"),
             must(json_pack("{s:s, s:o}", "flag", flag, "text", json_text(words))));
}

void cell_problem_below(struct cell *cell, const char *figure, double limit, const char *flag)
{
    json_add(json_object_get(cell->json, "rules"),
             must(json_pack("{s:s, s:f, s:s, s:n}", "figure", figure, "below", limit, "flag", flag,
                            "text")));
}

void bench_cell_command(struct cell *cell, const char *command, ...)
{
    FORMATTED(made, command);
    json_put(cell->json, "command", made);
}

void cell_peak(struct cell *cell, const char *source, const char *where)
{
    json_put(cell->json, "peak", must(json_pack("{s:s, s:s}", "metric", source, "source", where)));
}

void cell_peak_constant(struct cell *cell, double value, const char *where)
{
    json_put(cell->json, "peak", must(json_pack("{s:f, s:s}", "value", value, "source", where)));
}

void cell_no_peak(struct cell *cell, const char *reason)
{
    json_put(cell->json, "peak", must(json_pack("{s:s}", "reason", reason)));
}

void cell_mark(struct cell *cell, const char *words, ...)
{
    FORMATTED(made, words);
    json_add(json_object_get(cell->json, "marks"), made);
}

void cell_skip(struct cell *cell, const char *reason, ...)
{
    FORMATTED(made, reason);
    json_put(cell->json, "skip", made);
}

void cell_cpus(struct cell *cell, unsigned threads)
{
    struct cpu_list allowed;
    char list[CPUS_TEXT];
    if (cpus_allowed(&allowed) != 0)
        return;
    if (threads > allowed.count) {
        OWNED char *words =
            text_of("%u threads on %u CPUs: they take turns", threads, allowed.count);
        cell_problem(cell, "beyond-cpus", words);
    }
    if (threads < allowed.count)
        allowed.count = threads;
    json_put(cell->json, "cpus", json_text(cpus_format(&allowed, list, sizeof list)));
}

void cell_load(struct cell *cell, const char *name, const char *spec, ...)
{
    FORMATTED(made, spec);
    json_put(cell->json, "load", must(json_pack("{s:s, s:o}", "name", name, "spec", made)));
}

void cell_around(struct cell *cell, const char *setup, const char *conclude)
{
    json_t *around = json_object_get(cell->json, "around");
    if (setup)
        json_put(around, "setup", json_text(setup));
    if (conclude)
        json_put(around, "conclude", json_text(conclude));
}

void cell_service(struct cell *cell, bool keep, const char *ready, const char *command, ...)
{
    FORMATTED(made, command);
    json_t *around = json_object_get(cell->json, "around");
    json_put(around, "service", made);
    json_put(around, "ready", json_text(ready));
    if (keep)
        json_put(around, "keep-service", json_text("true"));
}

void cell_seconds(struct cell *cell, double run_s, double setup_s)
{
    json_put(cell->json, "run_s", json_number(run_s));
    json_put(cell->json, "setup_s", json_number(setup_s));
}

void cell_series(struct cell *cell, const char *key, double scale)
{
    json_put(cell->json, "series",
             must(json_pack("{s:s, s:f, s:I}", "key", key, "scale", scale, "samples",
                            (json_int_t)cell->matrix->choice->samples)));
    json_put(cell->json, "run_s",
             must(json_real(cell->matrix->choice->samples * cell->matrix->choice->every_s + 1)));
}

// What a part says of a chart.

static json_t *axis_json(struct axis axis)
{
    return must(
        json_pack("{s:s, s:s, s:b}", "label", axis.label, "unit", axis.unit, "log", axis.log));
}

struct chart *matrix_chart(struct matrix *matrix, const char *kind, const char *title,
                           struct axis x, struct axis y)
{
    json_t *charts = json_object_get(matrix->part, "charts");
    struct chart *found = matrix_handle(matrix, sizeof *found);
    found->json = json_named(charts, "title", title);
    if (found->json)
        return found;
    found->json = must(json_pack("{s:s, s:s, s:o, s:o, s:[]}", "kind", kind, "title", title, "x",
                                 axis_json(x), "y", axis_json(y), "series"));
    json_add(charts, found->json);
    return found;
}

// The points of a curve of the chart, which begins with the first of them.
static json_t *points_of(struct chart *chart, const char *name)
{
    json_t *all = json_object_get(chart->json, "series"), *one = json_named(all, "name", name);
    if (!one) {
        one = must(json_pack("{s:s, s:[]}", "name", name, "points"));
        json_add(all, one);
    }
    return json_object_get(one, "points");
}

static void add_point(struct chart *chart, const char *series, const struct cell *cell, json_t *x,
                      const char *figure)
{
    json_add(points_of(chart, series),
             must(json_pack("{s:O, s:o, s:s?, s:n}", "cell", json_object_get(cell->json, "cell"),
                            "x", x, "figure", figure, "peer")));
}

void chart_point(struct chart *chart, const char *series, const struct cell *cell, double x)
{
    add_point(chart, series, cell, json_number(x), NULL);
}

void chart_point_load(struct chart *chart, const char *series, const struct cell *cell)
{
    add_point(chart, series, cell, json_null(), NULL);
}

void chart_point_of(struct chart *chart, const char *series, const struct cell *cell, double x,
                    const char *figure)
{
    add_point(chart, series, cell, json_number(x), figure);
}

// `key = "value"`, quoted as git config reads it. Braces are literal: a bench has no
// placeholders of a campaign file.
static void put(FILE *file, const char *key, const char *value)
{
    fprintf(file, "    %s = \"", key);
    for (; *value != '\0'; value++) {
        if (*value == '"' || *value == '\\')
            fputc('\\', file);
        if (*value == '{' || *value == '}')
            fputc(*value, file);
        if (*value == '\n')
            fputs("\\n", file);
        else
            fputc(*value, file);
    }
    fputs("\"\n", file);
}

static void put_text(FILE *file, const char *key, char *value)
{
    put(file, key, value);
    free(value);
}

static bool is_measured(const json_t *peer)
{
    return !json_has(peer, "reason");
}

static bool has_peers(const json_t *cell)
{
    JSON_EACH (peer, json_object_get(cell, "peers"))
        if (is_measured(peer))
            return true;
    return false;
}

// A metric of a cell: how jostle's command prints it, and how each peer does. Peers that
// do not print it, have it not.
static void put_metric(FILE *file, const json_t *cell, const json_t *figure)
{
    const char *name = json_text_at(figure, "name"), *unit = json_text_at(figure, "unit");
    const bool several = has_peers(cell);
    put_text(file, "metric",
             text_of("%s%s=%s%s%s,better=%s", name, several ? "@jostle" : "",
                     json_text_at(figure, "source"), *unit ? ",unit=" : "", unit,
                     json_text_at(figure, "better")));
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        const json_t *source = json_object_get(json_object_get(peer, "figures"), name);
        if (is_measured(peer) && source)
            put_text(file, "metric",
                     text_of("%s@%s=%s,scale=%.17g%s%s,better=%s", name, json_text_at(peer, "name"),
                             json_text_at(source, "source"), json_number_at(source, "scale"),
                             *unit ? ",unit=" : "", unit, json_text_at(figure, "better")));
    }
}

static void put_metrics(FILE *file, const json_t *cell)
{
    const json_t *figure = json_object_get(cell, "figure"), *peak = json_object_get(cell, "peak");
    const char *unit = json_text_at(figure, "unit");
    put_metric(file, cell, figure);
    JSON_EACH (more, json_object_get(cell, "more"))
        put_metric(file, cell, more);
    if (json_text_at(peak, "metric"))
        put_text(file, "metric",
                 text_of("bench_peak%s=%s%s%s,better=higher", has_peers(cell) ? "@jostle" : "",
                         json_text_at(peak, "metric"), *unit ? ",unit=" : "", unit));
    put(file, "decide", json_text_at(figure, "name"));
}

static void put_variants(FILE *file, const json_t *cell)
{
    if (!has_peers(cell)) {
        put(file, "command", json_text_at(cell, "command"));
        return;
    }
    put_text(file, "variant", text_of("jostle=%s", json_text_at(cell, "command")));
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        if (is_measured(peer))
            put_text(file, "variant",
                     text_of("%s=%s", json_text_at(peer, "name"), json_text_at(peer, "command")));
    }
}

// A run that takes ten times as long as it should is ended, with --quick three times: a peer
// that hangs holds up nothing.
static void put_limits(FILE *file, const json_t *cell)
{
    const double run_s = json_number_at(cell, "run_s"), most_s = json_number_at(cell, "max_time_s");
    put_text(file, "timeout", text_of("%.0fs", ceil(most_s > 0 ? 5 + 3 * run_s : 10 + 10 * run_s)));
    if (json_has(cell, "series")) {
        put(file, "min-runs", "1");
        put(file, "max-runs", "1");
    } else if (most_s > 0) {
        put_text(file, "max-time", text_of("%.1fs", most_s));
    }
}

static void put_target(FILE *file, const json_t *cell)
{
    const json_t *load = json_object_get(cell, "load"), *value;
    json_t *around = json_object_get(cell, "around");
    const char *key;
    fprintf(file, "\n[target \"%s\"]\n", json_text_at(cell, "cell"));
    put_variants(file, cell);
    put_metrics(file, cell);
    put_limits(file, cell);
    if (json_is_string(json_object_get(cell, "cpus")))
        put(file, "target-cpus", json_text_at(cell, "cpus"));
    json_object_foreach(around, key, value) put(file, key, json_string_value(value));
    put(file, "loads", json_is_null(load) ? "none" : json_text_at(load, "name"));
}

// Each load once, however many cells have it.
static void put_load(FILE *file, const json_t *load, json_t *seen)
{
    if (json_is_null(load) || json_object_get(seen, json_text_at(load, "name")))
        return;
    fprintf(file, "\n[load \"%s\"]\n", json_text_at(load, "name"));
    put(file, "spec", json_text_at(load, "spec"));
    json_object_set_new(seen, json_text_at(load, "name"), json_true());
}

static void put_settings(FILE *file, const json_t *settings)
{
    static const char *const names[][2] = {
        {"error", "error"}, {"confidence", "confidence"}, {"max_time", "max-time"}};
    fprintf(file, "; Written by jostle bench, which also reads bench-plan.json beside it.\n"
                  "[campaign]\n");
    put(file, "name", json_is_true(json_object_get(settings, "quick")) ? "bench-quick" : "bench");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_text_at(settings, names[i][0]))
            put(file, names[i][1], json_text_at(settings, names[i][0]));
    put_text(file, "min-runs", text_of("%.0f", json_number_at(settings, "min_runs")));
    put_text(file, "max-runs", text_of("%.0f", json_number_at(settings, "max_runs")));
    put(file, "statistic", "mean"); // what a machine can do in all, from few runs
    // Its minutes are for the cells; ours and the peers of a block saw the same machine.
    if (json_is_true(json_object_get(settings, "quick")))
        put(file, "no-probe", "true");
    // A peer that fails takes nothing from ours.
    put(file, "ignore-failure", "true");
    put(file, "scratch", json_text_at(settings, "dir"));
}

// What a limit in percent of a load refers to is measured first, where it is not known.
static void put_calibrate(FILE *file, const json_t *plan)
{
    JSON_EACH (part, json_object_get(plan, "parts")) {
        JSON_EACH (cell, json_object_get(part, "cells")) {
            const json_t *load = json_object_get(cell, "load");
            if (json_is_null(load) || !strchr(json_text_at(load, "spec"), '%'))
                continue;
            put(file, "calibrate", "1s");
            return;
        }
    }
}

// The next cell, of the part of which the least has been written; NULL: all are.
static const json_t *next_cell(const json_t *parts, size_t written[])
{
    const json_t *part, *cells = NULL;
    double least = 1;
    size_t i, which = 0;
    json_array_foreach(parts, i, part)
    {
        const json_t *of = json_object_get(part, "cells");
        const double share =
            json_array_size(of) == 0 ? 1 : (double)written[i] / (double)json_array_size(of);
        if (share < least) {
            least = share;
            which = i;
            cells = of;
        }
    }
    return !cells ? NULL : json_array_get(cells, written[which]++);
}

// Parts take turns, so that a bench whose time is over has something of each.
char *conf_text(const json_t *plan)
{
    char *text = NULL;
    size_t size = 0;
    const json_t *parts = json_object_get(plan, "parts"), *cell;
    OWNED size_t *written = must(calloc(json_array_size(parts) + 1, sizeof *written));
    json_t *seen = must(json_object());
    FILE *file = must(open_memstream(&text, &size));
    put_settings(file, json_object_get(plan, "settings"));
    put_calibrate(file, plan);
    while ((cell = next_cell(parts, written)) != NULL) {
        if (json_has(cell, "skip") || json_has(cell, "of"))
            continue;
        put_target(file, cell);
        put_load(file, json_object_get(cell, "load"), seen);
    }
    json_decref(seen);
    if (fclose(file) != 0)
        must(NULL);
    return text;
}
