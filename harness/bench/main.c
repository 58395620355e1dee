// bench: what `jostle bench` measures, and what came of it. It reads and writes files;
// processes are the shell's.
//
//     --expand DIR   the matrix of the command line as a campaign file and a plan, by what git
//     config
//                    prints of matrix/*.conf (stdin)
//     --derive DIR   bench.json from the records; prints how many rows failed
//     --programs DIR which peers are to be asked for their version, as texts ended by NUL
//     --address NAME the address of a host, in numbers
//     --forecast DIR how long the plan, or what --only leaves of it, takes, for the shell's jq
//     --show DIR     the record on stdout, with texts for the formats
//
// Without any of these it prints what the shell is to do.

#include "bench.h"

#include "common/machine_json.h"
#include "common/memory.h"
#include "common/messages.h"
#include "common/schemas.h"
#include "harness/stats/json.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

// From the matrix to what is measured: a campaign file and the plan of the bench.

static json_t *settings_json(const struct bench_request *request)
{
    const bool quick = request->quick, series = request->samples > 0;
    const char *error = request->error ? request->error : quick ? "0.1" : NULL;
    const uint64_t min = request->min_runs > 0 ? request->min_runs : quick ? 3 : 5;
    const uint64_t max = request->max_runs > 0 ? request->max_runs : quick ? 5 : 15;
    json_t *parts = must(json_array()), *threads = must(json_array());
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        if (request->part[i])
            json_add(parts, json_text(bench_parts[i].name));
    for (size_t i = 0; i < request->thread_count; i++)
        json_add(threads, json_integer((json_int_t)request->threads[i]));
    return must(json_pack(
        "{s:o, s:b, s:o, s:b, s:o, s:o, s:s?, s:s, s:s, s:s?, s:s?, s:s?, s:I, s:I, s:f}", "parts",
        parts, "quick", quick, "threads", threads, "peers", request->peers, "samples",
        series ? json_integer((json_int_t)request->samples) : json_null(), "every_s",
        series ? json_real((double)request->every_ns / 1e9) : json_null(), "peer", request->host,
        "dir", request->folder, "duration", request->duration, "error", error, "confidence",
        request->confidence, "max_time", request->max_time, "min_runs",
        (json_int_t)(min > max ? max : min), "max_runs", (json_int_t)(max), "series_s", 0.0));
}

// Leaves of the lists of all parts ("rows", "cells") only what is of a cell that matches the
// pattern; NULL: all.
static void choose(json_t *record, const char *list, const char *pattern)
{
    JSON_EACH (part, json_object_get(record, "parts")) {
        json_t *items = json_object_get(part, list);
        for (size_t i = json_array_size(items); i-- > 0 && pattern;) {
            const char *cell = json_text_at(json_array_get(items, i), "cell");
            if (!cell || fnmatch(pattern, cell, 0) != 0)
                json_array_remove(items, i);
        }
    }
}

static bool write_file(const char *dir, const char *name, char *text)
{
    OWNED char *path = text_of("%s/%s", dir, name);
    const bool good = save_text(path, text, SAVE_RECORD) || save_complain(path);
    free(text);
    return good;
}

// What the shell is to do, as pairs of key and value, each ended by NUL.
static void print_request(const struct bench_request *request, bool follows)
{
    pair_put("folder", request->output  ? request->output
                       : request->quick ? "jostle-results/bench-quick"
                                        : "jostle-results/bench");
    pair_put_flag("follows", follows);
    pair_put_flag("quick", request->quick);
    pair_put("only", request->only);
    pair_put("format", request->format ? request->format : "terminal");
    for (size_t i = 0; bench_parts[i].name != NULL; i++)
        pair_put_flag(bench_parts[i].name, request->part[i]);
    pair_put("peer", request->host);
    pair_put("rsh", request->rsh);
    pair_put("peer_address", request->peer_address);
    for (size_t i = 0; i < request->set.count; i++)
        pair_put("set", request->set.item[i]);
    pair_put_flag("retry_failed", request->retry_failed);
    pair_put_flag("dry_run", request->dry_run);
    pair_put_flag("verbose", request->verbose);
    pair_put_flag("quiet", request->quiet);
}

// The folder has a plan, and the command line says nothing of what to measure.
static bool follows_plan(const struct bench_request *request)
{
    if (request->is_asked || !request->output)
        return false;
    OWNED char *path = text_of("%s/bench-plan.json", request->output);
    return access(path, R_OK) == 0;
}

static void check_only(const json_t *plan, const char *pattern)
{
    JSON_EACH (part, json_object_get(plan, "parts")) {
        JSON_EACH (cell, json_object_get(part, "cells")) {
            if (fnmatch(pattern, json_text_at(cell, "cell"), 0) == 0)
                return;
        }
    }
    usage_error("--only %s: no cell matches: jostle bench --dry-run lists them", pattern);
}

// Writes DIR/bench-plan.json (jostle.bench-plan/1) of what is asked for, and DIR/bench.conf, the
// campaign file of the same cells.
static int expand(const struct bench_request *request)
{
    const char *dir = request->expand;
    json_auto_t *plan = must(json_pack(
        "{s:s, s:o, s:s, s:o, s:o, s:o}", "schema", SCHEMA_BENCH_PLAN, "made",
        json_date(time(NULL)), "jostle", JOSTLE_VERSION, "machine", must(environment_now()),
        "settings", settings_json(request), "parts", matrix_parts(request, stdin)));
    choose(plan, "cells", request->rows);
    forecast_set(plan);
    if (request->only)
        check_only(plan, request->only);
    if (!save_make_folder(dir, NULL))
        return save_complain_folder(dir), 1;
    return write_file(dir, "bench-plan.json", must(json_dumps(plan, RECORD_FORMAT))) &&
                   write_file(dir, "bench.conf", conf_text(plan))
               ? 0
               : 1;
}

static int programs(const char *dir)
{
    json_auto_t *plan = collect_load(dir, "bench-plan.json");
    versions_print(plan);
    return plan ? 0 : 1;
}

static int derive(const char *dir)
{
    json_auto_t *bench = bench_collect(dir);
    OWNED char *path = text_of("%s/bench.json", dir);
    size_t failed = 0;
    JSON_EACH (part, json_object_get(bench, "parts"))
        JSON_EACH (row, json_object_get(part, "rows"))
            failed += json_text_is(row, "state", "failed");
    return bench && output_document(bench, path) && printf("%zu\n", failed) > 0 ? 0 : 1;
}

static int forecast(const char *dir, const char *only)
{
    json_auto_t *plan = collect_load(dir, "bench-plan.json");
    if (!plan)
        return 1;
    choose(plan, "cells", only);
    forecast_sum(plan);
    return output_json(plan, "-", stdout) ? 0 : 1;
}

static int show(const char *dir, const char *only)
{
    json_auto_t *bench = bench_collect(dir);
    if (!bench)
        return 1;
    choose(bench, "rows", only);
    bench_texts_add(bench);
    return output_json(bench, "-", stdout) ? 0 : 1;
}

int main(int argc, char **argv)
{
    streams_open();
    struct bench_request request;
    bench_request_read(&request, argc, argv);
    int status = 0;
    if (request.expand)
        status = expand(&request);
    else if (request.programs)
        status = programs(request.programs);
    else if (request.address)
        status = link_print_address(request.address) ? 0 : 1;
    else if (request.derive)
        status = derive(request.derive);
    else if (request.forecast)
        status = forecast(request.forecast, request.only);
    else if (request.show)
        status = show(request.show, request.only);
    else
        print_request(&request, follows_plan(&request));
    bench_request_free(&request);
    return status;
}
