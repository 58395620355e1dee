// The plan of a bench as a campaign file.

#include "bench.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"

#include <math.h>
#include <string.h>

// `key = "value"` as printf makes it. Braces are literal: a bench has no placeholders of a campaign
// file.
__attribute__((format(printf, 3, 4))) static void put(FILE *file, const char *key,
                                                      const char *format, ...)
{
    va_list arguments;
    char *value = NULL;
    va_start(arguments, format);
    if (vasprintf(&value, format, arguments) < 0)
        must(NULL);
    va_end(arguments);
    fprintf(file, "    %s = ", key);
    config_put(file, value, "{}");
    fputc('\n', file);
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
    put(file, "metric", "%s%s=%s%s%s,better=%s", name, several ? "@jostle" : "",
        json_text_at(figure, "source"), *unit ? ",unit=" : "", unit,
        json_text_at(figure, "better"));
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        const json_t *source = json_object_get(json_object_get(peer, "figures"), name);
        if (is_measured(peer) && source)
            put(file, "metric", "%s@%s=%s,scale=%.17g%s%s,better=%s", name,
                json_text_at(peer, "name"), json_text_at(source, "source"),
                json_number_at(source, "scale"), *unit ? ",unit=" : "", unit,
                json_text_at(figure, "better"));
    }
}

static void put_metrics(FILE *file, const json_t *cell)
{
    const json_t *figure = json_object_get(cell, "figure"), *peak = json_object_get(cell, "peak");
    const char *unit = json_text_at(figure, "unit");
    put_metric(file, cell, figure);
    JSON_EACH (more, json_object_get(cell, "more"))
        if (json_has(more, "source"))
            put_metric(file, cell, more);
    if (json_text_at(peak, "metric"))
        put(file, "metric", "bench_peak%s=%s%s%s,better=higher", has_peers(cell) ? "@jostle" : "",
            json_text_at(peak, "metric"), *unit ? ",unit=" : "", unit);
    put(file, "decide", "%s", json_text_at(figure, "name"));
}

static void put_variants(FILE *file, const json_t *cell)
{
    if (!has_peers(cell)) {
        put(file, "command", "%s", json_text_at(cell, "command"));
        return;
    }
    put(file, "variant", "jostle=%s", json_text_at(cell, "command"));
    JSON_EACH (peer, json_object_get(cell, "peers")) {
        if (is_measured(peer))
            put(file, "variant", "%s=%s", json_text_at(peer, "name"),
                json_text_at(peer, "command"));
    }
}

// A run that takes ten times as long as it should is ended, with --quick three times: a peer
// that hangs holds up nothing.
static void put_limits(FILE *file, const json_t *cell)
{
    const double run_s = json_number_at(cell, "run_s"), most_s = json_number_at(cell, "max_time_s");
    put(file, "timeout", "%.0fs", ceil(most_s > 0 ? 5 + 3 * run_s : 10 + 10 * run_s));
    if (json_has(cell, "series")) {
        put(file, "min-runs", "1");
        put(file, "max-runs", "1");
    } else if (most_s > 0) {
        put(file, "max-time", "%.1fs", most_s);
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
        put(file, "target-cpus", "%s", json_text_at(cell, "cpus"));
    json_object_foreach(around, key, value) put(file, key, "%s", json_string_value(value));
    put(file, "loads", "%s", json_is_null(load) ? "none" : json_text_at(load, "name"));
}

// Each load once, however many cells have it.
static void put_load(FILE *file, const json_t *load, json_t *seen)
{
    if (json_is_null(load) || json_object_get(seen, json_text_at(load, "name")))
        return;
    fprintf(file, "\n[load \"%s\"]\n", json_text_at(load, "name"));
    put(file, "spec", "%s", json_text_at(load, "spec"));
    json_object_set_new(seen, json_text_at(load, "name"), json_true());
}

static void put_settings(FILE *file, const json_t *settings)
{
    static const char *const names[][2] = {
        {"error", "error"}, {"confidence", "confidence"}, {"max_time", "max-time"}};
    fprintf(file, "; Written by jostle bench, which also reads bench-plan.json beside it.\n"
                  "[campaign]\n");
    put(file, "name", "%s",
        json_is_true(json_object_get(settings, "quick")) ? "bench-quick" : "bench");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (json_text_at(settings, names[i][0]))
            put(file, names[i][1], "%s", json_text_at(settings, names[i][0]));
    put(file, "min-runs", "%.0f", json_number_at(settings, "min_runs"));
    put(file, "max-runs", "%.0f", json_number_at(settings, "max_runs"));
    put(file, "statistic", "mean"); // what a machine can do in all, from few runs
    // Its minutes are for the cells; ours and the peers of a block saw the same machine.
    if (json_is_true(json_object_get(settings, "quick")))
        put(file, "no-probe", "true");
    // A peer that fails takes nothing from ours.
    put(file, "ignore-failure", "true");
    put(file, "scratch", "%s", json_text_at(settings, "dir"));
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
