// coverage: simulates experiments of known truth, lets the production code
// decide them, and prints how often its intervals keep their promise.
#include "resample.h"
#include "table.h"
#include "workers.h"

#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help_text[] =
    "Usage: coverage [OPTIONS]\n"
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
    "  --list              the names of the populations\n"
    "  --help\n"
    "Settings: `default` stops at an error of 5 % with 12 to 30 runs; `n*=25`, `n*=80` and `n*=12` "
    "ask\n"
    "for the error that an oracle reaches with so many runs, with 12 to 400 runs.\n";

static const double true_ratio = 1.25, gate_limit = 1.10;
static const double gate_truths[] = {1.02, 1.05, 1.10, 1.15, 1.20};
static const double oracle_errors[] = {0, 25, 80, 12}; // runs; 0: the default setting
static const char *const setting_names[] = {"default", "n*=25", "n*=80", "n*=12"};
static const char *const quick_populations =
    "normal-5%,lognormal-20%,bimodal-50,heteroscedastic,outliers-5%,drift,ar1-0.9,warm-up";

enum {
    MAX_RESAMPLED = 16,
    SETTINGS = 4,
    QUICK_SETTINGS = 2,
    GATES = 5,
    TIGHT_MAX_RUNS = 400,
    GATE_MAX_RUNS = 60
};

struct run_options {
    size_t experiments, threads;
    unsigned long seed;
    const char *populations;
    double narrow;
    bool quick, list, help;
    struct population resampled[MAX_RESAMPLED];
    size_t resampled_count;
};

static char first_name[] = "baseline", second_name[] = "load";

static bool is_wanted(const char *list, const char *name)
{
    while (list && *list) {
        size_t length = strcspn(list, ",");
        if (length > 0 && strncmp(list, name, length) == 0)
            return true;
        list += length + (list[length] == ',' ? 1 : 0);
    }
    return !list;
}

static struct cell make_cell(const struct population *population, double oracle, double ratio)
{
    struct cell cell = {.population = population, .ratio = ratio, .narrow = 1};
    struct settings *settings = &cell.settings;
    settings->conditions[0] = first_name;
    settings->conditions[1] = second_name;
    settings->condition_count = ratio > 0 ? 2 : 1;
    settings->metric[WALL_S] = true;
    settings->confidence = 0.95;
    settings->error = 0.05;
    settings->min_runs = DEFAULT_MIN_RUNS;
    settings->max_runs = DEFAULT_MAX_RUNS;
    if (oracle > 0) {
        settings->error = 1.959964 * cell_cv(&cell) / sqrt(oracle);
        settings->max_runs = TIGHT_MAX_RUNS;
    }
    return cell;
}

static size_t add_rows(struct row *rows, const struct population *population, bool quick)
{
    size_t settings = quick ? QUICK_SETTINGS : SETTINGS;
    for (size_t i = 0; i < settings; i++) {
        rows[i] = (struct row){.population = population, .setting = setting_names[i]};
        rows[i].cell[MEAN] = make_cell(population, oracle_errors[i], 0);
        rows[i].cell[SLOWDOWN] = make_cell(population, oracle_errors[i], true_ratio);
        rows[i].cell[SAME] = make_cell(population, oracle_errors[i], 1);
    }
    return settings;
}

static bool run_row(struct row *row, const struct run_options *options, size_t number)
{
    for (size_t i = 0; i < COLUMNS; i++)
        row->cell[i].narrow = options->narrow;
    // In the short form the A/A column would only repeat the slowdown's.
    size_t columns = options->quick ? SAME : COLUMNS;
    return workers_run(row->cell, row->tally, columns, options->experiments,
                       options->seed + 7919 * number, options->threads);
}

static int run_table(const struct run_options *options, struct row *rows)
{
    size_t count = 0;
    bool good = true, kept = true;
    for (size_t i = 0; i < population_count; i++)
        if (is_wanted(options->populations, populations[i].name))
            count += add_rows(rows + count, &populations[i], options->quick);
    for (size_t i = 0; i < options->resampled_count; i++)
        count += add_rows(rows + count, &options->resampled[i], options->quick);
    table_header();
    for (size_t i = 0; good && i < count; i++) {
        good = run_row(&rows[i], options, i);
        table_row(&rows[i]);
        fflush(stdout);
        kept = (!options->quick || table_check(&rows[i])) && kept;
    }
    if (good && !options->quick)
        table_flags(rows, count);
    if (!good)
        fputs("jostle: coverage: no memory or no thread: try --threads 1\n", stderr);
    return good && kept ? 0 : 1;
}

// Of a gate the wrong verdicts count: below where the truth is the limit or
// above it, above where it is the limit or below it.
static bool gate_kept(const struct cell *cell, const struct tally *tally)
{
    double wrong = 0, n = (double)tally->experiments;
    if (cell->ratio >= gate_limit)
        wrong += (double)tally->verdict[VERDICT_BELOW] / n;
    if (cell->ratio <= gate_limit)
        wrong += (double)tally->verdict[VERDICT_ABOVE] / n;
    bool kept = wrong <= 0.05 + 3 * sqrt(0.05 * 0.95 / n);
    if (!kept)
        fprintf(stderr, "broken: %s: the gate is wrong in %.2f %% at a truth of %.2f\n",
                cell->population->name, 100 * wrong, cell->ratio);
    return kept;
}

static int run_gates(const struct run_options *options)
{
    static const char *const names =
        "normal-1%,normal-5%,normal-20%,lognormal-20%,heteroscedastic,outliers-5%,drift,ar1-0.9";
    bool good = true, kept = true;
    table_gate_header(gate_limit);
    for (size_t i = 0; good && i < population_count; i++)
        for (size_t g = 0; good && g < GATES; g++) {
            if (!is_wanted(names, populations[i].name) ||
                !is_wanted(options->populations, populations[i].name) ||
                (options->quick && gate_truths[g] != gate_limit))
                continue;
            struct cell cell = make_cell(&populations[i], 0, gate_truths[g]);
            struct tally tally = {0};
            cell.settings.at_most = gate_limit;
            cell.settings.max_runs = GATE_MAX_RUNS;
            good = workers_run(&cell, &tally, 1, options->experiments,
                               options->seed + 104729 * (i * GATES + g), options->threads);
            table_gate_row(&cell, &tally);
            kept = (!options->quick || gate_kept(&cell, &tally)) && kept;
        }
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
        fprintf(stderr, "jostle: coverage: %s: give a whole number from 1 to 100000000\n", text);
    return good;
}

static bool parse_factor(const char *text, double *value)
{
    char *end;
    *value = strtod(text, &end);
    bool good = end != text && *end == '\0' && *value > 0 && *value < 100;
    if (!good)
        fprintf(stderr, "jostle: coverage: %s: give a factor above 0\n", text);
    return good;
}

static bool take_resample(struct run_options *options, const char *path)
{
    if (options->resampled_count == MAX_RESAMPLED) {
        fprintf(stderr, "jostle: coverage: %s: give at most %d files\n", path, MAX_RESAMPLED);
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
                                          {"list", no_argument, NULL, 'l'},
                                          {"help", no_argument, NULL, 'h'},
                                          {NULL, 0, NULL, 0}};
    bool good = true;
    for (int code; good && (code = getopt_long(argc, argv, "", table, NULL)) != -1;) {
        options->quick = options->quick || code == 'q';
        options->list = options->list || code == 'l';
        options->help = options->help || code == 'h';
        if (code == 'p')
            options->populations = optarg;
        else if (code == 'e')
            good = parse_count(optarg, &options->experiments);
        else if (code == 't')
            good = parse_count(optarg, &options->threads);
        else if (code == 's')
            good = parse_count(optarg, &options->seed);
        else if (code == 'n')
            good = parse_factor(optarg, &options->narrow);
        else if (code == 'r')
            good = take_resample(options, optarg);
        else if (code == '?')
            good = false;
    }
    if (good && optind < argc)
        fprintf(stderr, "jostle: coverage: %s: no such operand: see --help\n", argv[optind]);
    return good && optind == argc;
}

static bool fill_in(struct run_options *options)
{
    long cpus = sysconf(_SC_NPROCESSORS_ONLN);
    bool found = options->resampled_count > 0;
    if (options->threads == 0)
        options->threads = cpus > 0 ? (size_t)cpus : 1;
    if (options->experiments == 0)
        options->experiments = options->quick ? 3000 : 20000;
    if (options->quick && !options->populations)
        options->populations = quick_populations;
    for (size_t i = 0; i < population_count; i++)
        found = found || is_wanted(options->populations, populations[i].name);
    if (!found)
        fprintf(stderr, "jostle: coverage: %s: no such population: see --list\n",
                options->populations);
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
    struct row *rows = calloc((population_count + MAX_RESAMPLED) * SETTINGS, sizeof *rows);
    int code = rows ? run_table(options, rows) : 1;
    free(rows);
    int gates = run_gates(options);
    return code != 0 ? code : gates;
}

int main(int argc, char **argv)
{
    struct run_options options = {.seed = 1, .narrow = 1};
    int code = 2;
    if (parse(&options, argc, argv) && (options.help || options.list || fill_in(&options)))
        code = run(&options);
    for (size_t i = 0; i < options.resampled_count; i++) {
        free((char *)options.resampled[i].name);
        free((double *)options.resampled[i].values);
    }
    return code;
}
