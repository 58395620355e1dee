#include "units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct unit {
    const char *suffix;
    double factor;
};

struct rate_unit {
    const char *suffix;
    enum rate_kind kind;
    double factor;
};

static const struct unit times[] = {
    {"ns", 1},     {"us", 1e3},   {"ms", 1e6},    {"s", 1e9}, {"m", 60e9},
    {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {"", 1e9},  {NULL, 0},
};

static const struct unit sizes[] = {
    {"", 1},       {"B", 1},      {"K", 0x1p10},   {"KiB", 0x1p10}, {"kB", 1e3},   {"KB", 1e3},
    {"k", 0x1p10}, {"M", 0x1p20}, {"MiB", 0x1p20}, {"MB", 1e6},     {"G", 0x1p30}, {"GiB", 0x1p30},
    {"GB", 1e9},   {"T", 0x1p40}, {"TiB", 0x1p40}, {"TB", 1e12},    {NULL, 0},
};

/* A rate is a number, one of these, and one of the rate_units. */
static const struct unit multiples[] = {
    {"Ki", 0x1p10}, {"Mi", 0x1p20}, {"Gi", 0x1p30}, {"Ti", 0x1p40}, {"k", 1e3}, {"K", 1e3},
    {"M", 1e6},     {"G", 1e9},     {"T", 1e12},    {"", 1},        {NULL, 0},
};

static const struct rate_unit rate_units[] = {
    {"", RATE_PLAIN, 1},        {"/s", RATE_PLAIN, 1},        {"B", RATE_BYTES, 1},
    {"B/s", RATE_BYTES, 1},     {"bit/s", RATE_BYTES, 0.125}, {"bps", RATE_BYTES, 0.125},
    {"bit", RATE_BYTES, 0.125}, {"iops", RATE_OPS, 1},        {"IOPS", RATE_OPS, 1},
    {"ops", RATE_OPS, 1},       {"ops/s", RATE_OPS, 1},       {NULL, RATE_PLAIN, 0},
};

/* The number at the start of text; NULL when there is none, or no finite one. */
static const char *scan_number(const char *text, double *value)
{
    char *end = NULL;
    if (!(*text >= '0' && *text <= '9') && *text != '.' && *text != '-' && *text != '+')
        return NULL; /* strtod would take "inf", "nan" and leading blanks */
    errno = 0;
    *value = strtod(text, &end);
    if (end == text || errno == ERANGE || !isfinite(*value))
        return NULL;
    if (memchr(text, 'x', (size_t)(end - text)) != NULL)
        return NULL; /* hexadecimal: more likely a slip */
    return end;
}

static int scan_unit(const char *text, const struct unit *units, double *value)
{
    const char *suffix = scan_number(text, value);
    if (suffix == NULL)
        return -1;
    while (*suffix == ' ')
        suffix++;
    for (; units->suffix != NULL; units++) {
        if (strcmp(suffix, units->suffix) == 0) {
            *value *= units->factor;
            return 0;
        }
    }
    return -1;
}

int units_time(const char *text, int64_t *time_ns)
{
    double value;
    if (scan_unit(text, times, &value) != 0 || fabs(value) > 9e18)
        return -1;
    *time_ns = (int64_t)llround(value);
    return 0;
}

int units_size(const char *text, uint64_t *size_bytes)
{
    double value;
    if (scan_unit(text, sizes, &value) != 0 || value < 0 || value > 9e18)
        return -1;
    *size_bytes = (uint64_t)llround(value);
    return 0;
}

int units_percent(const char *text, double *percent)
{
    const char *rest = scan_number(text, percent);
    return rest != NULL && (*rest == '\0' || strcmp(rest, "%") == 0) ? 0 : -1;
}

int units_count(const char *text, int64_t *count)
{
    char *end = NULL;
    if (*text == '\0' || *text == ' ')
        return -1;
    errno = 0;
    *count = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' ? 0 : -1;
}

int units_real(const char *text, double *value)
{
    const char *rest = scan_number(text, value);
    return rest != NULL && *rest == '\0' ? 0 : -1;
}

static const struct rate_unit *find_rate_unit(const char *suffix)
{
    for (const struct rate_unit *unit = rate_units; unit->suffix != NULL; unit++)
        if (strcmp(suffix, unit->suffix) == 0)
            return unit;
    return NULL;
}

int units_rate(const char *text, struct rate *rate)
{
    double value;
    const char *suffix = scan_number(text, &value);
    if (suffix == NULL)
        return -1;
    if (strcmp(suffix, "%") == 0) {
        *rate = (struct rate){RATE_PERCENT, value};
        return 0;
    }
    for (const struct unit *multiple = multiples; multiple->suffix != NULL; multiple++) {
        const size_t length = strlen(multiple->suffix);
        if (strncmp(suffix, multiple->suffix, length) != 0)
            continue;
        const struct rate_unit *unit = find_rate_unit(suffix + length);
        if (unit != NULL) {
            *rate = (struct rate){unit->kind, value * multiple->factor * unit->factor};
            return 0;
        }
    }
    return -1;
}

/* value with three or more significant digits and the largest of the prefixes
 * that leaves it at least 1. */
static const char *format_scaled(double value, double step, const char *const *prefixes,
                                 const char *unit, char *text, size_t size)
{
    int prefix = 0;
    while (fabs(value) >= step && prefixes[prefix + 1] != NULL) {
        value /= step;
        prefix++;
    }
    const int decimals = fabs(value) < 10 ? 2 : fabs(value) < 100 ? 1 : 0;
    snprintf(text, size, "%.*f %s%s", decimals, value, prefixes[prefix], unit);
    return text;
}

const char *units_format_rate(double value, const char *unit, char *text, size_t size)
{
    static const char *const prefixes[] = {"", "k", "M", "G", "T", NULL};
    if (!isfinite(value))
        snprintf(text, size, "no limit");
    else if (strcmp(unit, "B/s") == 0)
        format_scaled(value, 1000, prefixes, unit, text, size);
    else if (strcmp(unit, "ops/s") == 0)
        snprintf(text, size, "%.1f %s", value, unit);
    else
        snprintf(text, size, "%.4f %s", value, unit);
    return text;
}

const char *units_format_size(double size_bytes, char *text, size_t size)
{
    static const char *const prefixes[] = {"", "Ki", "Mi", "Gi", "Ti", NULL};
    return format_scaled(size_bytes, 1024, prefixes, "B", text, size);
}

const char *units_format_time(double time_ns, char *text, size_t size)
{
    static const char *const prefixes[] = {"n", "u", "m", "", NULL};
    return format_scaled(time_ns, 1000, prefixes, "s", text, size);
}
