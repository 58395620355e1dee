#include "options.h"

#include "help.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum option_code {
    OPTION_CONDITIONS = 256,
    OPTION_ERROR,
    OPTION_CONFIDENCE,
    OPTION_MIN_RUNS,
    OPTION_MAX_RUNS,
    OPTION_METRIC,
    OPTION_SEED,
    OPTION_IGNORE_FAILURE,
    OPTION_SUMMARY,
    OPTION_SUMMARY_ONLY,
    OPTION_FIRST_STOP,
    OPTION_DISCARD_WARMUP,
    OPTION_AT_MOST,
    OPTION_AA,
    OPTION_COMPARE,
    OPTION_DERIVE,
    OPTION_EXPERIMENT,
    OPTION_PID,
    OPTION_QUIET,
    OPTION_CONDITION,
    OPTION_HELP,
    OPTION_VERSION,
};

static const struct option option_table[] = {
    {"conditions", required_argument, NULL, OPTION_CONDITIONS},
    {"error", required_argument, NULL, OPTION_ERROR},
    {"confidence", required_argument, NULL, OPTION_CONFIDENCE},
    {"min-runs", required_argument, NULL, OPTION_MIN_RUNS},
    {"max-runs", required_argument, NULL, OPTION_MAX_RUNS},
    {"metric", required_argument, NULL, OPTION_METRIC},
    {"seed", required_argument, NULL, OPTION_SEED},
    {"ignore-failure", no_argument, NULL, OPTION_IGNORE_FAILURE},
    {"summary", required_argument, NULL, OPTION_SUMMARY},
    {"summary-only", no_argument, NULL, OPTION_SUMMARY_ONLY},
    {"first-stop", no_argument, NULL, OPTION_FIRST_STOP},
    {"discard-warmup", required_argument, NULL, OPTION_DISCARD_WARMUP},
    {"at-most", required_argument, NULL, OPTION_AT_MOST},
    {"aa", no_argument, NULL, OPTION_AA},
    {"compare", required_argument, NULL, OPTION_COMPARE},
    {"experiment", required_argument, NULL, OPTION_EXPERIMENT},
    {"pid", required_argument, NULL, OPTION_PID},
    {"quiet", no_argument, NULL, OPTION_QUIET},
    {"derive", no_argument, NULL, OPTION_DERIVE},
    {"condition", required_argument, NULL, OPTION_CONDITION},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static bool wrong(const char *option, const char *value, const char *what)
{
    fprintf(stderr, "jostle: stats: --%s %s: give %s\n", option, value, what);
    return false;
}

static bool parse_real(const char *option, const char *text, double low, double high,
                       const char *what, double *value)
{
    char *end;
    errno = 0;
    *value = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(*value > low && *value < high))
        return wrong(option, text, what);
    return true;
}

static bool parse_count(const char *option, const char *text, unsigned long low, unsigned long high,
                        const char *what, unsigned long *value)
{
    char *end;
    errno = 0;
    *value = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 || *value < low ||
        *value > high)
        return wrong(option, text, what);
    return true;
}

static bool is_condition_name(const char *name)
{
    return *name != '\0' &&
           strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._%+-") ==
               strlen(name);
}

static bool add_condition(struct settings *settings, const char *name)
{
    if (settings->condition_count == MAX_CONDITIONS)
        return wrong("conditions", name, "at most 64 names");
    if (!is_condition_name(name))
        return wrong("conditions", name, "names of letters, digits and . _ % + -");
    if (settings_condition(settings, name) >= 0)
        return wrong("conditions", name, "each name once");
    char *copy = strdup(name);
    if (!copy)
        return wrong("conditions", name, "more memory");
    settings->conditions[settings->condition_count++] = copy;
    return true;
}

static bool add_metric(struct settings *settings, const char *name)
{
    bool all = strcmp(name, "all") == 0, found = all;
    for (size_t i = 0; i < METRICS; i++)
        if (all || strcmp(name, metric_names[i]) == 0)
            settings->metric[i] = found = true;
    return found || wrong("metric", name,
                          "wall_s, user_s, system_s, max_rss_bytes (joined by commas) or all");
}

static bool each_name(struct settings *settings, const char *option, const char *list,
                      bool (*add)(struct settings *, const char *))
{
    char *copy = strdup(list), *rest = copy;
    bool good = copy || wrong(option, list, "more memory");
    for (char *name; good && (name = strsep(&rest, ",")) != NULL;)
        good = add(settings, name);
    free(copy);
    return good;
}

static bool parse_size(const char *option, const char *text, unsigned long low, size_t *value)
{
    unsigned long count;
    if (!parse_count(option, text, low, MAX_RUNS_LIMIT,
                     low == 1 ? "a whole number from 1 to 1000000" : "a whole number up to 1000000",
                     &count))
        return false;
    *value = count;
    return true;
}

static bool take_setting(struct settings *settings, int code, const char *value)
{
    switch (code) {
    case OPTION_CONDITIONS:
        return each_name(settings, "conditions", value, add_condition);
    case OPTION_METRIC:
        return each_name(settings, "metric", value, add_metric);
    case OPTION_ERROR:
        return parse_real("error", value, 0, 1e6, "a share above 0, as 0.05", &settings->error);
    case OPTION_CONFIDENCE:
        return parse_real("confidence", value, 0, 1, "a share between 0 and 1, as 0.95",
                          &settings->confidence);
    case OPTION_AT_MOST:
        return parse_real("at-most", value, 0, 1e6, "a ratio above 0, as 1.10", &settings->at_most);
    case OPTION_MIN_RUNS:
        return parse_size("min-runs", value, 1, &settings->min_runs);
    case OPTION_MAX_RUNS:
        return parse_size("max-runs", value, 1, &settings->max_runs);
    case OPTION_DISCARD_WARMUP:
        return parse_size("discard-warmup", value, 0, &settings->discard_warmup);
    case OPTION_SEED:
        return parse_count("seed", value, 0, ~0UL, "a whole number below 2^64", &settings->seed);
    case OPTION_IGNORE_FAILURE:
        return settings->ignore_failure = true;
    case OPTION_AA:
        return settings->aa = true;
    default: // getopt has said what is wrong
        fputs("jostle: estimate --help lists the options\n", stderr);
        return false;
    }
}

static bool take(struct options *options, int code, const char *value)
{
    switch (code) {
    case OPTION_SUMMARY:
        options->summary = value;
        return true;
    case OPTION_SUMMARY_ONLY:
        return options->summary_only = true;
    case OPTION_FIRST_STOP:
        return options->first_stop = true;
    case OPTION_COMPARE:
        options->compare[0] = value;
        return true;
    case OPTION_CONDITION:
        options->condition = value;
        return true;
    case OPTION_EXPERIMENT:
        options->experiment = value;
        return true;
    case OPTION_PID:
        return parse_count("pid", value, 1, 1UL << 31, "a process", &options->pid);
    case OPTION_QUIET:
        return options->quiet = true;
    case OPTION_DERIVE:
        return options->derive = true;
    default:
        return take_setting(&options->settings, code, value);
    }
}

static bool complete(struct options *options)
{
    struct settings *settings = &options->settings;
    if (settings->condition_count == 0 && !add_condition(settings, "baseline"))
        return false;
    if (settings_metric_count(settings) == 0)
        settings->metric[WALL_S] = true;
    if (settings->max_runs == 0)
        settings->max_runs =
            settings->min_runs > DEFAULT_MAX_RUNS ? settings->min_runs : DEFAULT_MAX_RUNS;
    if (settings->min_runs == 0)
        settings->min_runs =
            settings->max_runs < DEFAULT_MIN_RUNS ? settings->max_runs : DEFAULT_MIN_RUNS;
    if (settings->aa && settings_condition(settings, "aa") <= 0) {
        fputs("jostle: stats: --aa: name a condition aa after the first one in --conditions\n",
              stderr);
        return false;
    }
    if (settings->min_runs > settings->max_runs) {
        fprintf(stderr,
                "jostle: stats: --min-runs %zu is more than --max-runs %zu: raise the "
                "one or lower the other\n",
                settings->min_runs, settings->max_runs);
        return false;
    }
    return true;
}

bool options_parse(struct options *options, int argc, char **argv, bool *done)
{
    *options = (struct options){.settings = {.error = 0.05, .confidence = 0.95}};
    *done = false;
    for (int code; (code = getopt_long(argc, argv, "", option_table, NULL)) != -1;) {
        if (code == OPTION_HELP || code == OPTION_VERSION) {
            *done = true;
            return code == OPTION_HELP ? fputs(help_text, stdout) >= 0
                                       : puts("stats " JOSTLE_VERSION) >= 0;
        }
        if (!take(options, code, optarg))
            return false;
    }
    if (options->compare[0] && optind + 1 == argc)
        options->compare[1] = argv[optind++];
    options->folders = argv + optind;
    options->folder_count = argc - optind;
    if (options->derive && optind < argc)
        optind = argc;
    if (optind < argc || (options->compare[0] && !options->compare[1])) {
        fprintf(stderr, "jostle: stats: %s: %s\n", optind < argc ? argv[optind] : "--compare",
                optind < argc ? "no such operand: estimate reads records from standard input"
                              : "give two files");
        return false;
    }
    return complete(options);
}

void options_free(struct options *options)
{
    settings_free(&options->settings);
}
