// Reads what a command line says of objectives, of what is varied, of washouts, and names
// statistics.
#include "objective.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "common/units.h"

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";

enum { FIRST_DIGIT = sizeof letters - 1 - 10 };

// The length of the name at the beginning of text; 0: there is none that fits.
static size_t name_length(const char *text)
{
    const size_t length = strspn(text, letters);
    const char *first = length > 0 ? strchr(letters, text[0]) : NULL;
    return first && first - letters < FIRST_DIGIT && length < METRIC_NAME_SIZE ? length : 0;
}

static bool parse_one(const char *text, struct objective *objective)
{
    const size_t length = name_length(text);
    const char *at = text + length;
    *objective = (struct objective){.at_least = *at == '>'};
    if (length == 0 || (*at != '<' && *at != '>'))
        return false;
    memcpy(objective->metric, text, length);
    objective->or_equal = at[1] == '=';
    return units_real(at + (objective->or_equal ? 2 : 1), &objective->limit) == 0 &&
           isfinite(objective->limit) && objective->limit >= 0;
}

bool objectives_parse(const char *text, struct objectives *objectives, char *error, size_t size)
{
    char one[METRIC_NAME_SIZE + 64];
    *objectives = (struct objectives){0};
    for (const char *at = text;; at++) {
        const size_t length = strcspn(at, ",");
        snprintf(one, sizeof one, "%.*s", (int)length, at);
        if (objectives->count == OBJECTIVES_MAX || length >= sizeof one ||
            !parse_one(one, &objectives->item[objectives->count])) {
            snprintf(error, size,
                     "not METRIC<VALUE or METRIC>VALUE (or <=, >=; at most %d, joined by commas): "
                     "give one such as 'p99_ms<2'",
                     OBJECTIVES_MAX);
            return false;
        }
        objectives->count++;
        at += length;
        if (*at == '\0')
            return true;
    }
}

bool objectives_check(const char *text, char *error, size_t size)
{
    struct objectives ignored;
    return objectives_parse(text, &ignored, error, size);
}

double objective_distance(const struct objective *objective, double figure)
{
    const double limit = objective->limit;
    const bool kept = (objective->or_equal && figure == limit) ||
                      (objective->at_least ? figure > limit : figure < limit);
    const double distance = objective->at_least ? log(limit / figure) : log(figure / limit);
    // 0 is on the border, which belongs to one side; what has no logarithm is far away.
    if (isfinite(distance) && distance != 0 && (distance < 0) == kept)
        return distance;
    if (isfinite(distance))
        return kept ? -1e-9 : 1e-9;
    return kept ? -INFINITY : INFINITY;
}

static bool parse_range(const char *text, struct vary *vary)
{
    char low[64];
    uint64_t ignored;
    const char *dots = strstr(text, "..");
    const size_t length = dots ? (size_t)(dots - text) : 0;
    if (length == 0 || length >= sizeof low)
        return false;
    memcpy(low, text, length);
    low[length] = '\0';
    vary->whole = units_count(low, &ignored) == 0 && units_count(dots + 2, &ignored) == 0;
    return units_real(low, &vary->low) == 0 && units_real(dots + 2, &vary->high) == 0 &&
           vary->low > 0 && vary->low < vary->high && isfinite(vary->high);
}

bool vary_parse(const char *text, struct vary *vary, char *error, size_t size)
{
    static const char option[] = ",unit=";
    char range[128];
    const size_t name = name_length(text);
    const char *unit = strstr(text, option);
    const char *from = text + name + 1; // where there is an =
    *vary = (struct vary){0};
    size_t length = 0;
    if (text[name] == '=')
        length = unit ? (size_t)(unit - from) : strlen(from);
    if (name > 0 && length > 0 && length < sizeof range &&
        (!unit || strlen(unit + sizeof option - 1) < OBJECTIVE_UNIT_SIZE)) {
        memcpy(vary->name, text, name);
        snprintf(vary->unit, sizeof vary->unit, "%s", unit ? unit + sizeof option - 1 : "");
        snprintf(range, sizeof range, "%.*s", (int)length, from);
        if (parse_range(range, vary))
            return true;
    }
    snprintf(error, size,
             "not NAME=LOW..HIGH[,unit=UNIT] with 0 < LOW < HIGH: give one such as "
             "'rate=1000..200000,unit=/s'");
    return false;
}

bool vary_check(const char *text, char *error, size_t size)
{
    struct vary ignored;
    return vary_parse(text, &ignored, error, size);
}

double vary_value(const struct vary *vary, double logarithm)
{
    double value = exp(logarithm);
    if (!vary->whole || value >= 10000) {
        const double digit = pow(10, floor(log10(value)) - 3);
        value = round(value / digit) * digit;
    }
    if (vary->whole)
        value = round(value);
    return fmin(fmax(value, vary->low), vary->high);
}

const char *vary_text(double value, char text[VARY_TEXT_SIZE])
{
    snprintf(text, VARY_TEXT_SIZE, value >= 1e5 && value < 1e15 ? "%.0f" : "%.6g", value);
    return text;
}

enum { MOST_RUNS = 1000 };
static const double ns = 1e-9;

// What more runs than these do not wash out is better measured apart.
static const size_t steps[] = {0, 1, 2, 4};
enum { STEPS = sizeof steps / sizeof *steps };

bool washout_parse(const char *text, struct washout *washout, char *error, size_t size)
{
    uint64_t runs;
    int64_t pause_ns;
    *washout = (struct washout){.automatic = strcmp(text, "auto") == 0};
    if (washout->automatic)
        return true;
    if (units_count(text, &runs) == 0 && runs <= MOST_RUNS) {
        washout->runs = (size_t)runs;
        return true;
    }
    // A number alone is one of runs.
    if (*text && !strchr("0123456789.", text[strlen(text) - 1]) &&
        units_time(text, &pause_ns) == 0 && pause_ns > 0) {
        washout->pause_s = (double)pause_ns * ns;
        return true;
    }
    snprintf(error, size, "give auto, a number of runs such as 1, or a time such as 500ms");
    return false;
}

bool washout_check(const char *text, char *error, size_t size)
{
    struct washout ignored;
    return washout_parse(text, &ignored, error, size);
}

size_t washout_next(size_t runs)
{
    size_t i = 0;
    while (i + 1 < STEPS && steps[i] <= runs)
        i++;
    return steps[i] > runs ? steps[i] : runs;
}

const char *const statistic_names[STATISTICS + 1] = {"mean", "median",  "trimmed", "p90",
                                                     "p99",  "typical", NULL};

const char *const statistic_words[STATISTICS] = {
    "mean", "median", "trimmed mean", "90th percentile", "99th percentile", "median"};

enum statistic statistic_named(const char *name)
{
    for (enum statistic i = 0; i < STATISTICS && name; i++)
        if (strcmp(name, statistic_names[i]) == 0)
            return i;
    return STATISTIC_MEAN;
}
