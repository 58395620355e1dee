#include "options.h"

#include "clock.h"
#include "help.h"
#include "message.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A century: more would not fit into 64 bits of nanoseconds for long.
#define TIMEOUT_MAX_S 3.15e9

enum option_code {
    OPTION_TIMEOUT = 256,
    OPTION_OUTPUT,
    OPTION_STDIN,
    OPTION_STDOUT,
    OPTION_STDERR,
    OPTION_CPUS,
    OPTION_NICE,
    OPTION_WITH_PARENT,
    OPTION_ACCOUNTING,
    OPTION_SERVE,
    OPTION_COUNTERS,
    OPTION_HELP,
    OPTION_VERSION,
};

static const struct option option_table[] = {
    {"timeout", required_argument, NULL, OPTION_TIMEOUT},
    {"output", required_argument, NULL, OPTION_OUTPUT},
    {"stdin", required_argument, NULL, OPTION_STDIN},
    {"stdout", required_argument, NULL, OPTION_STDOUT},
    {"stderr", required_argument, NULL, OPTION_STDERR},
    {"cpus", required_argument, NULL, OPTION_CPUS},
    {"nice", required_argument, NULL, OPTION_NICE},
    {"with-parent", no_argument, NULL, OPTION_WITH_PARENT},
    {"accounting", required_argument, NULL, OPTION_ACCOUNTING},
    {"serve", no_argument, NULL, OPTION_SERVE},
    {"counters", required_argument, NULL, OPTION_COUNTERS},
    {"help", no_argument, NULL, OPTION_HELP},
    {"version", no_argument, NULL, OPTION_VERSION},
    {NULL, 0, NULL, 0},
};

static const char *const accounting_names[] = {
    [ACCOUNTING_AUTO] = "auto",       [ACCOUNTING_CGROUP2] = "cgroup2",
    [ACCOUNTING_CGROUP1] = "cgroup1", [ACCOUNTING_RUSAGE] = "rusage",
    [ACCOUNTING_CGROUP] = "cgroup",
};

const char *accounting_name(enum accounting accounting)
{
    return accounting_names[accounting];
}

static bool parse_timeout(int64_t *timeout_ns, const char *text)
{
    char *end;
    errno = 0;
    const double seconds = strtod(text, &end);
    if (end == text || *end != '\0' || errno != 0 || !(seconds >= 1e-3 && seconds <= TIMEOUT_MAX_S))
        return complain("--timeout %s: give seconds, 0.001 or more", text);
    *timeout_ns = (int64_t)(seconds * (double)NS_PER_S);
    return true;
}

static bool parse_nice(int *nice_value, const char *text)
{
    char *end;
    errno = 0;
    const long value = strtol(text, &end, 10);
    if (end == text || *end != '\0' || errno != 0 || value < -20 || value > 19)
        return complain("--nice %s: give a whole number from -20 to 19", text);
    *nice_value = (int)value;
    return true;
}

static bool parse_accounting(enum accounting *accounting, const char *text)
{
    for (size_t i = 0; i < sizeof accounting_names / sizeof *accounting_names; i++) {
        if (strcmp(text, accounting_names[i]) == 0) {
            *accounting = (enum accounting)i;
            return true;
        }
    }
    return complain("--accounting %s: give auto, cgroup, cgroup2, cgroup1 or rusage", text);
}

static bool parse_counters(enum counter_set *set, const char *text)
{
    static const char *const names[] = {
        [COUNTERS_HARDWARE] = "hardware",
        [COUNTERS_SOFTWARE] = "software",
        [COUNTERS_NONE] = "none",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(text, names[i]) == 0) {
            *set = (enum counter_set)i;
            return true;
        }
    }
    return complain("--counters %s: give hardware, software or none", text);
}

static bool take(struct options *options, int code, char *value)
{
    switch (code) {
    case OPTION_TIMEOUT:
        return parse_timeout(&options->timeout_ns, value);
    case OPTION_OUTPUT:
        options->output = value;
        return true;
    case OPTION_STDIN:
        options->in_path = value;
        return true;
    case OPTION_STDOUT:
        options->out_path = value;
        return true;
    case OPTION_STDERR:
        options->error_path = value;
        return true;
    case OPTION_CPUS:
        options->has_cpus = true;
        return cpus_parse(&options->cpus, value) ||
               complain("--cpus %s: give a list of CPUs, as in 0-3,8", value);
    case OPTION_NICE:
        options->has_nice = true;
        return parse_nice(&options->nice, value);
    case OPTION_WITH_PARENT:
        options->with_parent = true;
        return true;
    case OPTION_SERVE:
        options->serve = true;
        return true;
    case OPTION_COUNTERS:
        return parse_counters(&options->counters, value);
    default:
        return parse_accounting(&options->accounting, value);
    }
}

static bool unknown(char **argv, int code)
{
    // Short options, of which there are none, may stand several in one word.
    if (optopt > 0 && optopt < 256)
        return complain("-%c is not an option of meter: see meter --help", optopt);
    const char *word = argv[optind - 1];
    if (code == ':')
        return complain("%s needs a value: see meter --help", word);
    return complain("%s is not an option of meter, or not a unique one: see meter --help", word);
}

enum options_result options_parse(struct options *options, int argc, char **argv)
{
    int code;
    *options = (struct options){.output = "-"};
    // '+': the first word that is no option begins the command.
    while ((code = getopt_long(argc, argv, "+:", option_table, NULL)) != -1) {
        if (code == OPTION_HELP)
            return fputs(help_text, stdout) < 0 ? OPTIONS_WRONG : OPTIONS_DONE;
        if (code == OPTION_VERSION)
            return puts("meter " JOSTLE_VERSION) < 0 ? OPTIONS_WRONG : OPTIONS_DONE;
        if (code == '?' || code == ':') {
            unknown(argv, code);
            return OPTIONS_WRONG;
        }
        if (!take(options, code, optarg))
            return OPTIONS_WRONG;
    }
    // Our own stdin has the commands.
    if (options->serve && options->in_path == NULL)
        options->in_path = "/dev/null";
    options->command = argv + optind;
    if (options->command[0] == NULL) {
        complain("no command: give one after --, as in meter -- sleep 1");
        return OPTIONS_WRONG;
    }
    return OPTIONS_RUN;
}
