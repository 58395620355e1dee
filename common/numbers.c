#include "numbers.h"

#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_DECIMALS = 9 };

static struct scale scale(double factor, const char *unit)
{
    struct scale result = {.factor = factor};
    size_t length = strnlen(unit, sizeof result.unit - 1);
    while (length > 0 && unit[length] != '\0' && ((unsigned char)unit[length] & 0xc0) == 0x80)
        length--; // no part of a character
    memcpy(result.unit, unit, length);
    return result;
}

// Of a value in units of so many seconds.
static struct scale scale_time(double value, double seconds)
{
    const double s = value * seconds;
    return s >= 1 || s == 0 ? scale(seconds, "s")
           : s >= 1e-3      ? scale(seconds * 1e3, "ms")
           : s >= 1e-6      ? scale(seconds * 1e6, "µs")
                            : scale(seconds * 1e9, "ns");
}

static struct scale scale_size(double value)
{
    return value >= 1073741824           ? scale(1 / 1073741824.0, "GiB")
           : value >= 1048576            ? scale(1 / 1048576.0, "MiB")
           : value >= 1024 || value == 0 ? scale(1 / 1024.0, "KiB")
                                         : scale(1, "B");
}

static struct scale scale_bytes_rate(double value)
{
    return value >= 1e9   ? scale(1e-9, "GB/s")
           : value >= 1e6 ? scale(1e-6, "MB/s")
                          : scale(1e-3, "kB/s");
}

// Counts, and rates of them: units[0] is the plain one.
static struct scale scale_count(double value, const char *const units[4])
{
    return value >= 1e9   ? scale(1e-9, units[3])
           : value >= 1e6 ? scale(1e-6, units[2])
           : value >= 1e4 ? scale(1e-3, units[1])
                          : scale(1, units[0]);
}

struct scale scale_of(double value, const char *unit)
{
    static const struct {
        const char *unit;
        double seconds;
    } times[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"µs", 1e-6}, {"ns", 1e-9}};
    static const char *const counts[] = {"", "k", "M", "G"};
    static const char *const rates[] = {"/s", "k/s", "M/s", "G/s"};
    static const char *const bits[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s"};
    const double size = fabs(value);
    for (size_t i = 0; i < sizeof times / sizeof *times; i++)
        if (strcmp(unit, times[i].unit) == 0)
            return scale_time(size, times[i].seconds);
    if (strcmp(unit, "B") == 0)
        return scale_size(size);
    if (strcmp(unit, "B/s") == 0)
        return scale_bytes_rate(size);
    if (*unit == '\0')
        return scale_count(size, counts);
    if (strcmp(unit, "1/s") == 0 || strcmp(unit, "/s") == 0)
        return scale_count(size, rates);
    if (strcmp(unit, "bit/s") == 0)
        return scale_count(size, bits);
    return scale(1, unit);
}

int number_decimals(double value)
{
    // What two decimals would show as nothing has two digits, as far as there is room.
    if (value > 0 && value < 0.01)
        return (int)fmin(1 - floor(log10(value)), MOST_DECIMALS);
    return isnan(value) || value >= 100 ? 0 : value >= 10 ? 1 : 2;
}

const char *number_fixed(double value, int decimals, char *text)
{
    if (isnan(value)) {
        strcpy(text, "-");
        return text;
    }
    const double power = pow(10, decimals);
    const double rounded = floor(fabs(value) * power + 0.5);
    snprintf(text, NUMBER_SIZE, "%.*f", decimals,
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

const char *number_percent(double fraction, char *text)
{
    if (isnan(fraction))
        return number_fixed(fraction, 0, text);
    number_fixed(fraction * 100, number_decimals(fraction * 100), text);
    append_unit(text, "%");
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
