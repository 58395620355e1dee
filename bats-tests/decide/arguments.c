#include "arguments.h"

#include "common/memory.h"
#include "common/messages.h"
#include "common/metric.h"
#include "common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The options as they are typed; the settings are made from them.
struct typed {
    const char *conditions, *decide, *washout;
    struct option_list metric;
    double error, confidence, at_most, same_within;
    uint64_t variants;
    uint64_t min_runs, max_runs, discard_warmup, seed;
    bool ignore_failure, aa;
    int statistic;
};

static bool check_names(const char *text, char *error, size_t size);
static bool check_metric(const char *text, char *error, size_t size);

#define TYPED(member) .offset = offsetof(struct typed, member)
#define LINE(member)  .offset = offsetof(struct arguments, member)

static const struct option_row experiment_rows[] = {
    {.name = "conditions",
     .argument = "A,B,...",
     .type = OPTION_TEXT,
     TYPED(conditions),
     .preset = "baseline",
     .check = check_names,
     .wrong = "a,,b",
     .help = "the first is what the others are compared with"},
    {.name = "error",
     .argument = "E",
     .type = OPTION_FRACTION,
     TYPED(error),
     .maximum = 1e6,
     .exclusive = true,
     .preset = DEFAULT_TEXT(DEFAULT_ERROR),
     .help = "relative half-width that the intervals must reach"},
    {.name = "confidence",
     .argument = "P",
     .type = OPTION_FRACTION,
     TYPED(confidence),
     .maximum = 1,
     .exclusive = true,
     .preset = DEFAULT_TEXT(DEFAULT_CONFIDENCE),
     .help = "of the intervals, two-sided"},
    {.name = "min-runs",
     .argument = "N",
     .type = OPTION_COUNT,
     TYPED(min_runs),
     .minimum = 1,
     .maximum = MAX_RUNS_LIMIT,
     .help = "runs of each condition at least (default: 15, or --max-runs where that is less)"},
    {.name = "max-runs",
     .argument = "N",
     .type = OPTION_COUNT,
     TYPED(max_runs),
     .minimum = 1,
     .maximum = MAX_RUNS_LIMIT,
     .help = "runs of each condition at most (default: 30, or --min-runs where that is more)"},
    {.name = "metric",
     .argument = "LIST|DEFINITION",
     .type = OPTION_LIST,
     TYPED(metric),
     .check = check_metric,
     .wrong = "no-such-metric",
     .help = "names of what each record has, such as wall_s,cpu_s, or all (wall_s, user_s, "
             "system_s, max_rss_bytes); or NAME=SOURCE[,unit=U][,better=higher], which is "
             "metrics.NAME.value in the record; may be given again (default: wall_s). The slowdown "
             "of wall_s is reported in any case"},
    {.name = "decide",
     .argument = "LIST",
     .type = OPTION_TEXT,
     TYPED(decide),
     .wrong = "no-such-metric",
     .help = "those of the metrics that decide when to stop and what the gate says (default: all "
             "of --metric); their intervals hold all at once (Bonferroni)"},
    {.name = "statistic",
     .argument = "NAME",
     .type = OPTION_CHOICE,
     TYPED(statistic),
     .choices = statistic_names,
     .preset = "typical",
     .help = "what each condition is summarised by, and whose ratio a slowdown is: typical (the "
             "middle of the ratios of the pairs, which stragglers hardly move; of a condition its "
             "median), mean, median, trimmed (without the fifth of the runs at each end), p90 or "
             "p99; null where the runs are too few for an interval"},
    {.name = "seed",
     .argument = "N",
     .type = OPTION_COUNT,
     TYPED(seed),
     .maximum = OPTION_WHOLE_MOST,
     .help = "of the order within the blocks (default: 0)"},
    {.name = "ignore-failure",
     .type = OPTION_FLAG,
     TYPED(ignore_failure),
     .help = "failed runs count like the others"},
    {.name = "discard-warmup",
     .argument = "N",
     .type = OPTION_COUNT,
     TYPED(discard_warmup),
     .maximum = MAX_RUNS_LIMIT,
     .help = "leave the first N runs of each condition out (default: 0)"},
    {.name = "at-most",
     .argument = "R",
     .type = OPTION_REAL,
     TYPED(at_most),
     .maximum = 1e6,
     .exclusive = true,
     .help = "a gate: stop when each slowdown is surely below R, or one is surely above; the "
             "error rate 1-P holds however often one looks"},
    {.name = "same-within",
     .argument = "P",
     .type = OPTION_FRACTION,
     TYPED(same_within),
     .maximum = 1,
     .exclusive = true,
     .help = "variants whose ratio is surely within 1/(1+P) and 1+P are the same: stop when each "
             "is known to be faster, slower or the same as the first"},
    {.name = "variants",
     .argument = "N",
     .type = OPTION_COUNT,
     TYPED(variants),
     .minimum = 2,
     .maximum = MAX_CONDITIONS,
     .help = "the conditions are N variants of a program alone, then each of them under the first "
             "load, named VARIANT@LOAD, and so on; they are compared with the first variant"},
    {.name = "aa",
     .type = OPTION_FLAG,
     TYPED(aa),
     .help = "the condition named aa is the baseline again; its apparent slowdown is the noise "
             "floor of the others"},
    {.name = "washout",
     .argument = "RUNS|TIME|auto",
     .type = OPTION_TEXT,
     TYPED(washout),
     .check = washout_check,
     .wrong = "soon",
     .preset = "0",
     .help = "what comes between a loaded run and one of another condition (see below)"},
    {0},
};

static const struct option_row mode_rows[] = {
    {.name = "summary",
     .argument = "FILE",
     .type = OPTION_TEXT,
     LINE(summary),
     .help = "where the summary goes; - is standard output"},
    {.name = "summary-only",
     .type = OPTION_FLAG,
     LINE(summary_only),
     .help = "no answers, only summaries"},
    {.name = "first-stop",
     .type = OPTION_FLAG,
     LINE(first_stop),
     .help = "pass over the records after the first stop (see below)"},
    {0},
};

static const char intro[] =
    "Feeds records of your own to what decides in stats: which run is next, and what\n"
    "the runs show.\n";

static const char details[] =
    "Dialogue:\n"
    "Before the first record and after every line decide writes one line of six\n"
    "fields, separated by tabs:\n"
    "  run   CONDITION  BLOCK  ORDER  ERROR  MORE    measure CONDITION once\n"
    "  stop  REASON     -      -      ERROR  0       the experiment is over\n"
    "ERROR is the worst relative error so far, MORE how many more runs it will\n"
    "take; - is not known yet. REASON is error (--error is reached), max-runs,\n"
    "decided (--at-most, --same-within), failure (a run failed), or what a line `stop REASON`\n"
    "said (max-time, interrupted). Every block has each condition once, in an\n"
    "order that the seed and the block's number determine: records that are fed\n"
    "again lead to the same state. decide never reads a clock.\n"
    "With --washout there are two answers more, where a loaded run is followed by\n"
    "another condition (without it these never come):\n"
    "  washout  CONDITION  0  0  ERROR  MORE    run CONDITION, the first one, once\n"
    "  pause    SECONDS    -  -  ERROR  MORE    wait; then say `rested`\n"
    "A record of a washout run has block 0 and \"washout\": true. `auto` grows from\n"
    "no run on while a carry-over shows; blocks before it grew do not count.\n"
    "\n"
    "A record is one JSON object a line (results/schema/jostle.run.schema.json).\n"
    "Only wall_s is needed (and condition, where there are several); block and\n"
    "order are counted if absent; exit_code, signal, timed_out mark a failed run;\n"
    "metrics.NAME.value is what a definition of --metric has found, metric_failure\n"
    "marks a run that lacks one; block 0 is a warm-up run, which does not count;\n"
    "washout_runs says how many washout runs come after each loaded run (default:\n"
    "as was answered). A line that is no record is\n"
    "set aside with a warning on standard error.\n"
    "\n"
    "The summary is one JSON object: conditions, slowdowns, comparisons and interactions\n"
    "(of variants), gate, warnings, intervals, forecast, and with --aa noise_floor,\n"
    "with --at-most verdict (below, above, undecided).\n"
    "\n"
    "Testing it with records of your own:\n"
    "A line `next` ends an experiment, writes its summary and begins another: any\n"
    "number can be simulated in one go. A simulator may read the answers and\n"
    "supply the runs, or write max-runs blocks of each experiment without reading\n"
    "anything: with --first-stop, records that come after the decision to stop do\n"
    "not count.\n"
    "  your-simulator |\n"
    "      decide --conditions baseline,load --error 0.02 --max-runs 100 \\\n"
    "          --first-stop --summary-only --summary - | jq -c '.slowdowns[0].ci'\n"
    "where your-simulator writes for each experiment lines like\n"
    "  {\"condition\":\"baseline\",\"block\":1,\"wall_s\":1.003}\n"
    "  {\"condition\":\"load\",\"block\":1,\"wall_s\":1.251}\n"
    "  ...\n"
    "  next\n"
    "\n"
    "Exit status:\n"
    "  0  done    1  records cannot be read or the summary not written    2  wrong use\n";

static bool is_condition_name(const char *name, size_t length)
{
    return length > 0 &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+-@") >=
               length;
}

static bool check_names(const char *text, char *error, size_t size)
{
    size_t count = 0;
    for (const char *name = text; name; count++) {
        const size_t length = strcspn(name, ",");
        if (!is_condition_name(name, length)) {
            snprintf(error, size, "give names of letters, digits and . _ %% + - @");
            return false;
        }
        for (const char *other = text; other < name; other += strcspn(other, ",") + 1)
            if (strcspn(other, ",") == length && strncmp(other, name, length) == 0) {
                snprintf(error, size, "give each name once");
                return false;
            }
        name = name[length] == ',' ? name + length + 1 : NULL;
    }
    if (count > MAX_CONDITIONS)
        snprintf(error, size, "give at most %d names", MAX_CONDITIONS);
    return count <= MAX_CONDITIONS;
}

static void add_conditions(struct settings *settings, const char *list)
{
    char *copy = must(strdup(list)), *rest = copy;
    for (char *name; (name = strsep(&rest, ",")) != NULL;)
        (void)settings_add_condition(settings, name); // check_names() has counted them
    free(copy);
}

// What the definition is of has to outlive its settings: `made`.
static bool choose_definition(struct metric_settings *metrics, struct metric *made,
                              const char *text, char *error, size_t size)
{
    if (!metric_parse(made, text, error, size))
        return false;
    if (made->variant != NULL) {
        snprintf(error, size, "metric %s: leave @%s out: records have its figure for each variant",
                 made->name, made->variant);
        return false;
    }
    const size_t metric =
        metrics_add(metrics, &(struct metric_setting){.name = made->name,
                                                      .unit = made->unit,
                                                      .higher_is_better = made->higher_is_better});
    if (metric == MAX_METRICS)
        snprintf(error, size, "metric %s: it is there, or the %d-th: give another", made->name,
                 MAX_METRICS + 1);
    metrics_choose(metrics, metric);
    return metric < MAX_METRICS;
}

static bool choose_named(struct metric_settings *metrics, const char *name, char *error,
                         size_t size)
{
    for (size_t i = 0; i < BASIC_METRICS && strcmp(name, "all") == 0; i++)
        metrics_choose(metrics, i);
    const size_t metric = metrics_know(metrics, name);
    metrics_choose(metrics, metric);
    if (strcmp(name, "all") == 0 || metric < MAX_METRICS)
        return true;
    const char *near = builtin_metric_nearest(name);
    snprintf(error, size,
             "no metric is named '%s'%s%s%s: give wall_s, user_s, system_s, "
             "max_rss_bytes (joined by commas), all, or a definition NAME=SOURCE",
             name, near ? " (did you mean " : "", near ? near : "", near ? "?)" : "");
    return false;
}

// Calls `take` with each name of a list with commas, until one is false.
static bool each_name(struct metric_settings *metrics, const char *list, char *error, size_t size,
                      bool (*take)(struct metric_settings *metrics, const char *name, char *error,
                                   size_t size))
{
    char word[METRIC_NAME_SIZE];
    for (const char *at = list;; at++) {
        const size_t length = strcspn(at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (!take(metrics, word, error, size))
            return false;
        at += length;
        if (*at == '\0')
            return true;
    }
}

// What --metric says: a list of names such as "wall_s,cpu_s", "all" for the four that are always
// there, or a definition (common/metric.h). False, and error says what to give.
static bool choose_metric(struct metric_settings *metrics, struct metric *made, const char *text,
                          char *error, size_t size)
{
    return metric_is_definition(text) ? choose_definition(metrics, made, text, error, size)
                                      : each_name(metrics, text, error, size, choose_named);
}

static bool check_metric(const char *text, char *error, size_t size)
{
    struct settings ignored;
    struct metric made = {0};
    settings_begin(&ignored);
    const bool good = choose_metric(&ignored.metrics, &made, text, error, size);
    metric_free(&made);
    return good;
}

static bool decide_named(struct metric_settings *metrics, const char *name, char *error,
                         size_t size)
{
    const size_t metric = metrics_find(metrics, name);
    if (metric < MAX_METRICS && metrics->item[metric].chosen) {
        metrics->item[metric].decides = true;
        return true;
    }
    snprintf(error, size, "'%s' is none of the metrics of --metric: name some of those", name);
    return false;
}

// Of the chosen metrics only those of a list of names decide.
static bool choose_deciding(struct metric_settings *metrics, const char *list, char *error,
                            size_t size)
{
    for (size_t i = 0; i < metrics->count; i++)
        metrics->item[i].decides = false;
    return each_name(metrics, list, error, size, decide_named);
}

static void choose_metrics(struct arguments *line, const struct typed *typed)
{
    struct settings *settings = &line->settings;
    char error[512];
    for (size_t i = 0; i < typed->metric.count; i++)
        if (!choose_metric(&settings->metrics, &line->made[settings->metrics.count],
                           typed->metric.item[i], error, sizeof error))
            usage_error("decide: --metric %s: %s", typed->metric.item[i], error);
    if (typed->metric.count == 0)
        metrics_choose(&settings->metrics, WALL_S);
    if (typed->decide && !choose_deciding(&settings->metrics, typed->decide, error, sizeof error))
        usage_error("decide: --decide %s: %s", typed->decide, error);
}

static void complete(struct arguments *line, const struct typed *typed)
{
    struct settings *settings = &line->settings;
    char error[128];
    settings->statistic = (enum statistic)typed->statistic;
    settings->error = typed->error;
    settings->confidence = typed->confidence;
    settings->at_most = typed->at_most;
    settings->tolerance = typed->same_within;
    settings->variants = typed->variants > 0 ? typed->variants : 1;
    settings->min_runs = typed->min_runs;
    settings->max_runs = typed->max_runs;
    settings->discard_warmup = typed->discard_warmup;
    settings->seed = typed->seed;
    settings->ignored.any = typed->ignore_failure;
    settings->aa = typed->aa;
    (void)washout_parse(typed->washout, &settings->washout, error, sizeof error); // checked
    if (settings->max_runs == 0)
        settings->max_runs =
            settings->min_runs > DEFAULT_MAX_RUNS ? settings->min_runs : DEFAULT_MAX_RUNS;
    if (settings->min_runs == 0)
        settings->min_runs =
            settings->max_runs < DEFAULT_MIN_RUNS ? settings->max_runs : DEFAULT_MIN_RUNS;
    add_conditions(settings, typed->conditions);
    if (settings->condition_count % settings->variants != 0)
        usage_error("decide: --variants %zu: %zu conditions are not as many for each: give each "
                    "variant alone, and each under every load",
                    settings->variants, settings->condition_count);
    choose_metrics(line, typed);
    if (settings->aa && settings_condition(settings, "aa") <= 0)
        usage_error("decide: --aa: name a condition aa after the first one in --conditions");
    if (settings->min_runs > settings->max_runs)
        usage_error(
            "decide: --min-runs %zu is more than --max-runs %zu: raise the one or lower the "
            "other",
            settings->min_runs, settings->max_runs);
}

void decide_arguments_parse(struct arguments *line, int argc, char **argv)
{
    struct typed typed = {0};
    const struct option_group groups[] = {
        {.rows = experiment_rows, .values = &typed, .title = "An experiment:"},
        {.rows = mode_rows, .values = line, .title = "What is done:"},
    };
    const struct program program = {
        .name = "decide", .intro = intro, .details = details, .groups = groups, .group_count = 2};
    int rest;
    *line = (struct arguments){.summary = NULL};
    settings_begin(&line->settings);
    struct options *options = options_parse(&program, argc, argv, &rest);
    complete(line, &typed);
    options_free(options);
}

void arguments_free(struct arguments *line)
{
    settings_free(&line->settings);
    for (size_t i = 0; i < sizeof line->made / sizeof *line->made; i++)
        metric_free(&line->made[i]);
}
