// compare: two experiments side by side, as a jostle.comparison/1.
#include "differences.h"
#include "rows.h"
#include "side.h"

#include "harness/stats/json.h"
#include "harness/stats/output.h"

#include "common/messages.h"
#include "common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
     .argument = "NAME[:NAME]",
     .type = OPTION_TEXT,
     REQUEST(condition),
     .help = "this condition only (default: all that both have); X:Y: condition X of A and Y of "
             "B, such as a baseline and a load that were measured apart"},
    {.name = "metric",
     .argument = "LIST",
     .type = OPTION_TEXT,
     REQUEST(metric),
     .check = settings_check_metric,
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
    "for each condition that both have, the figure of each as its own table has it\n"
    "(each is judged by its own settings), the ratio of B to A with its confidence\n"
    "interval, and the noise floor of each. Names what differs: settings, program,\n"
    "environment variables, machine; and what older records do not have. Refuses to\n"
    "compare where the command or a load differs.\n";

static const char details[] =
    "Examples:\n"
    "  jostle compare results/monday results/tuesday\n"
    "  jostle compare --condition baseline --json - old new\n"
    "  jostle compare --condition baseline:writes alone loaded\n"
    "\n"
    "Exit status:\n"
    "  0  compared    1  failure, or command or load differ    2  wrong use\n";

__attribute__((noreturn)) static void fail(const char *text)
{
    complain("%s", text);
    exit(1);
}

static void check_pair(const struct comparison *comparison, const char *pair)
{
    const struct side *const sides[] = {comparison->a, comparison->b};
    for (size_t i = 0; i < 2; i++)
        if (!side_has(sides[i], pair))
            usage_error("--condition %s: %s has no such condition: give one of A, a colon, and one "
                        "of B",
                        pair, i == 0 ? "A" : "B");
}

// Ends the program unless the condition is one of them.
static void check_common(const json_t *common, const char *condition)
{
    const size_t count = json_array_size(common);
    const char **names = calloc(count + 1, sizeof *names);
    bool found = false;
    for (size_t i = 0; names && i < count; i++) {
        names[i] = json_string_value(json_array_get(common, i));
        found = found || strcmp(names[i], condition) == 0;
    }
    const char *near = names ? nearest_name(condition, names) : NULL;
    free(names);
    if (!found)
        usage_error("--condition %s: not in both%s%s%s: give one that both have", condition,
                    near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

// The conditions to compare: those of both, the one that is named, or a pair.
static json_t *choose(const struct request *request, const struct comparison *comparison)
{
    if (request->condition && strchr(request->condition, ':')) {
        check_pair(comparison, request->condition);
        return json_pack("[s]", request->condition);
    }
    const json_t *a = comparison->a->experiment.json, *b = comparison->b->experiment.json;
    json_t *common = differences_common(a, b);
    if (json_array_size(common) == 0)
        fail("the two have no condition in common: measure the same loads, by the same names");
    if (!request->condition)
        return common;
    check_common(common, request->condition);
    json_decref(common);
    return json_pack("[s]", request->condition);
}

// Which metrics to compare, and how sure to be; the rest is each side's own.
static void choose_metrics(const struct request *request, const struct side *a,
                           struct comparison *comparison)
{
    struct settings chosen = a->experiment.settings;
    char error[512];
    if (request->metric) {
        settings_begin(&chosen);
        (void)settings_choose_text(&chosen, request->metric, error, sizeof error); // checked
    }
    for (size_t i = 0; i < chosen.metric_count; i++) {
        if (!chosen.metrics[i].chosen)
            continue;
        comparison->metric[comparison->metric_count].a = i;
        comparison->metric[comparison->metric_count++].b = i;
    }
    comparison->confidence =
        request->confidence > 0 ? request->confidence : a->experiment.settings.confidence;
}

static bool write_all(const struct request *request, const json_t *comparison)
{
    const bool to_stdout = request->json && strcmp(request->json, "-") == 0;
    if (to_stdout || (!request->json && !request->table))
        return output_json(comparison, "-", stdout);
    return (!request->json || output_json(comparison, request->json, stdout)) &&
           (!request->table || output_json(comparison, request->table, stdout));
}

static bool compare(const struct request *request, char *const *folders,
                    struct comparison *comparison, const json_t *differences)
{
    json_t *conditions = choose(request, comparison);
    json_t *comparisons = comparison_rows(comparison, conditions);
    json_t *record = json_pack(
        "{s:s, s:s, s:s, s:o, s:i, s:o, s:O, s:{s:o, s:o}, s:O}", "schema", "jostle.comparison/1",
        "a", folders[0], "b", folders[1], "confidence", json_figure(comparison->confidence),
        "family", (int)comparison_family(comparison), "interval_level",
        json_figure(comparison_level(comparison)), "differences", differences, "failed_runs", "a",
        side_failed(comparison->a), "b", side_failed(comparison->b), "comparisons", comparisons);
    const bool good = record && write_all(request, record);
    json_decref(record);
    json_decref(comparisons);
    json_decref(conditions);
    return good;
}

static bool compare_sides(const struct request *request, char *const *folders, struct side *a,
                          struct side *b)
{
    b->is_second = true;
    json_t *differences = differences_of(a->experiment.json, b->experiment.json);
    char *grave = differences_grave(differences);
    struct comparison comparison = {.a = a, .b = b};
    choose_metrics(request, a, &comparison);
    const bool good =
        grave && !request->anyway
            ? complain("what was measured differs (%s): to compare it all the same, add --anyway",
                       grave)
            : compare(request, folders, &comparison, differences);
    free(grave);
    json_decref(differences);
    return good;
}

static bool run(const struct request *request, char *const *folders)
{
    struct side a = {0}, b = {0};
    const bool good = side_read(&a, folders[0]) && side_read(&b, folders[1]) &&
                      compare_sides(request, folders, &a, &b);
    side_free(&a);
    side_free(&b);
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
