// simulate: simulates experiments of known truth, lets the production code
// decide them, and prints how often its intervals keep their promise.
#include "promises.h"
#include "resample.h"
#include "rules.h"
#include "table.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help_text[] =
    "Usage: simulate [OPTIONS]\n"
    "Simulates experiments of known truth and prints how often jostle's intervals hold it.\n"
    "  --experiments N     in each cell (20000)\n"
    "  --populations LIST  names, or beginnings of names, joined by commas (all)\n"
    "  --resample FILE     also draw from the runs of the first condition in a runs.jsonl;\n"
    "                      may be given several times\n"
    "  --threads N         (the CPUs there are)\n"
    "  --seed N            (1)\n"
    "  --quick             few populations and experiments; exit 1 if a bound is broken\n"
    "                      by more than chance allows\n"
    "  --narrow F          judge intervals F times as wide: to see that --quick notices\n"
    "  --rules             instead: other stopping rules and intervals on the same populations\n"
    "                      (a tenth of the experiments for the slow ones)\n"
    "  --list              the names of the populations\n"
    "  --help\n"
    "Settings: `default` stops at an error of 5 % with 12 to 30 runs; `n*=25`, `n*=80` and `n*=12` "
    "ask\n"
    "for the error that an oracle reaches with so many runs, with 12 to 400 runs.\n";

static const double true_ratio = 1.25;
static const double oracle_errors[] = {0, 25, 80, 12}; // runs; 0: the default setting
static const char *const setting_names[] = {"default", "n*=25", "n*=80", "n*=12"};
static const char *const quick_populations =
    "normal-5%,lognormal-20%,bimodal-50,heteroscedastic,outliers-5%,drift,ar1-0.9,warm-up";

enum { MAX_RESAMPLED = 16, SETTINGS = 4, QUICK_SETTINGS = 2 };

struct run_options {
    struct plan plan;
    bool list, rules, help;
    struct population resampled[MAX_RESAMPLED];
    size_t resampled_count;
};

static size_t add_rows(const struct plan *plan, struct row *rows,
                       const struct population *population)
{
    size_t settings = plan->quick ? QUICK_SETTINGS : SETTINGS;
    for (size_t i = 0; i < settings; i++) {
        rows[i] = (struct row){.population = population, .setting = setting_names[i]};
        rows[i].cell[MEAN] = plan_cell(plan, population, oracle_errors[i], 0);
        rows[i].cell[SLOWDOWN] = plan_cell(plan, population, oracle_errors[i], true_ratio);
        rows[i].cell[SAME] = plan_cell(plan, population, oracle_errors[i], 1);
    }
    return settings;
}

static bool run_row(const struct plan *plan, struct row *row, size_t number)
{
    // In the short form the A/A column would only repeat the slowdown's.
    size_t columns = plan->quick ? SAME : COLUMNS;
    return experiment_cells(row->cell, row->tally, columns, plan->experiments,
                            plan->seed + 7919 * number, plan->threads);
}

static int run_table(const struct run_options *options, struct row *rows)
{
    const struct plan *plan = &options->plan;
    size_t count = 0;
    bool good = true, kept = true;
    for (size_t i = 0; i < population_count; i++)
        if (plan_wants(plan->populations, populations[i].name))
            count += add_rows(plan, rows + count, &populations[i]);
    for (size_t i = 0; i < options->resampled_count; i++)
        count += add_rows(plan, rows + count, &options->resampled[i]);
    table_header();
    for (size_t i = 0; good && i < count; i++) {
        good = run_row(plan, &rows[i], i);
        table_row(&rows[i]);
        fflush(stdout);
        kept = (!plan->quick || table_check(&rows[i])) && kept;
    }
    if (good && !plan->quick)
        table_more(rows, count);
    if (!good)
        fputs("jostle: simulate: no memory or no thread: try --threads 1\n", stderr);
    return good && kept ? 0 : 1;
}

static bool parse_count(const char *text, size_t *value)
{
    char *end;
    errno = 0;
    *value = strtoul(text, &end, 10);
    bool good = text[0] >= '0' && text[0] <= '9' && *end == '\0' && errno == 0 && *value > 0 &&
                *value <= 100000000;
    if (!good)
        fprintf(stderr, "jostle: simulate: %s: give a whole number from 1 to 100000000\n", text);
    return good;
}

static bool parse_factor(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    bool good = end != text && *end == '\0' && *value > 0 && *value < 100;
    if (!good)
        fprintf(stderr, "jostle: simulate: %s: give a factor above 0\n", text);
    return good;
}

static bool take_resample(struct run_options *options, const char *path)
{
    if (options->resampled_count == MAX_RESAMPLED) {
        fprintf(stderr, "jostle: simulate: %s: give at most %d files\n", path, MAX_RESAMPLED);
        return false;
    }
    return resample_read(path, &options->resampled[options->resampled_count]) &&
           ++options->resampled_count > 0;
}

static bool parse(struct run_options *options, int argc, char **argv)
{
    static const struct option table[] = {{"experiments", required_argument, NULL, 'e'},
                                          {"populations", required_argument, NULL, 'p'},
                                          {"resample", required_argument, NULL, 'r'},
                                          {"threads", required_argument, NULL, 't'},
                                          {"seed", required_argument, NULL, 's'},
                                          {"narrow", required_argument, NULL, 'n'},
                                          {"quick", no_argument, NULL, 'q'},
                                          {"rules", no_argument, NULL, 'R'},
                                          {"list", no_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    bool good = true;
    for (int code; good && (code = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        options->plan.quick = options->plan.quick || code == 'q';
        options->list = options->list || code == 'l';
        options->rules = options->rules || code == 'R';
        options->help = options->help || code == 'h';
        if (code == 'p')
            options->plan.populations = optarg;
        else if (code == 'e')
            good = parse_count(optarg, &options->plan.experiments);
        else if (code == 't')
            good = parse_count(optarg, &options->plan.threads);
        else if (code == 's')
            good = parse_count(optarg, &options->plan.seed);
        else if (code == 'n')
            good = parse_factor(optarg, &options->plan.narrow);
        else if (code == 'r')
            good = take_resample(options, optarg);
        else if (code == '?')
            good = false;
    }
    if (good && optind < argc)
        fprintf(stderr, "jostle: simulate: %s: no such operand: see --help\n", argv[optind]);
    return good && optind == argc;
}

static bool fill_in(struct run_options *options)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    bool found = options->resampled_count > 0;
    if (options->plan.threads == 0)
        options->plan.threads = cpus > 0 ? (size_t)cpus : 1;
    if (options->plan.experiments == 0)
        options->plan.experiments = options->plan.quick ? 3000 : 20000;
    if (options->plan.quick && !options->plan.populations)
        options->plan.populations = quick_populations;
    for (size_t i = 0; i < population_count; i++)
        found = found || plan_wants(options->plan.populations, populations[i].name);
    if (!found)
        fprintf(stderr, "jostle: simulate: %s: no such population: see --list\n",
                options->plan.populations);
    return found;
}

static int run(struct run_options *options)
{
    if (options->help)
        return fputs(help_text, stdout) >= 0 ? 0 : 1;
    for (size_t i = 0; options->list && i < population_count; i++)
        puts(populations[i].name);
    if (options->list)
        return 0;
    if (options->rules)
        return rules_run(&options->plan);
    struct row *rows = calloc((population_count + MAX_RESAMPLED) * SETTINGS, sizeof *rows);
    int code = rows ? run_table(options, rows) : 1;
    free(rows);
    int promises = promises_run(&options->plan);
    return code != 0 ? code : promises;
}

int main(int argc, char **argv)
{
    struct run_options options = {.plan = {.seed = 1, .narrow = 1}};
    int code = 2;
    if (parse(&options, argc, argv) && (options.help || options.list || fill_in(&options)))
        code = run(&options);
    for (size_t i = 0; i < options.resampled_count; i++) {
        free((char *)options.resampled[i].name);
        free((double *)options.resampled[i].values);
    }
    return code;
}
