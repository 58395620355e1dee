#include "options.h"

#include "load.h"

#include <argp.h>
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HELP_KEY     255
#define FIRST_KEY    256 /* argp: keys up to 255 would be letters */
#define LONGEST_NAME 64

static const struct setting common_settings[] = {
    {"threads", "N", SETTING_COUNT, offsetof(struct common, threads), 1, 4096, NULL, NULL,
     "number of workers (default: the CPUs that affinity, cpuset and cgroup quota allow)"},
    {"cpus", "LIST", SETTING_TEXT, offsetof(struct common, cpus), 0, 0, NULL, NULL,
     "use only these CPUs, such as 0-3,8 (default: all allowed)"},
    {"limit", "RATE", SETTING_TEXT, offsetof(struct common, limit), 0, 0, NULL, NULL,
     "rate of all workers together: 50M, 10MiB/s, 5000iops, 50% of the calibration (default: no "
     "limit)"},
    {"duration", "TIME", SETTING_TIME, offsetof(struct common, duration_ns), 1, 1e18, NULL, NULL,
     "end after this time: 10ms, 2s, 1m (default: run until ended)"},
    {"interval", "TIME", SETTING_TIME, offsetof(struct common, interval_ns), 1e6, 1e18, NULL, NULL,
     "report as often as this (default: only at the end)"},
    {"nice", "N", SETTING_INTEGER, offsetof(struct common, nice), -20, 19, NULL, NULL,
     "run with this nice value (default: as started)"},
    {"json", NULL, SETTING_FLAG, offsetof(struct common, json), 0, 0, NULL, NULL,
     "report as JSON lines"},
    {"control", NULL, SETTING_FLAG, offsetof(struct common, control), 0, 0, NULL, NULL,
     "start paused; read pause, resume, rate VALUE, mark NAME, quit from stdin, answer with JSON "
     "lines; end of file ends the load"},
    {"dry-run", NULL, SETTING_FLAG, offsetof(struct common, dry_run), 0, 0, NULL, NULL,
     "check all options but --limit, say which CPUs the workers would use, and end"},
    {0},
};

struct entry {
    const struct setting *setting;
    char *field; /* the struct that setting->offset counts from */
    char *help;
    bool given;
};

struct options {
    struct run *run;
    size_t count;
    struct entry *entries;
    struct argp_option *argp_options;
    const struct argp *argp;
    int after_wrong; /* index of the word after the one that was refused */
};

void complain(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    flockfile(stderr);
    fputs("jostle: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    funlockfile(stderr);
    va_end(arguments);
}

void usage_error(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("jostle: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

/* Levenshtein's distance; words are cut to LONGEST_NAME. */
static size_t distance(const char *a, const char *b)
{
    size_t row[LONGEST_NAME + 1];
    const size_t width = strnlen(b, LONGEST_NAME);
    for (size_t j = 0; j <= width; j++)
        row[j] = j;
    for (size_t i = 1; i <= strnlen(a, LONGEST_NAME); i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= width; j++) {
            const size_t above = row[j];
            size_t least = diagonal + (a[i - 1] != b[j - 1]);
            if (above + 1 < least)
                least = above + 1;
            if (row[j - 1] + 1 < least)
                least = row[j - 1] + 1;
            row[j] = least;
            diagonal = above;
        }
    }
    return row[width];
}

const char *nearest_name(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t least = strlen(word) / 2 + 1;
    for (; *names != NULL; names++) {
        const size_t far = distance(word, *names);
        if (far <= least && (best == NULL || far < least)) {
            best = *names;
            least = far;
        }
    }
    return best;
}

static void *allocate(size_t count, size_t size)
{
    void *memory = calloc(count, size);
    if (memory == NULL) {
        complain("out of memory while reading options: free some");
        exit(1);
    }
    return memory;
}

/* Parses text into *value by the setting's type; false: it is no such thing. */
static bool parse_number(const struct setting *setting, const char *text, void *field,
                         double *value)
{
    int failed = -1;
    int64_t count;
    switch (setting->type) {
    case SETTING_COUNT:
        failed = units_count(text, &count);
        if (failed == 0 && count >= 0)
            *(uint64_t *)field = (uint64_t)count;
        *value = (double)count;
        break;
    case SETTING_INTEGER:
        failed = units_count(text, field);
        *value = (double)*(int64_t *)field;
        break;
    case SETTING_SIZE:
        failed = units_size(text, field);
        *value = (double)*(uint64_t *)field;
        break;
    case SETTING_TIME:
        failed = units_time(text, field);
        *value = (double)*(int64_t *)field;
        break;
    case SETTING_REAL:
        failed = units_real(text, field);
        *value = *(double *)field;
        break;
    case SETTING_PERCENT:
        failed = units_percent(text, field);
        *value = *(double *)field;
        break;
    default:
        break;
    }
    return failed == 0;
}

static const char *type_name(enum setting_type type)
{
    switch (type) {
    case SETTING_SIZE:
        return "a size such as 4096, 64KiB or 8G";
    case SETTING_TIME:
        return "a time such as 10ms, 2s or 1m";
    case SETTING_PERCENT:
        return "a percentage such as 50 or 12.5%";
    case SETTING_REAL:
        return "a number such as 1.5";
    default:
        return "a whole number";
    }
}

/* A bound as it would be typed. */
static const char *format_bound(const struct setting *setting, double bound, char *text,
                                size_t size)
{
    if (setting->type == SETTING_TIME)
        return units_format_time(bound, text, size);
    if (setting->type == SETTING_SIZE)
        return units_format_size(bound, text, size);
    snprintf(text, size, "%g", bound);
    return text;
}

static void parse_choice(const struct setting *setting, const char *text, int *field)
{
    char all[256] = "";
    for (int i = 0; setting->choices[i] != NULL; i++) {
        if (strcmp(setting->choices[i], text) == 0) {
            *field = i;
            return;
        }
        const size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ", setting->choices[i]);
    }
    usage_error("--%s %s: not known: give one of %s", setting->name, text, all);
}

static void parse_setting(const struct entry *entry, const char *text)
{
    const struct setting *setting = entry->setting;
    void *field = entry->field + setting->offset;
    double value = 0;
    char low[32], high[32];
    switch (setting->type) {
    case SETTING_FLAG:
        *(bool *)field = true;
        return;
    case SETTING_TEXT:
        *(const char **)field = text;
        return;
    case SETTING_CHOICE:
        parse_choice(setting, text, field);
        return;
    default:
        break;
    }
    if (!parse_number(setting, text, field, &value))
        usage_error("--%s %s: not a value: give %s", setting->name, text, type_name(setting->type));
    if (setting->minimum < setting->maximum &&
        (value < setting->minimum || value > setting->maximum))
        usage_error("--%s %s: out of range: give %s to %s", setting->name, text,
                    format_bound(setting, setting->minimum, low, sizeof low),
                    format_bound(setting, setting->maximum, high, sizeof high));
}

/* Whether the load does without a common option. */
static bool is_without(const struct load *load, const char *name)
{
    char padded[256], wanted[LONGEST_NAME];
    snprintf(padded, sizeof padded, " %s ", load->without == NULL ? "" : load->without);
    snprintf(wanted, sizeof wanted, " %s ", name);
    return strstr(padded, wanted) != NULL;
}

static void add_table(struct options *options, const struct setting *table, void *fields,
                      const struct load *load)
{
    for (; table != NULL && table->name != NULL; table++) {
        if (fields == &options->run->common && is_without(load, table->name))
            continue;
        struct entry *entry = &options->entries[options->count];
        *entry = (struct entry){.setting = table, .field = fields};
        entry->help = allocate(1, strlen(table->help) + 64);
        sprintf(entry->help, "%s", table->help);
        if (table->preset != NULL)
            sprintf(entry->help, "%s (default: %.40s)", table->help, table->preset);
        options->argp_options[options->count] = (struct argp_option){
            .name = table->name,
            .key = FIRST_KEY + (int)options->count,
            .arg = table->argument,
            .doc = entry->help,
            .group = load == NULL ? 0 : 1,
        };
        options->count++;
        if (table->preset != NULL)
            parse_setting(entry, table->preset);
    }
}

static size_t table_length(const struct setting *table)
{
    size_t length = 0;
    while (table != NULL && table[length].name != NULL)
        length++;
    return length;
}

static error_t parse_one(int key, char *text, struct argp_state *state)
{
    struct options *options = state->input;
    struct run *run = options->run;
    if (key >= FIRST_KEY && (size_t)(key - FIRST_KEY) < options->count) {
        struct entry *entry = &options->entries[key - FIRST_KEY];
        parse_setting(entry, text);
        entry->given = true;
        return 0;
    }
    if (key == HELP_KEY) {
        /* With ARGP_NO_ERRS, argp's own --help would be silent. */
        argp_help(options->argp, stdout, ARGP_HELP_STD_HELP & ~(unsigned)ARGP_HELP_EXIT_OK,
                  state->name);
        exit(0);
    }
    if (key == ARGP_KEY_ERROR)
        options->after_wrong = state->next; /* argp_parse() itself does not tell it */
    if (key != ARGP_KEY_ARG)
        return key == ARGP_KEY_NO_ARGS || key == ARGP_KEY_END || key == ARGP_KEY_INIT ||
                       key == ARGP_KEY_SUCCESS || key == ARGP_KEY_FINI || key == ARGP_KEY_ERROR
                   ? 0
                   : ARGP_ERR_UNKNOWN;
    if (run->load->arguments == NULL)
        usage_error("%s: an argument too many: loadgen %s takes options only", text,
                    run->load->name);
    if (run->argument_count == 0)
        run->arguments = &state->argv[state->next - 1];
    run->argument_count = state->argc - (int)(run->arguments - state->argv);
    if (strncmp(run->load->arguments, "--", 2) == 0)
        state->next = state->argc; /* a command: its options are its own */
    return 0;
}

/* Says what was wrong with a word that getopt refused. */
static void refuse(const struct options *options, const char *word)
{
    const char **names = allocate(options->count + 2, sizeof *names);
    char name[LONGEST_NAME];
    snprintf(name, sizeof name, "%s", word + strspn(word, "-"));
    name[strcspn(name, "=")] = '\0';
    for (size_t i = 0; i < options->count; i++) {
        const struct setting *setting = options->entries[i].setting;
        names[i] = setting->name;
        if (strcmp(setting->name, name) != 0)
            continue;
        if (setting->argument == NULL)
            usage_error("--%s takes no value: leave out what follows =", name);
        usage_error("--%s needs a value: --%s %s", name, name, setting->argument);
    }
    names[options->count] = "help";
    const char *near = nearest_name(name, names);
    const char *load = options->run->load->name;
    if (near != NULL)
        usage_error("%s: no such option of loadgen %s: did you mean --%s?", word, load, near);
    usage_error("%s: no such option of loadgen %s: see loadgen %s --help", word, load, load);
}

void options_parse(struct run *run, int argc, char **argv)
{
    const struct load *load = run->load;
    const size_t most = table_length(common_settings) + table_length(load->settings) + 1;
    struct options *options = allocate(1, sizeof *options);
    options->run = run;
    options->entries = allocate(most, sizeof *options->entries);
    options->argp_options = allocate(most + 1, sizeof *options->argp_options);
    run->options = options;
    run->settings = allocate(1, load->settings_size + 1);
    add_table(options, load->settings, run->settings, NULL);
    add_table(options, common_settings, &run->common, load);
    options->argp_options[options->count] =
        (struct argp_option){.name = "help", .key = HELP_KEY, .doc = "show this help", .group = -1};

    char *documentation = allocate(1, strlen(load->summary) + 8192);
    sprintf(documentation, "%s\v%.8000s", load->summary,
            load->details == NULL ? "" : load->details);
    const struct argp argp = {
        options->argp_options, parse_one, load->arguments, documentation, NULL, NULL, NULL};
    options->argp = &argp;
    const unsigned flags =
        ARGP_NO_ERRS | ARGP_NO_HELP |
        (load->arguments != NULL && strncmp(load->arguments, "--", 2) == 0 ? ARGP_IN_ORDER : 0);
    const error_t error = argp_parse(&argp, argc, argv, flags, NULL, options);
    free(documentation);
    if (error != 0)
        refuse(options, argv[options->after_wrong > 1 ? options->after_wrong - 1 : 1]);
}

bool options_given(const struct run *run, const char *name)
{
    for (size_t i = 0; i < run->options->count; i++)
        if (strcmp(run->options->entries[i].setting->name, name) == 0)
            return run->options->entries[i].given;
    return false;
}

void options_free(struct run *run)
{
    struct options *options = run->options;
    if (options == NULL)
        return;
    for (size_t i = 0; i < options->count; i++)
        free(options->entries[i].help);
    free(options->entries);
    free(options->argp_options);
    free(options);
    free(run->settings);
    run->options = NULL;
    run->settings = NULL;
}
