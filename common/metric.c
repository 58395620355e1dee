#include "common/metric.h"

#include "common/messages.h"
#include "common/text.h"
#include "common/units.h"

#include <ctype.h>
#include <math.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LONGEST_NAME 64

const char *const metric_take_names[] = {
    [TAKE_LAST] = "last", [TAKE_FIRST] = "first",   [TAKE_SUM] = "sum",    [TAKE_MEAN] = "mean",
    [TAKE_MAX] = "max",   [TAKE_HALVES] = "halves", [METRIC_TAKES] = NULL,
};

const char *const metric_role_names[] = {
    [ROLE_RESULT] = "result",   [ROLE_REQUESTS] = "requests", [ROLE_ERRORS] = "errors",
    [ROLE_OFFERED] = "offered", [ROLE_ACHIEVED] = "achieved", [ROLE_HALVES] = "halves",
    [METRIC_ROLES] = NULL,
};

const char *const metric_loop_names[] = {
    [LOOP_UNKNOWN] = "unknown",
    [LOOP_OPEN] = "open",
    [LOOP_CLOSED] = "closed",
    [METRIC_LOOPS] = NULL,
};

const char *const metric_better_names[] = {"lower", "higher", NULL};

static const char *const option_names[] = {"take",     "unit", "better", "role",
                                           "quantile", "loop", NULL};

/* Where a definition is being read, and what was wrong with it. */
struct reader {
    struct metric *metric;
    char *error;
    size_t size;
};

/* Always false: "metric NAME: TEXT". */
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
    return *to != NULL || refuse(reader, "no memory");
}

bool metric_is_definition(const char *text)
{
    return strchr(text, '=') != NULL;
}

static bool is_name(const char *text)
{
    if (!isalpha((unsigned char)*text) && *text != '_')
        return false;
    while (isalnum((unsigned char)*text) || *text == '_')
        text++;
    return *text == '\0';
}

/* The part in front of the first `=`; *rest is what follows. */
static bool read_name(const struct reader *reader, const char *text, const char **rest)
{
    const char *equal = strchr(text, '=');
    const size_t length = equal != NULL ? (size_t)(equal - text) : strlen(text);
    if (!keep(reader, &reader->metric->name, text, length))
        return false;
    if (equal == NULL)
        return refuse(reader, "a definition is NAME=SOURCE, as in p99_ms=stdout:/p99: ([0-9.]+)/");
    if (!is_name(reader->metric->name) || length > LONGEST_NAME)
        return refuse(reader, "a name is of letters, digits and _, does not begin with a digit, "
                              "and has at most 64 characters");
    if (builtin_metric(reader->metric->name) != NULL || strcmp(reader->metric->name, "all") == 0)
        return refuse(reader, "is measured by jostle itself: choose another name");
    *rest = equal + 1;
    return true;
}

/* The index of a word in names; -1 after a message. */
static int choose(const struct reader *reader, const char *option, const char *word,
                  const char *const *names)
{
    char list[128] = "";
    size_t used = 0;
    for (int i = 0; names[i] != NULL; i++) {
        if (strcmp(names[i], word) == 0)
            return i;
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    refuse(reader, "%s=%s: it is one of %s", option, word, list);
    return -1;
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

static bool set_quantile(const struct reader *reader, const char *value)
{
    double *quantile = &reader->metric->quantile;
    return (units_real(value, quantile) == 0 && *quantile > 0 && *quantile < 1) ||
           refuse(reader, "quantile=%s: it is a number between 0 and 1, as in 0.99", value);
}

/* p99 */
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
    for (int i = 0; metric_take_names[i] != NULL; i++)
        if (strcmp(value, metric_take_names[i]) == 0) {
            metric->take = (enum metric_take)i;
            return true;
        }
    return refuse(reader,
                  "take=%s: it is last, first, sum, mean, max, halves, or a percentile "
                  "such as p99",
                  value);
}

static bool set_option(const struct reader *reader, const char *option, const char *value)
{
    struct metric *metric = reader->metric;
    int chosen = 0;
    if (strcmp(option, "unit") == 0)
        return set_unit(reader, value);
    if (strcmp(option, "quantile") == 0)
        return set_quantile(reader, value);
    if (strcmp(option, "take") == 0)
        return set_take(reader, value);
    if (strcmp(option, "better") == 0) {
        chosen = choose(reader, option, value, metric_better_names);
        metric->higher_is_better = chosen == 1;
    } else if (strcmp(option, "loop") == 0) {
        chosen = choose(reader, option, value, metric_loop_names);
        metric->loop = chosen < 0 ? LOOP_UNKNOWN : (enum metric_loop)chosen;
    } else {
        chosen = choose(reader, option, value, metric_role_names);
        metric->role = chosen < 0 ? ROLE_RESULT : (enum metric_role)chosen;
    }
    return chosen >= 0;
}

/* The option's name that begins text, as in "unit=ms"; *value is what follows. NULL. */
static const char *option_of(const char *text, const char **value)
{
    for (size_t i = 0; option_names[i] != NULL; i++) {
        const size_t length = strlen(option_names[i]);
        if (strncmp(text, option_names[i], length) == 0 && text[length] == '=') {
            *value = text + length + 1;
            return option_names[i];
        }
    }
    return NULL;
}

/* Takes options off the end of the text, the last one first; what is given twice is refused. */
static bool read_options(const struct reader *reader, char *text)
{
    const char *seen[sizeof option_names / sizeof option_names[0]] = {NULL};
    size_t count = 0;
    for (;;) {
        char *comma = strrchr(text, ',');
        const char *value, *option = comma != NULL ? option_of(comma + 1, &value) : NULL;
        /* No option ends with the slash of a regular expression. */
        if (option == NULL || (value[0] != '\0' && value[strlen(value) - 1] == '/'))
            return true;
        for (size_t i = 0; i < count; i++)
            if (seen[i] == option)
                return refuse(reader, "%s= is given twice", option);
        seen[count++] = option;
        if (!set_option(reader, option, value))
            return false;
        *comma = '\0';
    }
}

/* What follows the slash that should end a regular expression. */
static bool refuse_tail(const struct reader *reader, const char *text)
{
    const char *comma = strrchr(text, ',');
    const size_t length = comma != NULL ? strcspn(comma + 1, "=") : 0;
    char word[LONGEST_NAME];
    if (length == 0 || length >= sizeof word || comma[1 + length] != '=' ||
        strspn(comma + 1, "abcdefghijklmnopqrstuvwxyz") != length)
        return refuse(reader, "the regular expression is between two slashes, as in "
                              "stdout:/p99: ([0-9.]+)/");
    snprintf(word, sizeof word, "%.*s", (int)length, comma + 1);
    const char *near = nearest_name(word, option_names);
    return refuse(reader, "option %s is not known: %s%s%s", word,
                  near != NULL ? "did you mean "
                               : "there are take, unit, better, role, quantile and loop",
                  near != NULL ? near : "", near != NULL ? "?" : "");
}

static bool check_regex(const struct reader *reader, const char *text)
{
    regex_t regex;
    char why[256];
    const int code = regcomp(&regex, text, REG_EXTENDED);
    if (code != 0) {
        (void)regerror(code, &regex, why, sizeof why);
        return refuse(reader, "/%s/ is no POSIX extended regular expression: %s", text, why);
    }
    const size_t groups = regex.re_nsub;
    regfree(&regex);
    return groups == 1 || refuse(reader,
                                 "/%s/ has %zu groups: put ( ) around the figure, and around "
                                 "nothing else",
                                 text, groups);
}

/* REGEX/ , what follows the first slash. */
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

/* PATH:/REGEX/ or PATH:jq:EXPRESSION. */
static bool read_file(const struct reader *reader, const char *text)
{
    const char *regex = strstr(text, ":/"), *jq = strstr(text, ":jq:");
    const char *end = regex != NULL && (jq == NULL || regex < jq) ? regex : jq;
    reader->metric->source = METRIC_FILE;
    if (end == NULL || end == text)
        return refuse(reader, "file:%s: it is file:PATH:/REGEX/ or file:PATH:jq:EXPRESSION", text);
    if (!keep(reader, &reader->metric->path, text, (size_t)(end - text)))
        return false;
    if (end == regex)
        return read_regex(reader, end + strlen(":/"));
    if (strpbrk(reader->metric->path, METRIC_PATTERN) != NULL)
        return refuse(reader, "file:%s: jq reads one file: give its name, without a pattern",
                      reader->metric->path);
    return read_jq(reader, end + strlen(":jq:"));
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
    if ((rest = text_after(text, "jq:")) != NULL)
        return read_jq(reader, rest);
    if ((rest = text_after(text, "file:")) != NULL)
        return read_file(reader, rest);
    return refuse(reader,
                  "%.60s: a source is stdout:/REGEX/, stderr:/REGEX/, file:PATH:/REGEX/, "
                  "jq:EXPRESSION or file:PATH:jq:EXPRESSION",
                  text);
}

bool metric_parse(struct metric *metric, const char *text, char *error, size_t size)
{
    const struct reader reader = {.metric = metric, .error = error, .size = size};
    const char *source = NULL;
    *metric = (struct metric){.quantile = NAN};
    bool taken = read_name(&reader, text, &source);
    char *rest = taken ? strdup(source) : NULL;
    taken = taken && (rest != NULL || refuse(&reader, "no memory")) &&
            keep(&reader, &metric->unit, "", 0) && read_options(&reader, rest) &&
            read_source(&reader, rest);
    free(rest);
    if (!taken)
        metric_free(metric);
    return taken;
}

const char *metric_take_text(const struct metric *metric, char text[METRIC_TAKE_SIZE])
{
    if (metric->take == TAKE_PERCENTILE)
        snprintf(text, METRIC_TAKE_SIZE, "p%.10g", metric->percentile);
    else
        snprintf(text, METRIC_TAKE_SIZE, "%s", metric_take_names[metric->take]);
    return text;
}

char *metric_definition(const struct metric *metric)
{
    char *text = NULL, take[METRIC_TAKE_SIZE];
    size_t length;
    FILE *stream = open_memstream(&text, &length);
    if (stream == NULL)
        return NULL;
    fprintf(stream, "%s=%s,take=%s", metric->name, metric->source_text,
            metric_take_text(metric, take));
    if (metric->unit[0] != '\0')
        fprintf(stream, ",unit=%s", metric->unit);
    fprintf(stream, ",better=%s", metric_better_names[metric->higher_is_better]);
    if (metric->role != ROLE_RESULT)
        fprintf(stream, ",role=%s", metric_role_names[metric->role]);
    if (!isnan(metric->quantile))
        fprintf(stream, ",quantile=%.15g", metric->quantile);
    if (metric->loop != LOOP_UNKNOWN)
        fprintf(stream, ",loop=%s", metric_loop_names[metric->loop]);
    if (fclose(stream) == 0)
        return text;
    free(text);
    return NULL;
}

void metric_free(struct metric *metric)
{
    free(metric->name);
    free(metric->source_text);
    free(metric->path);
    free(metric->expression);
    free(metric->unit);
    *metric = (struct metric){.quantile = NAN};
}
