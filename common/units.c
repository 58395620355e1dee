// Numbers with their units: read from text, and written as texts for people.
#include "common/units.h"

#include "common/text.h"

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
    {.suffix = "ns", .factor = 1},
    {.suffix = "us", .factor = 1e3},
    {.suffix = "µs", .factor = 1e3},
    {.suffix = "ms", .factor = 1e6},
    {.suffix = "s", .factor = 1e9},
    {.suffix = "m", .factor = 60e9},
    {.suffix = "min", .factor = 60e9},
    {.suffix = "h", .factor = 3600e9},
    {.suffix = "d", .factor = 86400e9},
    {.suffix = "", .factor = 1e9},
    {0},
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

const char *units_format_rate(double value, const char *unit, char *text, size_t size)
{
    char number[NUMBER_SIZE];
    if (!isfinite(value))
        snprintf(text, size, "no limit");
    else if (strcmp(unit, "B/s") == 0)
        snprintf(text, size, "%s", number_scaled(value, unit, number));
    else if (strcmp(unit, "ops/s") == 0 && value < 1e7) // tenths say something here
        snprintf(text, size, "%.1f %s", value, unit);
    else if (strcmp(unit, "ops/s") == 0)
        snprintf(text, size, "%s", number_operations(value, number));
    else
        snprintf(text, size, "%.4f %s", value, unit);
    return text;
}

const char *units_format_size(double size_bytes, char *text, size_t size)
{
    char number[NUMBER_SIZE];
    snprintf(text, size, "%s", number_scaled(size_bytes, "B", number));
    return text;
}

const char *units_format_time(double time_ns, char *text, size_t size)
{
    char number[NUMBER_SIZE];
    snprintf(text, size, "%s", number_scaled(time_ns, "ns", number));
    return text;
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

enum { MOST_DECIMALS = 9 };

// A unit, and what a value is multiplied with to be in it. It is taken from `from` on, rounded as
// it would be shown in the next smaller one: 999.6 µs are 1.00 ms.
struct step {
    const char *unit;
    double from, factor;
};

// Units of one kind, the largest first.
struct ladder {
    double of_zero; // 0 has the unit of this value
    struct step steps[6];
};

static const struct ladder time_ladder = {
    1, {{"s", 1, 1}, {"ms", 1e-3, 1e3}, {"µs", 1e-6, 1e6}, {"ns", 0, 1e9}}};
static const struct ladder size_ladder = {1024,
                                          {{"TiB", 1099511627776, 1 / 1099511627776.0},
                                           {"GiB", 1073741824, 1 / 1073741824.0},
                                           {"MiB", 1048576, 1 / 1048576.0},
                                           {"KiB", 1024, 1 / 1024.0},
                                           {"B", 0, 1}}};
static const struct ladder byte_rate_ladder = {1e3,
                                               {{"TB/s", 1e12, 1e-12},
                                                {"GB/s", 1e9, 1e-9},
                                                {"MB/s", 1e6, 1e-6},
                                                {"kB/s", 1e3, 1e-3},
                                                {"B/s", 0, 1}}};
static const struct ladder operation_ladder = {
    0, {{"Gops/s", 1e9, 1e-9}, {"Mops/s", 1e6, 1e-6}, {"kops/s", 1e4, 1e-3}, {"ops/s", 0, 1}}};
static const struct ladder count_ladder = {
    0, {{"G", 1e9, 1e-9}, {"M", 1e6, 1e-6}, {"k", 1e4, 1e-3}, {"", 0, 1}}};
static const struct ladder rate_ladder = {
    0, {{"G/s", 1e9, 1e-9}, {"M/s", 1e6, 1e-6}, {"k/s", 1e4, 1e-3}, {"/s", 0, 1}}};
static const struct ladder bit_ladder = {
    0, {{"Gbit/s", 1e9, 1e-9}, {"Mbit/s", 1e6, 1e-6}, {"kbit/s", 1e4, 1e-3}, {"bit/s", 0, 1}}};

static struct scale scale_by_factor(double factor, const char *unit)
{
    struct scale result = {.factor = factor};
    memcpy(result.unit, unit, text_whole(unit, strnlen(unit, sizeof result.unit - 1)));
    return result;
}

// Whether a value is too small for a unit: rounded in the next smaller one, by the same product
// that is then shown, it is less than the unit.
static bool is_below(const struct step *step, double value, double base)
{
    const double most = round(step->from * step[1].factor);
    return fabs(value * (base * step[1].factor)) < most - 0.5;
}

// The scale for a value, whose unit is `base` of that of the ladder.
static struct scale scale_on(const struct ladder *ladder, double value, double base)
{
    const double of = value == 0 ? ladder->of_zero / base : value;
    const struct step *step = ladder->steps;
    while (step->from > 0 && is_below(step, of, base))
        step++;
    return scale_by_factor(base * step->factor, step->unit);
}

struct scale scale_of(double value, const char *unit)
{
    static const struct {
        const char *unit;
        const struct ladder *ladder;
        double base;
    } known[] = {
        {"s", &time_ladder, 1},        {"ms", &time_ladder, 1e-3}, {"us", &time_ladder, 1e-6},
        {"µs", &time_ladder, 1e-6},    {"ns", &time_ladder, 1e-9}, {"B", &size_ladder, 1},
        {"B/s", &byte_rate_ladder, 1}, {"", &count_ladder, 1},     {"1/s", &rate_ladder, 1},
        {"/s", &rate_ladder, 1},       {"bit/s", &bit_ladder, 1}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(unit, known[i].unit) == 0)
            return scale_on(known[i].ladder, value, known[i].base);
    return scale_by_factor(1, unit);
}

int number_decimals(double value)
{
    // What two decimals would show as nothing has two digits, as far as there is room.
    if (value > 0 && value < 0.01)
        return (int)fmin(1 - floor(log10(value)), MOST_DECIMALS);
    return isnan(value) || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
}

const char *number_fixed(double value, int decimals, char *text)
{
    if (isnan(value)) {
        strcpy(text, "-");
        return text;
    }
    const double power = pow(10, decimals);
    const double rounded = floor(fabs(value) * power + 0.5);
    snprintf(text, NUMBER_SIZE, "%.*f", decimals < 0 ? 0 : decimals,
             (value < 0 && rounded > 0 ? -rounded : rounded) / power);
    return text;
}

static void append_unit(char *text, const char *unit)
{
    const size_t used = strlen(text);
    if (*unit != '\0')
        snprintf(text + used, NUMBER_SIZE - used, " %s", unit);
}

const char *number_scaled(double value, const char *unit, char *text)
{
    if (isnan(value))
        return number_fixed(value, 0, text);
    const struct scale s = scale_of(value, unit);
    number_fixed(value * s.factor, number_decimals(value * s.factor), text);
    append_unit(text, s.unit);
    return text;
}

const char *number_operations(double value, char *text)
{
    if (isnan(value))
        return number_fixed(value, 0, text);
    const struct scale s = scale_on(&operation_ladder, value, 1);
    number_fixed(value * s.factor, number_decimals(value * s.factor), text);
    append_unit(text, s.unit);
    return text;
}

const char *number_duration(double seconds, char *text)
{
    const double whole_s = round(seconds), minutes = round(seconds / 60);
    if (isnan(seconds))
        return number_fixed(seconds, 0, text);
    if (seconds < 9.95)
        snprintf(text, NUMBER_SIZE, "%.2g s", seconds);
    else if (whole_s < 100)
        snprintf(text, NUMBER_SIZE, "%.0f s", whole_s);
    else if (minutes < 100)
        snprintf(text, NUMBER_SIZE, "%.0f min", minutes);
    else
        snprintf(text, NUMBER_SIZE, "%.0f h %02.0f min", floor(minutes / 60), fmod(minutes, 60));
    return text;
}

const char *number_percent(double fraction, char *text)
{
    if (isnan(fraction))
        return number_fixed(fraction, 0, text);
    number_fixed(fraction * 100, number_decimals(fraction * 100), text);
    append_unit(text, "%");
    return text;
}

const char *number_level(double confidence, char *text)
{
    const double steps = confidence < 0.9999 ? 100 : 1e8;
    snprintf(text, NUMBER_SIZE, "%.12g %%", round(100 * confidence * steps) / steps);
    return text;
}

const char *number_cpus(double cpus, char *text)
{
    snprintf(text, NUMBER_SIZE, "%.2g", cpus);
    append_unit(text, strcmp(text, "1") == 0 ? "CPU" : "CPUs");
    return text;
}

// The power of ten of a value; 0 of one that has none, which is 0, infinite or no number.
static int magnitude(double value)
{
    return isfinite(value) && value != 0 ? (int)floor(log10(fabs(value))) : 0;
}

static int error_decimals(double half)
{
    const int decimals = 1 - magnitude(half);
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

const char *number_with_bounds(double value, double low, double high, const char *unit, char *text)
{
    char number[NUMBER_SIZE], one[NUMBER_SIZE], two[NUMBER_SIZE];
    const struct scale s = scale_of(value, unit);
    const double half = (high - low) / 2 * s.factor;
    const int decimals = half > 0 ? error_decimals(half) : number_decimals(value * s.factor);
    snprintf(
        text, NUMBER_SIZE, "%.40s [%.40s, %.40s]", number_fixed(value * s.factor, decimals, number),
        number_fixed(low * s.factor, decimals, one), number_fixed(high * s.factor, decimals, two));
    append_unit(text, s.unit);
    return text;
}

const char *number_with_interval(double value, double low, double high, const char *unit,
                                 char *text)
{
    char number[NUMBER_SIZE], half[NUMBER_SIZE] = "?";
    const struct scale s = scale_of(value, unit);
    const double h = (high - low) / 2 * s.factor;
    const int decimals = h > 0 ? error_decimals(h) : number_decimals(value * s.factor);
    if (isnan(value))
        return number_fixed(value, 0, text);
    // The bounds that a reader works out from ± are off by half of what the sides differ by.
    if (fabs(high + low - 2 * value) * s.factor > pow(10, -decimals))
        return number_with_bounds(value, low, high, unit, text);
    if (!isnan(h))
        number_fixed(h, decimals, half);
    snprintf(text, NUMBER_SIZE, "%.60s ± %.60s", number_fixed(value * s.factor, decimals, number),
             half);
    append_unit(text, s.unit);
    return text;
}

const char *number_pair(double alone, double loaded, const char *unit, char *text)
{
    if (isnan(alone))
        return number_fixed(alone, 0, text);
    const double most = fmax(alone, isnan(loaded) ? 0 : loaded);
    const struct scale s = scale_of(most, unit);
    const int decimals = number_decimals(most * s.factor);
    char one[NUMBER_SIZE] = "0", two[NUMBER_SIZE] = "0";
    if (alone != 0)
        number_fixed(alone * s.factor, decimals, one);
    if (!isnan(loaded) && loaded != 0)
        number_fixed(loaded * s.factor, decimals, two);
    if (isnan(loaded) || most == 0)
        snprintf(text, NUMBER_SIZE, "%.60s", one);
    else
        snprintf(text, NUMBER_SIZE, "%.60s → %.60s", one, two);
    append_unit(text, s.unit);
    return text;
}

const char *number_scientific(double value, char *text)
{
    if (isnan(value) || value == 0) {
        strcpy(text, isnan(value) ? "-" : "0");
        return text;
    }
    int exponent = magnitude(value);
    char mantissa[NUMBER_SIZE];
    number_fixed(value / pow(10, exponent), 2, mantissa);
    if (strcmp(mantissa, "10.00") == 0) {
        strcpy(mantissa, "1.00");
        exponent++;
    }
    snprintf(text, NUMBER_SIZE, "%.60se%d", mantissa, exponent);
    return text;
}

const char *number_significant(double value, char *text)
{
    if (isnan(value) || value == 0)
        return number_scientific(value, text);
    const int exponent = magnitude(value);
    if (exponent < -4 || exponent > 6)
        return number_scientific(value, text);
    return number_fixed(value, exponent > 3 ? 0 : 3 - exponent, text);
}

const char *number_interval(double low, double high, int decimals, char *text)
{
    char one[NUMBER_SIZE], two[NUMBER_SIZE];
    snprintf(text, NUMBER_SIZE, "[%.60s, %.60s]", number_fixed(low, decimals, one),
             number_fixed(high, decimals, two));
    return text;
}

int ratio_decimals(double low, double high)
{
    const double half = (high - low) / 2;
    if (isnan(half))
        return 3;
    int decimals = half < 0.1 ? 3 : half < 1 ? 2 : 1;
    for (double least = 0.0005; decimals >= 3 && decimals < 6 && half > 0 && half < least;
         least /= 10)
        decimals++;
    // Two digits of a wide interval, as long as its lower bound has one of them.
    while (decimals <= 1 && half >= pow(10, 2 - decimals) && low >= pow(10, 1 - decimals))
        decimals--;
    return decimals_apart(decimals, low, high, 1);
}

const char *number_ratio(double ratio, double low, double high, char *text)
{
    const int decimals = ratio_decimals(low, high);
    char number[NUMBER_SIZE], interval[NUMBER_SIZE];
    number_fixed(ratio, decimals, number);
    if (isnan(low) || isnan(high))
        return strcpy(text, number);
    snprintf(text, NUMBER_SIZE, "%.60s %.100s", number,
             number_interval(low, high, decimals, interval));
    return text;
}
