/* bench: what `jostle bench` measures, and what came of it. It reads and writes files;
 * processes are the shell's.
 *
 *     --expand DIR   the matrix of the command line as a campaign file and a plan
 *     --derive DIR   bench.json from the records; prints how many rows failed
 *     --programs DIR which peers are to be asked for their version, as texts ended by NUL
 *     --address NAME the address of a host, in numbers
 *     --forecast DIR how long the plan, or what --only leaves of it, takes, for the shell's jq
 *     --show DIR     the record on stdout, with texts for the formats
 *     --page DIR     and with its charts as drawings
 *
 * Without any of these it prints what the shell is to do. */
#include "collect.h"
#include "drawings.h"
#include "expand.h"
#include "forecast.h"
#include "json.h"
#include "link.h"
#include "options.h"
#include "texts.h"
#include "versions.h"

#include "common/messages.h"
#include "common/pair.h"
#include "common/streams.h"
#include "harness/report/memory.h"
#include "harness/stats/output.h"

#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What the shell is to do, as pairs of key and value, each ended by NUL. */
static void print_request(const struct request *request, bool follows)
{
    pair_put("folder", request->output != NULL ? request->output
                       : request->quick        ? "jostle-results/bench-quick"
                                               : "jostle-results/bench");
    pair_put_flag("follows", follows);
    pair_put_flag("quick", request->quick);
    pair_put("only", request->only);
    pair_put("format", request->format != NULL ? request->format : "terminal");
    for (size_t i = 0; parts[i].name != NULL; i++)
        pair_put_flag(parts[i].name, request->part[i]);
    pair_put("peer", request->peer);
    pair_put("rsh", request->rsh);
    pair_put("peer_address", request->peer_address);
    for (size_t i = 0; i < request->set.count; i++)
        pair_put("set", request->set.item[i]);
    pair_put_flag("retry_failed", request->retry_failed);
    pair_put_flag("dry_run", request->dry_run);
    pair_put_flag("verbose", request->verbose);
    pair_put_flag("quiet", request->quiet);
}

/* The folder has a plan, and the command line says nothing of what to measure. */
static bool follows_plan(const struct request *request)
{
    if (request->is_asked || request->output == NULL)
        return false;
    char *path = text_of("%s/bench-plan.json", request->output);
    const bool found = access(path, R_OK) == 0;
    free(path);
    return found;
}

static void check_only(const json_t *plan, const char *pattern)
{
    const json_t *part, *cell;
    size_t i, k;
    json_array_foreach(json_object_get(plan, "parts"), i, part)
    {
        json_array_foreach(json_object_get(part, "cells"), k, cell)
        {
            if (fnmatch(pattern, json_text_at(cell, "cell"), 0) == 0)
                return;
        }
    }
    usage_error("--only %s: no cell matches: jostle bench --dry-run lists them", pattern);
}

static int expand(const struct request *request)
{
    json_t *plan = expand_plan(request);
    if (request->only != NULL)
        check_only(plan, request->only);
    const bool good = expand_write(plan, request->expand);
    json_decref(plan);
    return good ? 0 : 1;
}

static int programs(const char *dir)
{
    json_t *plan = collect_load(dir, "bench-plan.json");
    if (plan == NULL)
        return 1;
    versions_print(plan);
    json_decref(plan);
    return 0;
}

static size_t failed_rows(const json_t *bench)
{
    const json_t *part, *row;
    size_t i, k, failed = 0;
    json_array_foreach(json_object_get(bench, "parts"), i, part)
    {
        json_array_foreach(json_object_get(part, "rows"), k, row)
        {
            failed += strcmp(json_text_at(row, "state"), "failed") == 0;
        }
    }
    return failed;
}

static int derive(const char *dir)
{
    json_t *bench = collect(dir);
    char *path = text_of("%s/bench.json", dir);
    const bool good =
        bench != NULL && output_document(bench, path) && printf("%zu\n", failed_rows(bench)) > 0;
    free(path);
    json_decref(bench);
    return good ? 0 : 1;
}

/* Leaves of the lists of all parts ("rows", "cells") only what is of a cell that matches the
 * pattern; NULL: all. */
static void choose(json_t *record, const char *list, const char *pattern)
{
    json_t *part;
    size_t index;
    json_array_foreach(json_object_get(record, "parts"), index, part)
    {
        json_t *items = json_object_get(part, list);
        for (size_t i = json_array_size(items); i-- > 0 && pattern != NULL;) {
            const char *cell = json_text_at(json_array_get(items, i), "cell");
            if (cell == NULL || fnmatch(pattern, cell, 0) != 0)
                json_array_remove(items, i);
        }
    }
}

static int forecast(const char *dir, const char *only)
{
    json_t *plan = collect_load(dir, "bench-plan.json");
    if (plan == NULL)
        return 1;
    choose(plan, "cells", only);
    forecast_sum(plan);
    const bool good = output_json(plan, "-", stdout);
    json_decref(plan);
    return good ? 0 : 1;
}

static int show(const char *dir, const char *only, bool drawn)
{
    json_t *bench = collect(dir);
    if (bench == NULL)
        return 1;
    choose(bench, "rows", only);
    texts_add(bench);
    if (drawn)
        drawings_add(bench);
    const bool good = output_json(bench, "-", stdout);
    json_decref(bench);
    return good ? 0 : 1;
}

int main(int argc, char **argv)
{
    streams_open();
    struct request request;
    request_read(&request, argc, argv);
    int status = 0;
    if (request.expand != NULL)
        status = expand(&request);
    else if (request.programs != NULL)
        status = programs(request.programs);
    else if (request.address != NULL)
        status = link_print_address(request.address) ? 0 : 1;
    else if (request.derive != NULL)
        status = derive(request.derive);
    else if (request.forecast != NULL)
        status = forecast(request.forecast, request.only);
    else if (request.show != NULL)
        status = show(request.show, request.only, false);
    else if (request.page != NULL)
        status = show(request.page, request.only, true);
    else
        print_request(&request, follows_plan(&request));
    request_free(&request);
    return status;
}
