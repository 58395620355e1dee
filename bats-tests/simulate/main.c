// simulate: simulates experiments of known truth, lets the production code
// decide them, and prints how often its intervals keep their promise.
#include "plan.h"
#include "population.h"
#include "table.h"

#include "common/messages.h"
#include "common/options.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const double true_ratio = 1.25;
static const char *const quick_populations =
    "normal-5%,lognormal-20%,bimodal-50,heteroscedastic,drift,ar1-0.9,warm-up,"
    "load-delays-20%,load-stalls-20%x100%";

static const char *const intervals = "intervals"; // the name of the first table

enum { QUICK_SETTINGS = SETTING_5_15 + 1, EXPERIMENTS = 5000, QUICK_EXPERIMENTS = 2500 };

struct request {
    struct plan plan;
    bool list;
    struct option_list resample;  // files
    struct population *resampled; // [resample.count]
};

#define REQUEST(member) .offset = offsetof(struct request, member)

static const struct option_row rows_of_options[] = {
    {.name = "experiments",
     .argument = "N",
     .type = OPTION_COUNT,
     REQUEST(plan.experiments),
     .minimum = 1,
     .maximum = 1e8,
     .help = "in each cell of the table (default: 5000, with --quick 2500)"},
    {.name = "populations",
     .argument = "LIST",
     .type = OPTION_TEXT,
     REQUEST(plan.populations),
     .wrong = "no-such-population",
     .help = "names, or beginnings of names, joined by commas (default: all)"},
    {.name = "tables",
     .argument = "LIST",
     .type = OPTION_TEXT,
     REQUEST(plan.tables),
     .wrong = "no-such-table",
     .help = "names, or beginnings of names, joined by commas: intervals, compare, floor, metrics, "
             "gate, discoveries, sessions, verdicts, interactions, looks, carry-over, series, "
             "modes, problems, typical, rates, capacity (default: all)"},
    {.name = "resample",
     .argument = "FILE",
     .type = OPTION_LIST,
     REQUEST(resample),
     .help = "also draw from the runs of the first condition in a runs.jsonl; may be repeated"},
    {.name = "threads",
     .argument = "N",
     .type = OPTION_COUNT,
     REQUEST(plan.threads),
     .minimum = 1,
     .maximum = 10000,
     .help = "default: as many as there are CPUs"},
    {.name = "seed",
     .argument = "N",
     .type = OPTION_COUNT,
     REQUEST(plan.seed),
     .maximum = OPTION_WHOLE_MOST,
     .preset = "1",
     .help = "of the random numbers"},
    {.name = "quick",
     .type = OPTION_FLAG,
     REQUEST(plan.quick),
     .help = "few populations and experiments; exit 1 if a bound is broken by more than chance "
             "allows"},
    {.name = "narrow",
     .argument = "F",
     .type = OPTION_REAL,
     REQUEST(plan.narrow),
     .maximum = 100,
     .exclusive = true,
     .preset = "1",
     .help = "judge intervals as if they were F times as wide: shows that --quick notices"},
    {0},
};

static const char intro[] =
    "Simulates experiments of known truth, and shows how often jostle's intervals\n"
    "contain it. The objects that decide are those of stats.\n";

static const char details[] =
    "Settings: `default` stops at an error of 5 % with 15 to 30 runs, `3-10` and\n"
    "`5-15` with so many; `n*=25` and `n*=80` aim at the error that an oracle\n"
    "reaches with so many runs, with 15 to 400 runs.\n"
    "\n"
    "Exit status:\n"
    "  0  done    1  failure, or with --quick a bound is broken    2  wrong use\n";

static size_t add_rows(const struct plan *plan, struct row *rows,
                       const struct population *population)
{
    size_t settings = plan->quick ? QUICK_SETTINGS : SETTINGS;
    for (size_t i = 0; i < settings; i++) {
        const struct setting *setting = &settings_of_plan[i];
        rows[i] = (struct row){.population = population, .setting = setting};
        rows[i].cell[MEAN] = plan_cell(plan, population, setting, 0);
        rows[i].cell[SLOWDOWN] = plan_cell(plan, population, setting, true_ratio);
        rows[i].cell[SAME] = plan_cell(plan, population, setting, 1);
        rows[i].cell[MEDIAN] = plan_median(plan, population, setting, 0);
        rows[i].cell[MEDIANS] = plan_median(plan, population, setting, true_ratio);
    }
    return settings;
}

static bool run_row(const struct plan *plan, struct row *row, size_t number)
{
    // In the short form the A/A column would only repeat the slowdown's. Medians are
    // shown at the errors that users request.
    size_t columns = plan->quick ? SAME : row->setting->oracle > 0 ? MEDIAN : COLUMNS;
    return trials_run(row->cell, row->tally, columns, plan->experiments, plan->seed + 7919 * number,
                      plan->threads);
}

static int run_table(const struct request *request, struct row *rows)
{
    const struct plan *plan = &request->plan;
    size_t count = 0;
    bool good = true, kept = true;
    for (size_t i = 0; i < population_count; i++)
        if (plan_wants(plan->populations, populations[i].name))
            count += add_rows(plan, rows + count, &populations[i]);
    for (size_t i = 0; i < request->resample.count; i++)
        count += add_rows(plan, rows + count, &request->resampled[i]);
    table_header();
    for (size_t i = 0; good && i < count; i++) {
        if (rows[i].population->held_out && (i == 0 || !rows[i - 1].population->held_out))
            table_held_out();
        good = run_row(plan, &rows[i], i);
        table_row(&rows[i]);
        fflush(stdout);
        kept = (!plan->quick || table_check(&rows[i])) && kept;
    }
    if (good && !plan->quick)
        table_more(rows, count);
    if (!good)
        complain("simulate: no memory or no thread: try --threads 1");
    return good && kept ? 0 : 1;
}

// Reads the files of --resample; ends the program where one is of no use.
static void read_resampled(struct request *request)
{
    request->resampled = calloc(request->resample.count + 1, sizeof *request->resampled);
    for (size_t i = 0; request->resampled && i < request->resample.count; i++)
        if (!resample_read(request->resample.item[i], &request->resampled[i]))
            exit(2);
}

static void fill_in(struct request *request)
{
    const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    struct plan *plan = &request->plan;
    bool found = request->resample.count > 0;
    if (plan->threads == 0)
        plan->threads = cpus > 0 ? (size_t)cpus : 1;
    if (plan->experiments == 0)
        plan->experiments = plan->quick ? QUICK_EXPERIMENTS : EXPERIMENTS;
    if (plan->quick && !plan->populations)
        plan->populations = quick_populations;
    for (size_t i = 0; i < population_count; i++)
        found = found || plan_wants(plan->populations, populations[i].name);
    found = found || capacity_has(plan->populations) || typical_has(plan->populations) ||
            problems_has(plan->populations) || modes_has(plan->populations);
    if (!found)
        usage_error("simulate: --populations %s: there is none of that name: --list shows them",
                    plan->populations);
    if (!plan_wants(plan->tables, intervals) && !promises_has(plan->tables))
        usage_error("simulate: --tables %s: there is none of that name: --help lists them",
                    plan->tables);
}

static int run_intervals(const struct request *request)
{
    struct row *rows =
        calloc((population_count + request->resample.count) * SETTINGS, sizeof *rows);
    const int code = rows && request->resampled ? run_table(request, rows) : 1;
    free(rows);
    return code;
}

static int run(struct request *request)
{
    if (request->list) {
        for (size_t i = 0; i < population_count; i++)
            puts(populations[i].name);
        return 0;
    }
    fill_in(request);
    read_resampled(request);
    const int code = plan_wants(request->plan.tables, intervals) ? run_intervals(request) : 0;
    const int promises = promises_run(&request->plan);
    return code != 0 ? code : promises;
}

int main(int argc, char **argv)
{
    streams_open();
    struct request request = {0};
    const struct option_group groups[] = {{.rows = rows_of_options, .values = &request}};
    const struct program program = {
        .name = "simulate", .intro = intro, .details = details, .groups = groups, .group_count = 1};
    int rest;
    struct options *options = options_parse(&program, argc, argv, &rest);
    const int code = run(&request);
    for (size_t i = 0; request.resampled && i < request.resample.count; i++) {
        free((char *)request.resampled[i].name);
        free((double *)request.resampled[i].values);
    }
    free(request.resampled);
    options_free(options);
    return code;
}
