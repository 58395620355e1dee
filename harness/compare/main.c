// compare: two experiments side by side, as a jostle.comparison/1.
#include "differences.h"

#include "harness/stats/compare.h"
#include "harness/stats/experiment.h"
#include "harness/stats/json.h"
#include "harness/stats/output.h"

#include "common/messages.h"
#include "common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct request {
    bool anyway;
    const char *condition, *metric, *json, *table;
    double confidence; // 0: as in A
};

#define REQUEST(member) .offset = offsetof(struct request, member)

static const struct option_row rows[] = {
    {.name = "anyway",
     .type = OPTION_FLAG,
     REQUEST(anyway),
     .help = "compare although command or load differ"},
    {.name = "condition",
     .argument = "NAME",
     .type = OPTION_TEXT,
     REQUEST(condition),
     .help = "this condition only (default: all that both have)"},
    {.name = "metric",
     .argument = "LIST",
     .type = OPTION_TEXT,
     REQUEST(metric),
     .check = settings_check_metrics,
     .help = "wall_s, user_s, system_s, max_rss_bytes or all (default: as A was measured)"},
    {.name = "confidence",
     .argument = "C",
     .type = OPTION_FRACTION,
     REQUEST(confidence),
     .maximum = 1,
     .exclusive = true,
     .help = "confidence of every interval (default: as in A)"},
    {.name = "json",
     .argument = "FILE",
     .type = OPTION_TEXT,
     REQUEST(json),
     .help = "write a jostle.comparison/1 to FILE too, - for stdout instead of the table"},
    {.name = "table",
     .argument = "FILE",
     .type = OPTION_TEXT,
     REQUEST(table),
     .hidden = true,
     .help = "write it to FILE, for the table, unless --json - is given"},
    {0},
};

static const char intro[] =
    "A and B are folders with records of `jostle run` or `jostle slowdown`. Shows,\n"
    "for each condition that both have, the ratio of B to A with its confidence\n"
    "interval and the noise floor of each, and what differs in the environment.\n"
    "Refuses to compare where the command or a load differs.\n";

static const char details[] =
    "Exit status:\n"
    "  0  compared    1  failure, or command or load differ    2  wrong use\n";

__attribute__((noreturn)) static void fail(const char *text)
{
    complain("%s", text);
    exit(1);
}

// Reads FOLDER's experiment; ends the program where there is none.
static void read_folder(struct experiment *experiment, const char *folder)
{
    struct stat status;
    char *records = NULL, *described = NULL;
    if (stat(folder, &status) != 0 || !S_ISDIR(status.st_mode))
        usage_error("%s is no folder: give one that jostle run or slowdown has made", folder);
    if (asprintf(&records, "%s/runs.jsonl", folder) < 0 ||
        asprintf(&described, "%s/experiment.json", folder) < 0)
        fail("no memory: free some");
    if (access(records, R_OK) != 0 || access(described, R_OK) != 0)
        usage_error("%s holds no experiment (experiment.json, runs.jsonl): give a folder that "
                    "jostle run or slowdown has made",
                    folder);
    free(records);
    free(described);
    if (!experiment_read(experiment, folder))
        exit(1);
}

// The conditions to compare: those of both, or the one that is named.
static json_t *choose(const struct request *request, const json_t *a, const json_t *b)
{
    json_t *common = differences_common(a, b);
    const size_t count = json_array_size(common);
    const char **names = calloc(count + 1, sizeof *names);
    bool found = !request->condition;
    for (size_t i = 0; names && i < count; i++) {
        names[i] = json_string_value(json_array_get(common, i));
        found = found || strcmp(names[i], request->condition) == 0;
    }
    if (!names || count == 0)
        fail("the two have no condition in common: measure the same loads, by the same names");
    if (!found) {
        const char *near = nearest_name(request->condition, names);
        usage_error("--condition %s: not in both%s%s%s: give one that both have",
                    request->condition, near ? " (did you mean " : "", near ? near : "",
                    near ? "?)" : "");
    }
    free(names);
    if (!request->condition)
        return common;
    json_decref(common);
    return json_pack("[s]", request->condition);
}

static struct settings settings_for(const struct request *request, const struct experiment *a)
{
    struct settings settings = {.error = a->settings.error,
                                .confidence = request->confidence > 0 ? request->confidence
                                                                      : a->settings.confidence,
                                .min_runs = DEFAULT_MIN_RUNS,
                                .max_runs = DEFAULT_MAX_RUNS};
    memcpy(settings.metric, a->settings.metric, sizeof settings.metric);
    if (request->metric) {
        memset(settings.metric, 0, sizeof settings.metric);
        settings_add_metrics(&settings, request->metric);
    }
    return settings;
}

static bool compare_all(const struct settings *settings, const json_t *conditions,
                        char *const *folders, json_t *comparisons)
{
    char *a = NULL, *b = NULL;
    bool good = asprintf(&a, "%s/runs.jsonl", folders[0]) >= 0 &&
                asprintf(&b, "%s/runs.jsonl", folders[1]) >= 0;
    for (size_t i = 0; good && i < json_array_size(conditions); i++) {
        json_t *list =
            compare_files(settings, json_string_value(json_array_get(conditions, i)), a, b);
        good = list && json_array_extend(comparisons, list) == 0;
        json_decref(list);
    }
    free(a);
    free(b);
    return good;
}

static bool write_all(const struct request *request, const json_t *comparison)
{
    const bool to_stdout = request->json && strcmp(request->json, "-") == 0;
    if (to_stdout || (!request->json && !request->table))
        return output_json(comparison, "-", stdout);
    return (!request->json || output_json(comparison, request->json, stdout)) &&
           (!request->table || output_json(comparison, request->table, stdout));
}

static bool run(const struct request *request, char *const *folders)
{
    struct experiment a, b;
    read_folder(&a, folders[0]);
    read_folder(&b, folders[1]);
    json_t *differences = differences_of(a.json, b.json), *comparisons = json_array();
    char *grave = differences_grave(differences);
    bool good =
        !grave || request->anyway ||
        complain("what was measured differs (%s): to compare it all the same, add --anyway", grave);
    if (good) {
        const struct settings settings = settings_for(request, &a);
        json_t *conditions = choose(request, a.json, b.json);
        good = compare_all(&settings, conditions, folders, comparisons);
        json_t *comparison =
            json_pack("{s:s, s:s, s:s, s:o, s:O, s:O}", "schema", "jostle.comparison/1", "a",
                      folders[0], "b", folders[1], "confidence", json_figure(settings.confidence),
                      "differences", differences, "comparisons", comparisons);
        good = good && comparison && write_all(request, comparison);
        json_decref(comparison);
        json_decref(conditions);
    }
    free(grave);
    json_decref(comparisons);
    json_decref(differences);
    experiment_free(&a);
    experiment_free(&b);
    return good;
}

int main(int argc, char **argv)
{
    struct request request = {0};
    const struct option_group groups[] = {{.rows = rows, .values = &request}};
    const struct program program = {.name = "jostle compare",
                                    .usage = "A B",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 1};
    int rest;
    options_free(options_parse(&program, argc, argv, &rest));
    if (argc - rest != 2)
        usage_error("compare takes two folders, %d given: jostle compare A B", argc - rest);
    return run(&request, argv + rest) ? 0 : 1;
}
