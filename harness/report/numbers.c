#include "numbers.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static struct scale scale(double factor, const char *unit)
{
    struct scale result = {.factor = factor};
    snprintf(result.unit, sizeof result.unit, "%s", unit);
    return result;
}

struct scale scale_time(double value, const char *unit)
{
    (void)unit;
    return value >= 1 || value == 0 ? scale(1, "s")
           : value >= 1e-3          ? scale(1e3, "ms")
           : value >= 1e-6          ? scale(1e6, "µs")
                                    : scale(1e9, "ns");
}

struct scale scale_size(double value, const char *unit)
{
    (void)unit;
    return value >= 1073741824 ? scale(1 / 1073741824.0, "GiB")
           : value >= 1048576  ? scale(1 / 1048576.0, "MiB")
                               : scale(1 / 1024.0, "KiB");
}

struct scale scale_rate(double value, const char *unit)
{
    if (strcmp(unit, "B/s") != 0)
        return scale(1, unit);
    return value >= 1e9   ? scale(1e-9, "GB/s")
           : value >= 1e6 ? scale(1e-6, "MB/s")
                          : scale(1e-3, "kB/s");
}

int number_decimals(double value)
{
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
    snprintf(text + used, NUMBER_SIZE - used, " %s", unit);
}

const char *number_scaled(double value, scale_for *scale_of, const char *unit, char *text)
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

static int error_decimals(double half)
{
    const int decimals = 1 - (int)floor(log10(half));
    return decimals < 0 ? 0 : decimals > 6 ? 6 : decimals;
}

const char *number_with_error(double value, double half_width, scale_for *scale_of, char *text)
{
    if (isnan(value))
        return number_fixed(value, 0, text);
    char number[NUMBER_SIZE], half[NUMBER_SIZE] = "?";
    const struct scale s = scale_of(value, "");
    const double h = isnan(half_width) ? 0 : half_width * s.factor;
    const int decimals = h > 0 ? error_decimals(h) : number_decimals(value * s.factor);
    if (!isnan(half_width))
        number_fixed(h, decimals, half);
    snprintf(text, NUMBER_SIZE, "%.60s ± %.60s %s",
             number_fixed(value * s.factor, decimals, number), half, s.unit);
    return text;
}

const char *number_with_bounds(double value, double low, double high, scale_for *scale_of,
                               char *text)
{
    char number[NUMBER_SIZE], one[NUMBER_SIZE], two[NUMBER_SIZE];
    const struct scale s = scale_of(value, "");
    const double half = (high - low) / 2 * s.factor;
    const int decimals = half > 0 ? error_decimals(half) : number_decimals(value * s.factor);
    snprintf(text, NUMBER_SIZE, "%.40s [%.40s, %.40s] %s",
             number_fixed(value * s.factor, decimals, number),
             number_fixed(low * s.factor, decimals, one),
             number_fixed(high * s.factor, decimals, two), s.unit);
    return text;
}

const char *number_pair(double alone, double loaded, scale_for *scale_of, char *text)
{
    if (isnan(alone))
        return number_fixed(alone, 0, text);
    const double most = fmax(alone, isnan(loaded) ? 0 : loaded);
    const struct scale s = scale_of(most, "");
    const int decimals = number_decimals(most * s.factor);
    char one[NUMBER_SIZE] = "0", two[NUMBER_SIZE] = "0";
    if (alone != 0)
        number_fixed(alone * s.factor, decimals, one);
    if (!isnan(loaded) && loaded != 0)
        number_fixed(loaded * s.factor, decimals, two);
    if (isnan(loaded) || most == 0)
        snprintf(text, NUMBER_SIZE, "%.60s %s", one, s.unit);
    else
        snprintf(text, NUMBER_SIZE, "%.60s → %.60s %s", one, two, s.unit);
    return text;
}

const char *number_scientific(double value, char *text)
{
    if (isnan(value) || value == 0) {
        strcpy(text, isnan(value) ? "-" : "0");
        return text;
    }
    int exponent = (int)floor(log10(fabs(value)));
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
    const int exponent = (int)floor(log10(fabs(value)));
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

int ratio_decimals(double ratio, double low, double high)
{
    const double half = isnan(low) ? ratio : (high - low) / 2;
    return half < 0.001 ? 4 : half < 0.1 ? 3 : half < 1 ? 2 : 1;
}
