#include "common/units.h"

#include <errno.h>
#include <inttypes.h>
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
    {.suffix = "ns", .factor = 1},     {.suffix = "us", .factor = 1e3},
    {.suffix = "ms", .factor = 1e6},   {.suffix = "s", .factor = 1e9},
    {.suffix = "m", .factor = 60e9},   {.suffix = "min", .factor = 60e9},
    {.suffix = "h", .factor = 3600e9}, {.suffix = "d", .factor = 86400e9},
    {.suffix = "", .factor = 1e9},     {0},
};

// Multiples by their exponent: "k" is 1000 or 1024 to the power of 1.
static const char *const letters[] = {"kK", "mM", "gG", "tT"};
#define LETTERS (sizeof letters / sizeof letters[0])

// A rate is a number, a multiple, and one of these.
static const struct rate_unit rate_units[] = {
    {.suffix = "", .kind = RATE_PLAIN, .factor = 1},
    {.suffix = "/s", .kind = RATE_PLAIN, .factor = 1},
    {.suffix = "B", .kind = RATE_BYTES, .factor = 1},
    {.suffix = "B/s", .kind = RATE_BYTES, .factor = 1},
    {.suffix = "bit", .kind = RATE_BYTES, .factor = 0.125},
    {.suffix = "bit/s", .kind = RATE_BYTES, .factor = 0.125},
    {.suffix = "bps", .kind = RATE_BYTES, .factor = 0.125},
    {.suffix = "iops", .kind = RATE_OPS, .factor = 1},
    {.suffix = "IOPS", .kind = RATE_OPS, .factor = 1},
    {.suffix = "ops", .kind = RATE_OPS, .factor = 1},
    {.suffix = "ops/s", .kind = RATE_OPS, .factor = 1},
    {0},
};

// The number at the start of text; NULL when there is none, or no finite one.
static const char *scan_number(const char *text, double *value)
{
    char *end = NULL;
    if (!(*text >= '0' && *text <= '9') && *text != '.' && *text != '-' && *text != '+')
        return NULL; // strtod would take "inf", "nan" and leading blanks
    errno = 0;
    *value = strtod(text, &end);
    if (end == text || errno == ERANGE || !isfinite(*value))
        return NULL;
    if (memchr(text, 'x', (size_t)(end - text)))
        return NULL; // hexadecimal: more likely a slip
    *value += 0.0;   // -0 becomes 0
    return end;
}

// What follows a number, without blanks before a unit; NULL: there is only a blank.
static const char *skip_blanks(const char *suffix)
{
    const size_t blanks = strspn(suffix, " ");
    return blanks > 0 && suffix[blanks] == '\0' ? NULL : suffix + blanks;
}

static int scan_unit(const char *text, const struct unit *units, double *value)
{
    const char *suffix = scan_number(text, value);
    if (!suffix || (suffix = skip_blanks(suffix)) == NULL)
        return -1;
    for (; units->suffix; units++) {
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

// One reading of a suffix: a multiple and what follows it.
struct multiple {
    const char *rest;
    double decimal; // the multiple as a power of 1000
    double binary;  // as a power of 1024; "Ki": the same in both
};

// The ways to read a suffix, the likeliest first; returns how many. "kiops" is
// thousands of iops, "Kiops" kibi of ops: an i belongs to a capital first.
static size_t read_multiple(const char *suffix, struct multiple readings[2])
{
    for (unsigned i = 0; i < LETTERS && *suffix != '\0'; i++) {
        if (!strchr(letters[i], *suffix))
            continue;
        const double binary = pow(1024, i + 1);
        const struct multiple plain = {suffix + 1, pow(1000, i + 1), binary};
        const struct multiple binary_only = {suffix + 2, binary, binary};
        const bool capital = *suffix == letters[i][1];
        readings[0] = plain;
        if (suffix[1] != 'i')
            return 1;
        readings[capital ? 0 : 1] = binary_only;
        readings[capital ? 1 : 0] = plain;
        return 2;
    }
    readings[0] = (struct multiple){suffix, 1, 1};
    return 1;
}

int units_size(const char *text, uint64_t *size_bytes)
{
    struct multiple readings[2];
    double value;
    const char *suffix = scan_number(text, &value);
    if (!suffix || (suffix = skip_blanks(suffix)) == NULL)
        return -1;
    const size_t count = read_multiple(suffix, readings);
    for (size_t i = 0; i < count; i++) {
        const struct multiple *reading = &readings[i];
        const bool named = strcmp(reading->rest, "B") == 0;
        if (!named && *reading->rest != '\0')
            continue;
        value *= named ? reading->decimal : reading->binary;
        if (value < 0 || value > 9e18)
            return -1;
        *size_bytes = (uint64_t)llround(value);
        return 0;
    }
    return -1;
}

int units_percent(const char *text, double *percent)
{
    const char *rest = scan_number(text, percent);
    return rest && (*rest == '\0' || strcmp(rest, "%") == 0) ? 0 : -1;
}

int units_fraction(const char *text, double *fraction)
{
    const char *rest = scan_number(text, fraction);
    if (rest && strcmp(rest, "%") == 0)
        *fraction /= 100;
    return rest && (*rest == '\0' || strcmp(rest, "%") == 0) ? 0 : -1;
}

int units_count(const char *text, uint64_t *count)
{
    char *end = NULL;
    if (!(*text >= '0' && *text <= '9'))
        return -1;
    errno = 0;
    *count = strtoull(text, &end, 10);
    return errno == 0 && *end == '\0' ? 0 : -1;
}

int units_integer(const char *text, int64_t *value)
{
    char *end = NULL;
    const char *digits = text + (*text == '-' || *text == '+');
    if (!(*digits >= '0' && *digits <= '9'))
        return -1; // strtoll would take leading blanks
    errno = 0;
    *value = strtoll(text, &end, 10);
    return errno == 0 && end != text && *end == '\0' ? 0 : -1;
}

int units_real(const char *text, double *value)
{
    const char *rest = scan_number(text, value);
    return rest && *rest == '\0' ? 0 : -1;
}

static const struct rate_unit *find_rate_unit(const char *suffix)
{
    for (const struct rate_unit *unit = rate_units; unit->suffix; unit++)
        if (strcmp(suffix, unit->suffix) == 0)
            return unit;
    return NULL;
}

int units_rate(const char *text, struct rate *rate)
{
    double value;
    const char *suffix = scan_number(text, &value);
    if (!suffix || (suffix = skip_blanks(suffix)) == NULL)
        return -1;
    if (strcmp(suffix, "%") == 0) {
        *rate = (struct rate){RATE_PERCENT, value};
        return 0;
    }
    struct multiple readings[2];
    const size_t count = read_multiple(suffix, readings);
    for (size_t i = 0; i < count; i++) {
        const struct rate_unit *unit = find_rate_unit(readings[i].rest);
        if (unit) {
            *rate = (struct rate){unit->kind, value * readings[i].decimal * unit->factor};
            return isfinite(rate->value) ? 0 : -1; // 1e308T would be no limit
        }
    }
    return -1;
}

// value with three or more significant digits and the largest of the prefixes
// that leaves it at least 1.
static const char *format_scaled(double value, double step, const char *const *prefixes,
                                 const char *unit, char *text, size_t size)
{
    int prefix = 0;
    while (fabs(value) >= step && prefixes[prefix + 1]) {
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
    else if (strcmp(unit, "ops/s") == 0 && value >= 1e7) // tenths say nothing any more
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

// In the largest of the units that divides it.
static void format_divided(uint64_t value, const char *const *names, const uint64_t *factors,
                           char *text, size_t size)
{
    while (*factors > 1 && (value == 0 || value % *factors != 0)) {
        factors++;
        names++;
    }
    snprintf(text, size, "%" PRIu64 "%s", value / *factors, *names);
}

const char *units_exact_time(int64_t time_ns, char *text, size_t size)
{
    static const char *const names[] = {"s", "ms", "us", "ns"};
    static const uint64_t factors[] = {1000000000, 1000000, 1000, 1};
    const size_t sign = time_ns < 0 && size > 1;
    if (sign == 1)
        *text = '-';
    format_divided(time_ns < 0 ? -(uint64_t)time_ns : (uint64_t)time_ns, names, factors,
                   text + sign, size - sign);
    return text;
}

const char *units_exact_size(uint64_t size_bytes, char *text, size_t size)
{
    static const char *const names[] = {"TiB", "GiB", "MiB", "KiB", ""};
    static const uint64_t factors[] = {1ULL << 40, 1ULL << 30, 1ULL << 20, 1ULL << 10, 1};
    format_divided(size_bytes, names, factors, text, size);
    return text;
}

const char *units_exact_real(double value, char *text, size_t size)
{
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}
