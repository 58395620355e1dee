// Reads how a metric is defined (--metric), and names the built-in ones.

#include "metric.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "messages.h"
#include "pattern.h"
#include "text.h"
#include "units.h"

#define PERF   "perf:"
#define ENERGY "energy:"

static const char *const metric_take_names[] = {
    [TAKE_LAST] = "last", [TAKE_FIRST] = "first",   [TAKE_SUM] = "sum",   [TAKE_MEAN] = "mean",
    [TAKE_MAX] = "max",   [TAKE_HALVES] = "halves", [TAKE_ONLY] = "only", [METRIC_TAKES] = NULL,
};

static const char *const metric_role_names[] = {
    [ROLE_RESULT] = "result",   [ROLE_REQUESTS] = "requests", [ROLE_ERRORS] = "errors",
    [ROLE_OFFERED] = "offered", [ROLE_ACHIEVED] = "achieved", [ROLE_HALVES] = "halves",
    [ROLE_THREADS] = "threads", [METRIC_ROLES] = NULL,
};

static const char *const metric_loop_names[] = {
    [LOOP_UNKNOWN] = "unknown", [LOOP_OPEN] = "open",  [LOOP_CLOSED] = "closed",
    [LOOP_RATED] = "rated",     [METRIC_LOOPS] = NULL,
};

static const char *const metric_comma_names[] = {
    [COMMA_UNKNOWN] = "unknown",
    [COMMA_THOUSANDS] = "thousands",
    [COMMA_DECIMAL] = "decimal",
    [METRIC_COMMAS] = NULL,
};

const char *const metric_better_names[] = {"lower", "higher", NULL};

enum option { TAKE, SCALE, COMMA, UNIT, BETTER, ROLE, QUANTILE, LOOP, IDLE, OPTIONS };

const char *const metric_option_names[] = {
    [TAKE] = "take",     [SCALE] = "scale", [COMMA] = "comma",       [UNIT] = "unit",
    [BETTER] = "better", [ROLE] = "role",   [QUANTILE] = "quantile", [LOOP] = "loop",
    [IDLE] = "idle",     [OPTIONS] = NULL,
};

// Those that are numbers: where, between 0 and what; and those that are one of some names.
static const struct {
    size_t offset;
    double below;
    bool or_zero;
    const char *what;
    const char *const *names;
} values[OPTIONS] = {
    [SCALE] = {offsetof(struct metric, scale), INFINITY, false, "above 0, as in 1048576 or 1e-3",
               NULL},
    [QUANTILE] = {offsetof(struct metric, quantile), 1, false, "between 0 and 1, as in 0.99", NULL},
    [IDLE] = {offsetof(struct metric, idle_w), INFINITY, true, "of watts, as in 12.5", NULL},
    [COMMA] = {.names = metric_comma_names},
    [BETTER] = {.names = metric_better_names},
    [ROLE] = {.names = metric_role_names},
    [LOOP] = {.names = metric_loop_names},
};

// Where a definition is being read, and what was wrong with it.
struct reader {
    struct metric *metric;
    char *error;
    size_t size;
};

static bool is_given(const struct metric *metric, enum option option)
{
    return (metric->given & 1U << option) != 0;
}

// Always false: "metric NAME: TEXT".
static bool __attribute__((format(printf, 2, 3)))
refuse(const struct reader *reader, const char *format, ...)
{
    const char *name = reader->metric->name;
    va_list arguments;
    int used = snprintf(reader->error, reader->size, "metric %s: ", name != NULL ? name : "");
    if (used < 0 || (size_t)used >= reader->size)
        return false;
    va_start(arguments, format);
    (void)vsnprintf(reader->error + used, reader->size - (size_t)used, format, arguments);
    va_end(arguments);
    return false;
}

static bool keep(const struct reader *reader, char **to, const char *text, size_t length)
{
    free(*to);
    *to = strndup(text, length);
    return *to || refuse(reader, "no memory");
}

bool metric_is_definition(const char *text)
{
    return strchr(text, '=') || text_after(text, PERF) || text_after(text, ENERGY);
}

bool metric_is_output(const struct metric *metric)
{
    return metric->source != METRIC_PERF && metric->source != METRIC_ENERGY;
}

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return *text == '\0';
}

// The part of the name behind an @, which is taken off it.
static bool read_variant(const struct reader *reader)
{
    char *at = strchr(reader->metric->name, '@');
    if (!at)
        return true;
    if (!keep(reader, &reader->metric->variant, at + 1, strlen(at + 1)))
        return false;
    *at = '\0';
    return reader->metric->variant[0] != '\0' ||
           refuse(reader, "no variant behind @: write its name, as in rate@new=SOURCE");
}

// The name of what has a source and no name: perf_IPC.
static bool make_name(const struct reader *reader, const char *source)
{
    char name[METRIC_NAME_SIZE];
    const size_t length = strcspn(source, ",");
    snprintf(name, sizeof name, "%.*s", (int)length, source);
    for (char *c = name; *c != '\0'; c++)
        if (!isalnum((unsigned char)*c))
            *c = '_';
    return keep(reader, &reader->metric->name, name, strlen(name));
}

// The part in front of the first `=`; *rest is what follows.
static bool read_name(const struct reader *reader, const char *text, const char **rest)
{
    const char *equal = strchr(text, '=');
    if (text_after(text, PERF) || text_after(text, ENERGY)) {
        *rest = text;
        return make_name(reader, text);
    }
    const size_t length = equal ? (size_t)(equal - text) : strlen(text);
    if (!keep(reader, &reader->metric->name, text, length))
        return false;
    if (!equal)
        return refuse(reader, "a definition is NAME=SOURCE, as in p99_ms=stdout:/p99: ([0-9.]+)/");
    if (!read_variant(reader))
        return false;
    if (!is_name(reader->metric->name) || strlen(reader->metric->name) >= METRIC_NAME_SIZE)
        return refuse(reader, "a name is of letters, digits and _, does not begin with a digit, "
                              "and has at most 64 characters");
    if (builtin_metric(reader->metric->name) || strcmp(reader->metric->name, "all") == 0)
        return refuse(reader, "is measured by jostle itself: choose another name");
    *rest = equal + 1;
    return true;
}

static bool set_unit(const struct reader *reader, const char *unit)
{
    for (const char *c = unit; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            return refuse(reader, "unit=: a unit has no control characters");
    if (unit[0] == '\0')
        return refuse(reader, "unit= is empty: name the unit, or leave it out");
    return keep(reader, &reader->metric->unit, unit, strlen(unit));
}

static bool set_number(const struct reader *reader, enum option option, const char *value)
{
    double *number = (double *)(void *)((char *)reader->metric + values[option].offset);
    return (units_real(value, number) == 0 && *number < values[option].below &&
            (*number > 0 || (values[option].or_zero && *number == 0))) ||
           refuse(reader, "%s=%s: it is a number %s", metric_option_names[option], value,
                  values[option].what);
}

// p99
static bool is_percentile(const char *value, double *percentile)
{
    return value[0] == 'p' && units_real(value + 1, percentile) == 0 && *percentile > 0 &&
           *percentile < 100;
}

static bool set_take(const struct reader *reader, const char *value)
{
    struct metric *metric = reader->metric;
    if (is_percentile(value, &metric->percentile)) {
        metric->take = TAKE_PERCENTILE;
        return true;
    }
    for (int i = 0; metric_take_names[i]; i++)
        if (strcmp(value, metric_take_names[i]) == 0) {
            metric->take = (enum metric_take)i;
            return true;
        }
    return refuse(reader,
                  "take=%s: it is last, first, sum, mean, max, halves, only, or a percentile "
                  "such as p99",
                  value);
}

static bool set_choice(const struct reader *reader, enum option option, const char *value)
{
    const char *const *const names = values[option].names;
    char list[128] = "";
    size_t used = 0, chosen = 0;
    for (; names[chosen] && strcmp(names[chosen], value) != 0; chosen++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", chosen > 0 ? ", " : "",
                                 names[chosen]);
    if (!names[chosen])
        return refuse(reader, "%s=%s: it is one of %s", metric_option_names[option], value, list);
    if (option == BETTER)
        reader->metric->higher_is_better = chosen == 1;
    else if (option == COMMA)
        reader->metric->comma = (enum metric_comma)chosen;
    else if (option == LOOP)
        reader->metric->loop = (enum metric_loop)chosen;
    else
        reader->metric->role = (enum metric_role)chosen;
    return true;
}

static bool set_option(const struct reader *reader, enum option option, const char *value)
{
    if (option == UNIT)
        return set_unit(reader, value);
    if (option == TAKE)
        return set_take(reader, value);
    return values[option].names ? set_choice(reader, option, value)
                                : set_number(reader, option, value);
}

// The option that begins text, as in "unit=ms"; *value is what follows. OPTIONS: none does.
static enum option option_of(const char *text, const char **value)
{
    for (enum option i = 0; i < OPTIONS; i++) {
        const size_t length = strlen(metric_option_names[i]);
        if (strncmp(text, metric_option_names[i], length) == 0 && text[length] == '=') {
            *value = text + length + 1;
            return i;
        }
    }
    return OPTIONS;
}

// Takes options off the end of the text, the last one first; what is given twice is refused.
static bool read_options(const struct reader *reader, char *text)
{
    for (;;) {
        char *comma = strrchr(text, ',');
        const char *value;
        const enum option option = comma ? option_of(comma + 1, &value) : OPTIONS;
        // No option ends with the slash of a regular expression.
        if (option == OPTIONS || (value[0] != '\0' && value[strlen(value) - 1] == '/'))
            return true;
        if (is_given(reader->metric, option))
            return refuse(reader, "%s= is given twice", metric_option_names[option]);
        reader->metric->given |= 1U << option;
        if (!set_option(reader, option, value))
            return false;
        *comma = '\0';
    }
}

// What follows the slash that should end a regular expression.
static bool refuse_tail(const struct reader *reader, const char *text)
{
    const char *comma = strrchr(text, ',');
    const size_t length = comma ? strcspn(comma + 1, "=") : 0;
    char word[METRIC_NAME_SIZE];
    if (length == 0 || length >= sizeof word || comma[1 + length] != '=' ||
        strspn(comma + 1, "abcdefghijklmnopqrstuvwxyz") != length)
        return refuse(reader, "the regular expression is between two slashes, as in "
                              "stdout:/p99: ([0-9.]+)/");
    snprintf(word, sizeof word, "%.*s", (int)length, comma + 1);
    const char *near = nearest_name(word, metric_option_names);
    return refuse(reader, "option %s is not known: %s%s%s", word,
                  near != NULL
                      ? "did you mean "
                      : "there are take, scale, comma, unit, better, role, quantile, loop and idle",
                  near != NULL ? near : "", near != NULL ? "?" : "");
}

static bool check_regex(const struct reader *reader, const char *text)
{
    regex_t regex;
    char why[256];
    if (!pattern_compile(&regex, text, 0, why, sizeof why))
        return refuse(reader, "/%.80s%s/ is no POSIX extended regular expression: %s", text,
                      strlen(text) > 80 ? "..." : "", why);
    const size_t groups = regex.re_nsub;
    regfree(&regex);
    return groups == 1 || refuse(reader,
                                 "/%s/ has %zu groups: put ( ) around the figure, and around "
                                 "nothing else",
                                 text, groups);
}

// REGEX/ , what follows the first slash.
static bool read_regex(const struct reader *reader, const char *text)
{
    const size_t length = strlen(text);
    if (length == 0 || text[length - 1] != '/')
        return refuse_tail(reader, text);
    return keep(reader, &reader->metric->expression, text, length - 1) &&
           check_regex(reader, reader->metric->expression);
}

static bool read_jq(const struct reader *reader, const char *text)
{
    if (text[strspn(text, " \t\n")] == '\0')
        return refuse(reader, "jq: has no expression, as in jq:.latency.p99");
    reader->metric->is_jq = true;
    return keep(reader, &reader->metric->expression, text, strlen(text));
}

// PATH:/REGEX/ or PATH:jq:EXPRESSION.
static bool read_file(const struct reader *reader, const char *text)
{
    const char *regex = strstr(text, ":/"), *jq = strstr(text, ":jq:");
    const char *end = regex && (!jq || regex < jq) ? regex : jq;
    reader->metric->source = METRIC_FILE;
    if (!end || end == text)
        return refuse(reader, "file:%s: it is file:PATH:/REGEX/ or file:PATH:jq:EXPRESSION", text);
    if (!keep(reader, &reader->metric->path, text, (size_t)(end - text)))
        return false;
    if (end == regex)
        return read_regex(reader, end + strlen(":/"));
    if (strpbrk(reader->metric->path, METRIC_PATTERN))
        return refuse(reader, "file:%s: jq reads one file: give its name, without a pattern",
                      reader->metric->path);
    return read_jq(reader, end + strlen(":jq:"));
}

// The events that are times, which the kernel gives in ns; a ratio of them has another name.
static bool is_clock(const char *event)
{
    const size_t length = strcspn(event, ":");
    if (strchr(event, '/'))
        return false;
    return (length == strlen("task-clock") && strncmp(event, "task-clock", length) == 0) ||
           (length == strlen("cpu-clock") && strncmp(event, "cpu-clock", length) == 0);
}

// EVENT[/EVENT], IPC or MPKI.
static bool read_perf(const struct reader *reader, const char *text)
{
    struct metric *metric = reader->metric;
    const bool ipc = strcmp(text, "IPC") == 0, mpki = strcmp(text, "MPKI") == 0;
    metric->source = METRIC_PERF;
    if (*text == '\0')
        return refuse(reader, "perf: has no event, as in perf:context-switches");
    if (ipc && !is_given(metric, BETTER))
        metric->higher_is_better = true;
    if (mpki && !is_given(metric, SCALE))
        metric->scale = 1000;
    if (is_clock(text) && !is_given(metric, UNIT) && !is_given(metric, SCALE) &&
        !keep(reader, &metric->unit, "ns", 2))
        return false;
    text = ipc ? "instructions/cycles" : mpki ? "cache-misses/instructions" : text;
    return keep(reader, &metric->expression, text, strlen(text));
}

static bool read_energy(const struct reader *reader, const char *text)
{
    const bool whole = strcmp(text, "package") == 0;
    reader->metric->source = METRIC_ENERGY;
    if (!whole && strcmp(text, "idle-share") != 0)
        return refuse(reader, "energy:%.40s: it is energy:package or energy:idle-share", text);
    if (whole && !is_given(reader->metric, UNIT) && !keep(reader, &reader->metric->unit, "J", 1))
        return false;
    return keep(reader, &reader->metric->expression, text, strlen(text));
}

static bool read_source(const struct reader *reader, const char *text)
{
    const char *rest;
    if (!keep(reader, &reader->metric->source_text, text, strlen(text)))
        return false;
    if ((rest = text_after(text, "stdout:/")) != NULL)
        return read_regex(reader, rest);
    if ((rest = text_after(text, "stderr:/")) != NULL) {
        reader->metric->source = METRIC_STDERR;
        return read_regex(reader, rest);
    }
    if ((rest = text_after(text, "command:/")) != NULL) {
        reader->metric->source = METRIC_COMMAND;
        return read_regex(reader, rest);
    }
    if ((rest = text_after(text, "jq:")) != NULL)
        return read_jq(reader, rest);
    if ((rest = text_after(text, "file:")) != NULL)
        return read_file(reader, rest);
    if ((rest = text_after(text, PERF)) != NULL)
        return read_perf(reader, rest);
    if ((rest = text_after(text, ENERGY)) != NULL)
        return read_energy(reader, rest);
    return refuse(reader,
                  "%.60s%sa source is stdout:/REGEX/, stderr:/REGEX/, file:PATH:/REGEX/, "
                  "jq:EXPRESSION, file:PATH:jq:EXPRESSION, perf:EVENT[/EVENT] or energy:package",
                  text, *text == '\0' ? "" : ": ");
}

bool metric_parse(struct metric *metric, const char *text, char *error, size_t size)
{
    const struct reader reader = {.metric = metric, .error = error, .size = size};
    const char *source = NULL;
    *metric = (struct metric){.scale = 1, .quantile = NAN, .idle_w = NAN};
    bool taken = read_name(&reader, text, &source);
    char *rest = taken ? strdup(source) : NULL;
    taken = taken && (rest || refuse(&reader, "no memory")) &&
            keep(&reader, &metric->unit, "", 0) && read_options(&reader, rest) &&
            read_source(&reader, rest);
    free(rest);
    if (!taken)
        metric_free(metric);
    return taken;
}

const char *metric_take_text(const struct metric *metric, char text[METRIC_VALUE_SIZE])
{
    if (metric->take == TAKE_PERCENTILE)
        units_exact_real(metric->percentile, strcpy(text, "p") + 1, METRIC_VALUE_SIZE - 1);
    else
        snprintf(text, METRIC_VALUE_SIZE, "%s", metric_take_names[metric->take]);
    return text;
}

const char *metric_option(const struct metric *metric, size_t index, char text[METRIC_VALUE_SIZE])
{
    const enum option option = (enum option)index;
    const double number = option == SCALE      ? metric->scale
                          : option == QUANTILE ? metric->quantile
                                               : metric->idle_w;
    const size_t chosen = option == BETTER  ? metric->higher_is_better
                          : option == COMMA ? metric->comma
                          : option == ROLE  ? metric->role
                                            : metric->loop;
    if (option == TAKE)
        return metric_take_text(metric, text);
    if (option == UNIT)
        return metric->unit;
    if (values[option].names)
        return chosen > 0 || option == BETTER ? values[option].names[chosen] : "";
    return isnan(number) || (option == SCALE && number == 1)
               ? ""
               : units_exact_real(number, text, METRIC_VALUE_SIZE);
}

bool metric_agree(struct metric *one, struct metric *other, char *error, size_t size)
{
    struct metric *const both[] = {one, other};
    for (enum option i = UNIT; i <= LOOP; i++) {
        char text[2][METRIC_VALUE_SIZE];
        const char *const value[] = {metric_option(one, i, text[0]),
                                     metric_option(other, i, text[1])};
        if (is_given(one, i) && is_given(other, i) && strcmp(value[0], value[1]) != 0)
            return refuse(&(struct reader){one, error, size},
                          "%s= is not the same for all variants: it is of the metric: give it once",
                          metric_option_names[i]);
        for (int k = 0; k < 2; k++)
            if (is_given(both[k], i) && !is_given(both[!k], i)) {
                const struct reader to = {both[!k], error, size};
                both[!k]->given |= 1U << i;
                // An empty value is the usual one, which the other has already.
                if (*value[k] != '\0' && !set_option(&to, i, value[k]))
                    return false;
                break;
            }
    }
    return true;
}

char *metric_definition(const struct metric *metric)
{
    char *text = NULL, number[METRIC_VALUE_SIZE];
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (!stream)
        return NULL;
    fprintf(stream, "%s%s%s=%s", metric->name, metric->variant != NULL ? "@" : "",
            metric->variant != NULL ? metric->variant : "", metric->source_text);
    for (size_t i = 0; metric_option_names[i]; i++) {
        const char *value = metric_option(metric, i, number);
        if (*value != '\0')
            fprintf(stream, ",%s=%s", metric_option_names[i], value);
    }
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

void metric_free(struct metric *metric)
{
    free(metric->name);
    free(metric->variant);
    free(metric->source_text);
    free(metric->path);
    free(metric->expression);
    free(metric->unit);
    *metric = (struct metric){.quantile = NAN};
}

// Of a program that does the same work, less of any of these is better.
const struct builtin_metric builtin_metrics[] = {
    {"wall_s", {"wall_s"}, false, 1, "s", NEEDS_NO_COUNTERS},
    {"user_s", {"user_s"}, false, 1, "s", NEEDS_NO_COUNTERS},
    {"system_s", {"system_s"}, false, 1, "s", NEEDS_NO_COUNTERS},
    {"max_rss_bytes", {"max_rss_bytes"}, false, 1, "B", NEEDS_NO_COUNTERS},
    {"cpu_s", {"user_s", "system_s"}, false, 1, "s", NEEDS_NO_COUNTERS},
    {"wall_without_wait_s", {"wall_s"}, true, 1, "s", NEEDS_NO_COUNTERS},
    {"tree_peak_bytes", {"tree_peak_bytes"}, false, 1, "B", NEEDS_TREE_MEMORY},
    {"instructions", {"counters.instructions"}, false, 1, "", NEEDS_HARDWARE_COUNTERS},
    {"cycles", {"counters.cycles"}, false, 1, "", NEEDS_HARDWARE_COUNTERS},
    {"cache_references", {"counters.cache_references"}, false, 1, "", NEEDS_HARDWARE_COUNTERS},
    {"cache_misses", {"counters.cache_misses"}, false, 1, "", NEEDS_HARDWARE_COUNTERS},
    {"task_clock_s", {"counters.task_clock_ns"}, false, 1e-9, "s", NEEDS_SOFTWARE_COUNTERS},
    {"page_faults", {"counters.page_faults"}, false, 1, "", NEEDS_SOFTWARE_COUNTERS},
    {"minor_faults", {"minor_faults"}, false, 1, "", NEEDS_NO_COUNTERS},
    {"major_faults", {"major_faults"}, false, 1, "", NEEDS_NO_COUNTERS},
    {"context_switches", {"counters.context_switches"}, false, 1, "", NEEDS_SOFTWARE_COUNTERS},
    {"voluntary_switches", {"voluntary_switches"}, false, 1, "", NEEDS_NO_COUNTERS},
    {"involuntary_switches", {"involuntary_switches"}, false, 1, "", NEEDS_NO_COUNTERS},
    {"service_cpu_s", {"service.cpu_s"}, false, 1, "s", NEEDS_NO_COUNTERS},
    {"service_memory_bytes", {"service.memory_bytes"}, false, 1, "B", NEEDS_NO_COUNTERS},
    {0},
};

const struct builtin_metric *builtin_metric(const char *name)
{
    for (const struct builtin_metric *metric = builtin_metrics; metric->name; metric++)
        if (strcmp(metric->name, name) == 0)
            return metric;
    return NULL;
}

const char *builtin_metric_nearest(const char *name)
{
    const char *names[sizeof builtin_metrics / sizeof builtin_metrics[0]];
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        names[i] = builtin_metrics[i].name;
    return nearest_name(name, names);
}
