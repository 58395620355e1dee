// Reads one value of an options table from text, and writes it as text.
#include "common/options.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cpus.h"
#include "common/text.h"
#include "messages.h"
#include "units.h"

// What is wrong with a value of each type, and what is to be given instead.
static const char *const wrong[] = {
    [OPTION_FLAG] = "not yes or no: give true or false",
    [OPTION_COUNT] = "not a count: give a whole number",
    [OPTION_INTEGER] = "not a number: give a whole number",
    [OPTION_REAL] = "not a number: give one such as 1.5",
    [OPTION_FRACTION] = "not a fraction: give one such as 0.05 or 5%",
    [OPTION_PERCENT] = "not a percentage: give one such as 50 or 12.5%",
    [OPTION_SIZE] = "not a size: give one such as 4096, 64KiB or 8G",
    [OPTION_TIME] = "not a time: give one such as 10ms, 2s or 1m",
    [OPTION_RATE] = "not a rate: give one such as 50M, 10MiB/s, 5000iops or 50%",
    [OPTION_CPUS] = "not a list of CPUs: give one such as 0-3,8",
};

const struct option_row *option_find(const struct option_row *rows, const char *name)
{
    for (; rows->name; rows++)
        if (strcmp(rows->name, name) == 0)
            return rows;
    return NULL;
}

static bool fail(char *error, size_t size, const char *text)
{
    snprintf(error, size, "%s", text);
    return false;
}

// Parses a number into its field and, for the range check, into *value.
static bool parse_number(enum option_type type, const char *text, void *field, double *value)
{
    uint64_t *count = field;
    int64_t *integer = field;
    struct rate rate = {.value = 0};
    int failed;
    switch (type) {
    case OPTION_COUNT:
    case OPTION_SIZE:
        failed = type == OPTION_SIZE ? units_size(text, count) : units_count(text, count);
        *value = failed ? 0 : (double)*count;
        break;
    case OPTION_INTEGER:
    case OPTION_TIME:
        failed = type == OPTION_TIME ? units_time(text, integer) : units_integer(text, integer);
        *value = failed ? 0 : (double)*integer;
        break;
    case OPTION_RATE: // the number of it, whatever it is of
        failed = units_rate(text, &rate);
        *value = *(double *)field = rate.value;
        break;
    default:
        failed = type == OPTION_FRACTION  ? units_fraction(text, value)
                 : type == OPTION_PERCENT ? units_percent(text, value)
                                          : units_real(text, value);
        *(double *)field = *value;
    }
    return failed == 0;
}

// A bound as it would be typed.
static const char *format_bound(enum option_type type, double bound, char *text, size_t size)
{
    if (type == OPTION_TIME)
        return units_exact_time((int64_t)bound, text, size);
    if (type == OPTION_SIZE)
        return units_exact_size((uint64_t)bound, text, size);
    snprintf(text, size, "%.9g", bound);
    return text;
}

// A bound that says no more than that there is one.
static bool is_far(enum option_type type, double bound)
{
    return (type == OPTION_TIME && bound >= 1e18) || (type == OPTION_RATE && bound >= 1e15);
}

// Says which range the value is out of.
static bool refuse_range(const struct option_row *row, enum option_type type, double value,
                         char *error, size_t size)
{
    char low[32], high[32];
    format_bound(type, row->minimum, low, sizeof low);
    format_bound(type, row->maximum, high, sizeof high);
    if (value > row->minimum || !is_far(type, row->maximum))
        snprintf(error, size,
                 row->exclusive ? "out of range: give more than %s and less than %s"
                                : "out of range: give %s to %s",
                 low, high);
    else if (row->exclusive || row->minimum <= 1)
        snprintf(error, size, "out of range: give more than 0");
    else
        snprintf(error, size, "out of range: give %s or more", low);
    return false;
}

static bool set_number(const struct option_row *row, enum option_type type, const char *text,
                       void *field, char *error, size_t size)
{
    double value = 0;
    if (row->endless && strcmp(text, row->endless) == 0) {
        *(int64_t *)field = 0;
        return true;
    }
    if (!parse_number(type, text, field, &value))
        return fail(error, size, wrong[type]);
    if (row->minimum >= row->maximum || (value > row->minimum && value < row->maximum) ||
        (!row->exclusive && (value == row->minimum || value == row->maximum)))
        return true;
    return refuse_range(row, type, value, error, size);
}

// The index of the text among the names (ended by NULL); -1 when it is none of them: error then
// says what they are, and which is nearest.
static int option_choose(const char *text, const char *const *names, char *error, size_t size)
{
    for (int i = 0; names[i]; i++)
        if (strcmp(names[i], text) == 0)
            return i;
    const char *near = nearest_name(text, names);
    if (near)
        snprintf(error, size, "not known (did you mean %s?): give one of ", near);
    else
        snprintf(error, size, "not known: give one of ");
    for (int i = 0; names[i]; i++) {
        const size_t used = strlen(error);
        snprintf(error + used, size - used, "%s%s", i == 0 ? "" : ", ", names[i]);
    }
    return -1;
}

static bool set_flag(const char *text, bool *field, char *error, size_t size)
{
    static const char *const yes[] = {"", "true", "yes", "on", "1"};
    static const char *const no[] = {"", "false", "no", "off", "0"};
    *field = !text || *text == '\0';
    for (size_t i = 1; !*field && i < sizeof yes / sizeof yes[0]; i++) {
        if (strcmp(text, no[i]) == 0)
            return true;
        *field = strcmp(text, yes[i]) == 0;
    }
    return *field || fail(error, size, wrong[OPTION_FLAG]);
}

static bool add_item(struct option_list *list, const char *text, char *error, size_t size)
{
    const char **item = realloc(list->item, (list->count + 1) * sizeof *item);
    if (!item)
        return fail(error, size, "out of memory: free some");
    item[list->count] = text;
    *list = (struct option_list){.count = list->count + 1, .item = item};
    return true;
}

// Text that is kept as it is, where it has to be a number, one of some names or a list of CPUs.
static bool is_of_type(const struct option_row *row, enum option_type type, const char *text,
                       char *error, size_t size)
{
    union option_value unused;
    struct cpu_list cpus;
    if (type == OPTION_FLAG)
        return true;
    if (type == OPTION_CHOICE)
        return option_choose(text, row->choices, error, size) >= 0;
    if (type == OPTION_CPUS)
        return cpus_parse(text, &cpus) == 0 || fail(error, size, wrong[OPTION_CPUS]);
    return set_number(row, type, text, &unused, error, size);
}

bool option_allows(const struct option_row *row, const char *text, char *error, size_t size)
{
    if (row->type == OPTION_FLAG || *text != '\0' || row->may_be_empty)
        return !row->check || row->check(text, error, size);
    snprintf(error, size, "the value is empty: give --%s %s, or leave it out", row->name,
             row->argument);
    return false;
}

bool option_set(const struct option_row *row, void *values, const char *text, char *error,
                size_t size)
{
    void *field = option_field(row, values);
    int chosen;
    if (row->bare && (!text || *text == '\0'))
        text = row->bare;
    if (!option_allows(row, text, error, size))
        return false;
    switch (row->type) {
    case OPTION_FLAG:
        return set_flag(text, field, error, size);
    case OPTION_CPUS:
    case OPTION_TEXT:
        *(const char **)field = text;
        return is_of_type(row, row->type == OPTION_CPUS ? OPTION_CPUS : row->as, text, error, size);
    case OPTION_LIST:
        return add_item(field, text, error, size);
    case OPTION_CHOICE:
        chosen = option_choose(text, row->choices, error, size);
        *(int *)field = chosen < 0 ? *(int *)field : chosen;
        return chosen >= 0;
    default:
        return set_number(row, row->type, text, field, error, size);
    }
}

// The shortest text that brings back the same value.
static void format_real(double value, char *text, size_t size)
{
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value && !strchr(text, 'e'))
            return; // 1e+01 is shorter than 10, and nobody types it
    }
}

static bool format_text(const char *value, char *text, size_t size)
{
    return snprintf(text, size, "%s", !value ? "" : value) < (int)size;
}

bool option_format(const struct option_row *row, const void *values, char *text, size_t size)
{
    const void *field = option_field(row, values);
    char number[48];
    switch (row->type) {
    case OPTION_FLAG:
        return format_text(*(const bool *)field ? "true" : "false", text, size);
    case OPTION_COUNT:
        snprintf(number, sizeof number, "%" PRIu64, *(const uint64_t *)field);
        break;
    case OPTION_INTEGER:
        snprintf(number, sizeof number, "%" PRId64, *(const int64_t *)field);
        break;
    case OPTION_SIZE:
        units_exact_size(*(const uint64_t *)field, number, sizeof number);
        break;
    case OPTION_TIME:
        units_exact_time(*(const int64_t *)field, number, sizeof number);
        break;
    case OPTION_REAL:
    case OPTION_FRACTION:
    case OPTION_PERCENT:
        format_real(*(const double *)field, number, sizeof number);
        break;
    case OPTION_CHOICE:
        return format_text(row->choices[*(const int *)field], text, size);
    default:
        return format_text(*(const char *const *)field, text, size);
    }
    return format_text(number, text, size);
}

// Checks that rows of several programs have.

#define MOST_CORES 8192

bool option_check_assignment(const char *text, char *error, size_t size)
{
    const char *equals = strchr(text, '=');
    if (equals && equals > text)
        return true;
    snprintf(error, size, "it has no %s: give a name, =, and what it stands for",
             equals ? "name" : "value");
    return false;
}

// A number of cores at *text, which is moved behind it.
static bool skip_cores(const char **text)
{
    const size_t digits = strspn(*text, "0123456789");
    const bool good =
        digits >= 1 && digits <= 4 && **text != '0' && strtoul(*text, NULL, 10) <= MOST_CORES;
    *text += digits;
    return good;
}

bool option_check_cores(const char *text, char *error, size_t size)
{
    const char *at = text;
    bool good = skip_cores(&at);
    if (good && *at == ':') {
        at++;
        good = skip_cores(&at);
    }
    if (good && *at == '\0')
        return true;
    snprintf(error, size,
             "not a number of cores: give one such as 2, or 1:4 for the target and the loads");
    return false;
}

// The text that a set of options is known by.

#define LONGEST 4096

// The preset in the same form as a value; a row without one has zeros.
static bool format_preset(const struct option_row *row, char *text, size_t size)
{
    struct option_row alone = *row;
    union option_value value;
    char error[256];
    memset(&value, 0, sizeof value);
    alone.offset = 0;
    if (row->preset && !option_set(&alone, &value, row->preset, error, sizeof error))
        return false;
    return option_format(&alone, &value, text, size);
}

// " --name 'value'", or " --name" of a flag, behind what is there.
static bool append(char *text, size_t size, const struct option_row *row, const char *value)
{
    const char *words[] = {value};
    char *quoted = !row->argument ? strdup("") : words_quote(words, 1);
    const size_t used = strlen(text);
    bool fits = quoted != NULL;
    if (fits)
        fits = (size_t)snprintf(text + used, size - used, "%s--%s%s%s", used > 0 ? " " : "",
                                row->name, *quoted != '\0' ? " " : "", quoted) < size - used;
    free(quoted);
    return fits;
}

static bool append_value(char *text, size_t size, const struct option_row *row, const void *values,
                         bool preset_too)
{
    const struct option_list *list = option_field(row, values);
    char value[LONGEST], preset[LONGEST];
    bool fits = true;
    if (row->type == OPTION_LIST) {
        for (size_t i = 0; i < list->count && fits; i++)
            fits = append(text, size, row, list->item[i]);
        return fits;
    }
    if (!option_format(row, values, value, sizeof value) ||
        !format_preset(row, preset, sizeof preset))
        return false;
    return (strcmp(value, preset) == 0 && !preset_too) || append(text, size, row, value);
}

static bool write_rows(const struct option_row *rows, const void *values, bool measured_only,
                       char *text, size_t size)
{
    if (size == 0)
        return false;
    *text = '\0';
    for (; rows->name; rows++)
        if ((rows->measured || !measured_only) &&
            !append_value(text, size, rows, values, measured_only && rows->type == OPTION_CHOICE))
            return false;
    return true;
}

bool options_canonical(const struct option_row *rows, const void *values, char *text, size_t size)
{
    return write_rows(rows, values, false, text, size);
}

bool options_measured(const struct option_row *rows, const void *values, char *text, size_t size)
{
    return write_rows(rows, values, true, text, size);
}
