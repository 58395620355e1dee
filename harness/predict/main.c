// predict: how much programs slow down beside each other, from their profiles; it reads and writes
// files; processes are the shell's.
#include "check.h"
#include "record.h"
#include "request.h"

#include "common/messages.h"
#include "common/streams.h"
#include "harness/stats/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *records_of(const struct request *request)
{
    return request->records ? request->records : "jostle-results/pairs";
}

// What the shell is to do with the record that follows: strings ended by NUL.
static bool print_plan(const struct request *request, const char *format)
{
    return printf("%s%c%s%c%s%c", format, 0, request->output ? request->output : "", 0,
                  request->quiet ? "quiet" : "", 0) > 0;
}

static int pairs(const struct request *request)
{
    struct pair_list list = {0};
    const char *output = request->output ? request->output : "-";
    size_t left, all_left = 0;
    bool good = true;
    for (size_t i = 0; good && i < request->pairs.count; i++, all_left += left)
        good = pair_list_collect(&list, request->pairs.item[i], &left);
    for (char **folder = request->operand; good && *folder; folder++, all_left += left)
        good = pair_list_collect(&list, *folder, &left);
    good = good && pair_list_write(&list, output);
    if (good && all_left > 0)
        complain("%zu cells have no result: measure them, and give the same command again",
                 all_left);
    pair_list_free(&list);
    return good ? 0 : 1;
}

static int steps(const struct request *request)
{
    struct program_list list;
    const struct check_settings settings = {.with_itself = request->with_itself,
                                            .min_runs = request->min_runs,
                                            .max_runs = request->max_runs,
                                            .max_time_ns = request->max_time_ns,
                                            .records = records_of(request)};
    programs_read(&list, request->operand, request->place, false);
    const bool good = !request->check || (printf("%s%c%s%c", records_of(request), 0,
                                                 request->quiet ? "quiet" : "", 0) > 0 &&
                                          check_print(&list, &settings));
    programs_free(&list);
    return good ? 0 : 1;
}

// To --json, and to the shell that lays it out in a format.
static bool write_record(const struct request *request, const json_t *record, const char *format)
{
    if (request->json && !output_json(record, request->json, stdout))
        return false;
    if (request->json && strcmp(request->json, "-") == 0)
        return true;
    if (!request->plan)
        return request->json || output_json(record, "-", stdout);
    return print_plan(request, format) && output_json(record, "-", stdout) && putchar('\0') != EOF;
}

static int predict(const struct request *request)
{
    struct program_list list;
    struct pair_list measured = {0};
    struct table table;
    bool good = true;
    for (size_t i = 0; good && i < request->measured.count; i++)
        good = pair_list_read(&measured, request->measured.item[i]);
    if (!good)
        return 1;
    programs_read(&list, request->operand, request->place, request->together);
    const struct table_settings settings = {.with_itself = request->with_itself,
                                            .together = request->together,
                                            .force = request->force,
                                            .at_most = request->at_most,
                                            .measured = &measured};
    table_make(&table, &list, &settings);
    json_t *record = record_make(&table);
    good = write_record(request, record, request->format);
    json_decref(record);
    const int status = good ? table_status(&table) : 1;
    table_free(&table);
    pair_list_free(&measured);
    programs_free(&list);
    return status;
}

int main(int argc, char **argv)
{
    streams_open();
    struct request request;
    int status;
    request_read(&request, argc, argv);
    if (request.pairs.count > 0)
        status = pairs(&request);
    else if (request.steps)
        status = steps(&request);
    else
        status = predict(&request);
    request_free(&request);
    return status;
}
