// compare: two experiments side by side, as a jostle.comparison/1.

#define OPTIONS_OF struct request

#include "compare.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/options.h"
#include "common/record_json.h"
#include "common/schemas.h"
#include "harness/stats/json.h"
#include "harness/stats/record.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the loads offered on either side: one spec is another load after another calibration.

static const double least = 0.02, errors = 3;

// A single run says little.
static double variance_of_mean(const struct sample *rates)
{
    return rates->count < 2 ? rates->mean * rates->mean / 100
                            : sample_variance(rates) / (double)rates->count;
}

// The rates that a load of that name offered in the runs of a condition; none: it has no rate.
static void gather_rates(struct sample *rates, const struct side *side, const char *condition,
                         const char *load)
{
    const char *own = side->experiment.settings.conditions[side_condition(side, condition)];
    sample_clear(rates);
    JSON_EACH (record, side->session.records) {
        const json_t *its = json_named(json_object_get(record, "load"), "name", load);
        const double rate = json_number_at(its, "offered");
        if (json_text_is(record, "condition", own) && !isnan(rate))
            sample_add(rates, rate);
    }
}

static json_t *rate_json(const struct sample *rates, const char *unit)
{
    char text[64];
    if (rates->count == 0)
        return json_string("no rate");
    snprintf(text, sizeof text, "%.*g %s", rates->mean < 1e6 ? 6 : 4, rates->mean, unit);
    return json_string(text);
}

static bool differ(const struct sample *a, const struct sample *b)
{
    if (a->count == 0 || b->count == 0)
        return a->count != b->count;
    const double apart = fabs(a->mean - b->mean);
    return apart > least * fmax(a->mean, b->mean) &&
           apart > errors * sqrt(variance_of_mean(a) + variance_of_mean(b));
}

// A new `offered` of a jostle.comparison/1: {what, a, b} for each load of these conditions
// (their names) whose offered rate differs by more than 2 %, and than it varies from run to run.
// Appends to `compared` the names of all loads that were compared.
static json_t *offered_differing(const struct side *a, const struct side *b,
                                 const json_t *conditions, json_t *compared)
{
    json_t *list = json_array();
    struct sample its = {0}, other = {0};
    for (size_t i = 0; i < json_array_size(conditions); i++) {
        const char *name = json_string_value(json_array_get(conditions, i));
        const struct condition *one = &a->session.conditions[side_condition(a, name)];
        for (const struct load_sum *load = one->loads; load < one->loads + one->load_count;
             load++) {
            gather_rates(&its, a, name, load->name);
            gather_rates(&other, b, name, load->name);
            if (its.count > 0 && other.count > 0)
                json_array_append_new(compared, json_string(load->name));
            if (differ(&its, &other))
                json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "what", load->name, "a",
                                                      rate_json(&its, load->unit), "b",
                                                      rate_json(&other, load->unit)));
        }
    }
    sample_free(&its);
    sample_free(&other);
    return list;
}

struct request {
    bool anyway;
    const char *condition, *metric, *json, *table;
    double confidence; // 0: as in A
    double at_most;    // 0: no gate
};

static const struct option_row rows[] = {
    {ROW("anyway", NULL, OPTION_FLAG, anyway), .help = "compare although command or load differ"},
    {ROW("condition", "NAME[:NAME]", OPTION_TEXT, condition),
     .help = "this condition only (default: all that both have); X:Y: condition X of A and Y of B, "
             "such as a baseline and a load that were measured apart"},
    {ROW("metric", "LIST", OPTION_TEXT, metric),
     .help = "names joined by commas: what jostle measures, such as wall_s,cpu_s, or all (wall_s, "
             "user_s, system_s, max_rss_bytes), and figures from the output that both were "
             "measured by (default: those of A that B has, too)"},
    {ROW("confidence", "C", OPTION_FRACTION, confidence), .maximum = 1, .exclusive = true,
     .help = "confidence of every interval (default: as in A)"},
    {ROW("at-most", "R", OPTION_REAL, at_most), .maximum = 1e6, .exclusive = true,
     .help = "exit with 3 where B is above R times A, and with 4 where that is not decided, as it "
             "is with one session: A and B are to be measured again and again, in turn"},
    {ROW("json", "FILE", OPTION_TEXT, json),
     .help = "write a jostle.comparison/1 to FILE too, - for stdout instead of the table"},
    {ROW("table", "FILE", OPTION_TEXT, table), .hidden = true,
     .help = "write it to FILE, for the table, unless --json - is given"},
    {0},
};

static const char intro[] =
    "A and B are folders with records of `jostle run` or `jostle slowdown`. Shows, for each "
    "condition that both have, the figure of each as its own table has it (each is judged by its "
    "own settings), the ratio of B to A with its confidence interval, and the noise floor of each. "
    "Names what differs: what the loads offered, settings, program, files that the command names, "
    "environment variables, machine; and what older records do not have. Refuses to compare where "
    "the command or a load differs. Two sessions may differ by the machine: no verdict follows "
    "from them.";

static const char details[] =
    "Examples:\n"
    "  jostle compare results/monday results/tuesday\n"
    "  jostle compare --condition baseline --json - old new\n"
    "  jostle compare --condition baseline:writes alone loaded\n"
    "  jostle compare --at-most 1.05 old1 new1 old2 new2 old3 new3\n"
    "\n"
    "Exit status:\n"
    "  0  compared, or below --at-most    1  failure, or command or load differ\n"
    "  2  wrong use    3  above --at-most    4  undecided\n";

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
            usage_error(
                "--condition %s: %s has no such condition: give one of A, a colon, and one of B",
                pair, i == 0 ? "A" : "B");
}

// Ends the program unless the condition is one of them.
static void check_common(const json_t *common, const char *condition)
{
    const size_t count = json_array_size(common);
    OWNED const char **names = must(calloc(count + 1, sizeof *names));
    for (size_t i = 0; i < count; i++) {
        names[i] = json_string_value(json_array_get(common, i));
        if (strcmp(names[i], condition) == 0)
            return;
    }
    usage_error("--condition %s: not in both%s: give one that both have", condition,
                nearest_hint(condition, names).text);
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

// Ends the program: a side has no such metric.
__attribute__((noreturn)) static void no_metric(const struct side *a, const char *name, bool in_a)
{
    const struct settings *settings = &a->experiment.settings;
    const char *names[MAX_METRICS + 1] = {NULL};
    if (in_a)
        usage_error("--metric %s: B was not measured by that: give a metric of both", name);
    for (size_t i = 0; i < settings->metrics.count; i++)
        names[i] = settings->metrics.item[i].name;
    const char *near = nearest_name(name, names);
    near = near ? near : builtin_metric_nearest(name);
    usage_error("--metric %s: A was not measured by that%s%s%s: give a metric of both", name,
                near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
}

// Adds a metric that both have; `needed`: ends the program where one does not.
static void add_metric(struct comparison *comparison, const char *name, bool needed)
{
    const size_t a = metrics_know(&comparison->a->experiment.settings.metrics, name);
    const size_t b = metrics_know(&comparison->b->experiment.settings.metrics, name);
    if (needed && (a == MAX_METRICS || b == MAX_METRICS))
        no_metric(comparison->a, name, a != MAX_METRICS);
    for (size_t i = 0; i < comparison->metric_count; i++)
        if (comparison->metric[i].a == a)
            return;
    if (a == MAX_METRICS || b == MAX_METRICS)
        return;
    comparison->metric[comparison->metric_count].a = a;
    comparison->metric[comparison->metric_count++].b = b;
}

static void add_named(struct comparison *comparison, const char *list)
{
    OWNED char *copy = must(strdup(list));
    char *rest = copy;
    for (char *name; (name = strsep(&rest, ",")) != NULL;) {
        const bool all = strcmp(name, "all") == 0;
        for (size_t i = 0; i < BASIC_METRICS && all; i++)
            add_metric(comparison, builtin_metrics[i].name, true);
        if (!all)
            add_metric(comparison, name, true);
    }
}

// Which metrics to compare, and how sure to be; the rest is each side's own.
static void choose_metrics(const struct request *request, struct comparison *comparison)
{
    const struct settings *settings = &comparison->a->experiment.settings;
    if (request->metric)
        add_named(comparison, request->metric);
    for (size_t i = 0; i < settings->metrics.count && !request->metric; i++)
        if (settings->metrics.item[i].chosen)
            add_metric(comparison, settings->metrics.item[i].name, false);
    comparison->confidence = request->confidence > 0 ? request->confidence : settings->confidence;
    if (comparison->metric_count == 0)
        fail("the two have no metric in common: measure both by the same --metric");
}

static bool write_all(const struct request *request, const json_t *comparison)
{
    const bool to_stdout = request->json && strcmp(request->json, "-") == 0;
    if (to_stdout || (!request->json && !request->table))
        return output_json(comparison, "-", stdout);
    return (!request->json || output_json(comparison, request->json, stdout)) &&
           (!request->table || output_json(comparison, request->table, stdout));
}

static json_t *compare(const struct request *request, char *const *folders,
                       struct comparison *comparison, json_t *differences)
{
    json_t *conditions = choose(request, comparison);
    json_t *comparisons = comparison_rows(comparison, conditions);
    json_t *offered = json_array(), *biased = json_array();
    json_object_set_new(differences, "offered",
                        offered_differing(comparison->a, comparison->b, conditions, offered));
    json_object_set_new(differences, "offered_compared", offered);
    side_add_biases(comparison->a, biased);
    side_add_biases(comparison->b, biased);
    json_decref(conditions);
    return json_pack("{s:s, s:o, s:o, s:o, s:i, s:o, s:O, s:{s:o, s:o}, s:o, s:o}", "schema",
                     SCHEMA_COMPARISON, "a", text_to_json(folders[0]), "b",
                     text_to_json(folders[1]), "confidence", json_figure(comparison->confidence),
                     "family", (int)comparison_family(comparison), "interval_level",
                     json_figure(comparison_level(comparison)), "differences", differences,
                     "failed_runs", "a", side_failed(comparison->a), "b",
                     side_failed(comparison->b), "comparisons", comparisons, "biased_by", biased);
}

static json_t *compare_sides(const struct request *request, char *const *folders,
                             struct comparison *comparison)
{
    const struct experiment *a = &comparison->a->experiment, *b = &comparison->b->experiment;
    json_auto_t *differences = differences_of(a->json, b->json);
    comparison->b->is_second = true;
    // A figure that is another one on the other side is no figure of both.
    for (size_t i = 0; i < comparison->metric_count; i++)
        differences_add_metric(differences, a->json, b->json,
                               a->settings.metrics.item[comparison->metric[i].a].name);
    OWNED char *grave = differences_grave(differences);
    if (!grave || request->anyway)
        return compare(request, folders, comparison, differences);
    complain("what was measured differs (%s): to compare it all the same, add --anyway", grave);
    return NULL;
}

// The runs of a search for a capacity are at different rates: their means say nothing.
static void refuse_search(const struct side *side, const char *folder)
{
    if (settings_has_capacity(&side->experiment.settings))
        usage_error("%s is of jostle capacity, whose runs cannot be compared: see the intervals of "
                    "both with jostle report, or measure both at one rate",
                    folder);
}

// A new jostle.comparison/1 of two folders; NULL after a message.
static json_t *compare_folders(const struct request *request, char *const *folders)
{
    struct side a = {0}, b = {0};
    struct comparison comparison = {.a = &a, .b = &b};
    json_t *record = NULL;
    if (side_open(&a, folders[0]) && side_open(&b, folders[1])) {
        refuse_search(&a, folders[0]);
        refuse_search(&b, folders[1]);
        choose_metrics(request, &comparison);
        if (side_read(&a, folders[0]) && side_read(&b, folders[1]))
            record = compare_sides(request, folders, &comparison);
    }
    side_free(&a);
    side_free(&b);
    return record;
}

// One that is given twice would count as a repetition.
static void refuse_twice(char *const *folders, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; k < i && count > 2; k++) {
            OWNED char *one = realpath(folders[i], NULL), *other = realpath(folders[k], NULL);
            if (one && other && strcmp(one, other) == 0)
                usage_error("%s is given twice: each folder is one session: measure again",
                            folders[i]);
        }
}

static json_t *compare_all(const struct request *request, char *const *folders, size_t count)
{
    json_t *sessions = json_array();
    refuse_twice(folders, count);
    for (size_t i = 0; i + 1 < count; i += 2) {
        json_t *session = compare_folders(request, folders + i);
        if (!session) {
            json_decref(sessions);
            return NULL;
        }
        json_array_append_new(sessions, session);
    }
    json_t *record = json_copy(json_array_get(sessions, 0)), *over = sessions_rows(sessions);
    json_object_set_new(record, "gate", sessions_gate(over, sessions, request->at_most));
    json_object_set_new(record, "over_sessions", over);
    json_array_remove(sessions, 0);
    json_object_set_new(record, "more_sessions", sessions);
    return record;
}

int main(int argc, char **argv)
{
    streams_open();
    struct request request = {0};
    const struct option_group groups[] = {{.rows = rows, .values = &request}};
    const struct program program = {.name = "jostle compare",
                                    .usage = "A B [A B]...",
                                    .intro = intro,
                                    .details = details,
                                    .groups = groups,
                                    .group_count = 1};
    int rest;
    options_free(options_parse(&program, argc, argv, &rest));
    if (argc - rest < 2 || (argc - rest) % 2 != 0)
        usage_error("compare takes two folders, %d given: jostle compare A B, or A1 B1 A2 B2 ... "
                    "of repeated sessions",
                    argc - rest);
    json_auto_t *record = compare_all(&request, argv + rest, (size_t)(argc - rest));
    return record && write_all(&request, record) ? sessions_exit(json_object_get(record, "gate"))
                                                 : EXIT_FAILURE;
}
