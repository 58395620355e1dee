#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "common/child.h"
#include "common/machine.h"
#include "common/memory.h"
#include "common/record_json.h"
#include "handles.h"

/* What a part says of a peer. */

/* Whether the peer's program is one of jostle's workloads, or in PATH. */
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

/* What a part says of a cell. */

void cell_label(struct cell *cell, const char *name, const char *value, ...)
{
    FORMATTED(made, value);
    json_add(json_object_get(cell->json, "labels"), must(json_pack("[s, o]", name, made)));
}

static json_t *figure_json(const char *name, const char *unit, enum better better,
                           const char *source)
{
    return must(json_pack("{s:s, s:s, s:s, s:s}", "name", name, "unit", unit, "better",
                          better == HIGHER ? "higher" : "lower", "source", source));
}

void cell_figure(struct cell *cell, const char *name, const char *unit, enum better better,
                 const char *source)
{
    json_put(cell->json, "figure", figure_json(name, unit, better, source));
}

static void add_more(struct cell *cell, json_t *figure, bool is_shown)
{
    json_put(figure, "shown", json_boolean(is_shown));
    json_add(json_object_get(cell->json, "more"), figure);
}

void cell_more(struct cell *cell, const char *name, const char *unit, enum better better,
               const char *source)
{
    add_more(cell, figure_json(name, unit, better, source), true);
}

void cell_watch(struct cell *cell, const char *name, const char *unit, enum better better,
                const char *source)
{
    add_more(cell, figure_json(name, unit, better, source), false);
}

void cell_problem(struct cell *cell, const char *flag, const char *words)
{
    json_add(json_object_get(cell->json, "problems"),
             must(json_pack("{s:s, s:o}", "flag", flag, "text", json_text(words))));
}

static void add_rule(struct cell *cell, const char *figure, const char *side, double limit,
                     const char *flag, const char *words)
{
    json_add(json_object_get(cell->json, "rules"),
             must(json_pack("{s:s, s:f, s:s, s:o}", "figure", figure, side, limit, "flag", flag,
                            "text", json_text(words))));
}

void cell_problem_below(struct cell *cell, const char *figure, double limit, const char *flag,
                        const char *words)
{
    add_rule(cell, figure, "below", limit, flag, words);
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
        char *words = text_of("%u threads on %u CPUs: they take turns", threads, allowed.count);
        cell_problem(cell, "beyond-cpus", words);
        free(words);
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

void cell_around(struct cell *cell, const char *setup, const char *prepare, const char *conclude,
                 const char *cleanup)
{
    const char *const names[] = {"setup", "prepare", "conclude", "cleanup"};
    const char *const commands[] = {setup, prepare, conclude, cleanup};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (commands[i] != NULL)
            json_put(json_object_get(cell->json, "around"), names[i], json_text(commands[i]));
}

void cell_service(struct cell *cell, bool keep, const char *ready, const char *command, ...)
{
    FORMATTED(made, command);
    json_t *around = json_object_get(cell->json, "around");
    json_put(around, "service", made);
    if (ready != NULL)
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
