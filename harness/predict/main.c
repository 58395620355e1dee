// predict: how much programs slow down beside each other, from their profiles; and what is
// learned from pairs that were measured. It reads and writes files; processes are the shell's.
#include "campaign.h"
#include "evaluate.h"
#include "learn.h"
#include "record.h"
#include "request.h"

#include "common/messages.h"
#include "harness/stats/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the shell is to do with the record that follows: strings ended by NUL.
static bool print_plan(const struct request *request, const char *format)
{
    return printf("%s%c%s%c%s%c%s%c", format, 0, request->output ? request->output : "", 0,
                  request->quiet ? "quiet" : "", 0,
                  request->records ? request->records : "jostle-results/pairs", 0) > 0;
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

static int campaign(const struct request *request)
{
    struct program_list list;
    const struct campaign_settings settings = {.with_itself = request->with_itself,
                                               .min_runs = request->min_runs,
                                               .max_runs = request->max_runs,
                                               .max_time_s = (double)request->max_time_ns / 1e9};
    programs_read(&list, request->operand, request->place, false);
    if (list.count == 1 && !request->with_itself)
        usage_error("%s: one program alone: give another profile, or --with-itself",
                    list.entry[0].path);
    const bool good = campaign_write(&list, &settings, request->campaign);
    programs_free(&list);
    return good ? 0 : 1;
}

static bool write_record(const struct request *request, const json_t *record)
{
    if (request->json && !output_json(record, request->json, stdout))
        return false;
    if (!request->plan || (request->json && strcmp(request->json, "-") == 0))
        return request->json || output_json(record, "-", stdout);
    return print_plan(request, request->format) && output_json(record, "-", stdout) &&
           putchar('\0') != EOF;
}

static int predict(const struct request *request)
{
    struct program_list list;
    struct models models;
    struct pair_list measured = {0};
    struct table table;
    bool good = true;
    for (size_t i = 0; good && i < request->measured.count; i++)
        good = pair_list_read(&measured, request->measured.item[i]);
    if (!good)
        return 1;
    programs_read(&list, request->operand, request->place, request->together);
    const char *host = list.count > 0 ? list.entry[0].profile.host : "";
    models_begin(&models, request->model, host,
                 list.count > 0 ? list.entry[0].profile.machine : "");
    const struct table_settings settings = {.with_itself = request->with_itself,
                                            .together = request->together,
                                            .force = request->force,
                                            .at_most = request->at_most,
                                            .model = models_find,
                                            .models = &models,
                                            .measured = &measured};
    table_make(&table, &list, &settings);
    json_t *record = record_make(&table, &models);
    good = write_record(request, record);
    json_decref(record);
    const int status = good ? table_status(&table) : 1;
    table_free(&table);
    pair_list_free(&measured);
    programs_free(&list);
    return status;
}

static int evaluate(const struct request *request)
{
    const char *json = request->json ? request->json : "-";
    if (request->plan && strcmp(json, "-") != 0)
        json = NULL;
    if (request->plan && !request->json && !print_plan(request, "evaluation"))
        return 1;
    const int status = evaluate_run(request->evaluate, request->open_holdout, json);
    return request->plan && !request->json && putchar('\0') == EOF ? 1 : status;
}

int main(int argc, char **argv)
{
    struct request request;
    int status;
    request_read(&request, argc, argv);
    if (request.pairs.count > 0)
        status = pairs(&request);
    else if (request.evaluate)
        status = evaluate(&request);
    else if (request.learn)
        status = learn_run(request.learn, request.output);
    else if (request.campaign)
        status = campaign(&request);
    else
        status = predict(&request);
    request_free(&request);
    return status;
}
