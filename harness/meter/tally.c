// Adds up the figures of one metric in one run: the last, the mean, a percentile, a ratio of
// halves.
#include "tally.h"

#include "numeral.h"

#include "common/metric.h"
#include "common/units.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Two in each half.
#define LEAST_HALVES 4

void reason_set(char reason[REASON_SIZE], const char *format, ...)
{
    va_list arguments;
    if (reason[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(reason, REASON_SIZE, format, arguments);
    va_end(arguments);
    // It quotes what the target wrote, and ends on somebody's terminal.
    for (char *c = reason; *c != '\0'; c++)
        if (iscntrl((unsigned char)*c))
            *c = '?';
}

bool tally_to_unit(const char *number, const char *unit, double *value)
{
    char one[16];
    int64_t time_ns, unit_ns;
    if ((size_t)snprintf(one, sizeof one, "1%s", unit) >= sizeof one || unit[0] == '\0' ||
        units_time(one, &unit_ns) != 0 || units_time(number, &time_ns) != 0)
        return false;
    *value = (double)time_ns / (double)unit_ns;
    return true;
}

// False, and why, where text as a whole is no finite decimal number.
static bool read_number(struct tally *tally, const char *text, size_t length, double *value)
{
    char number[LONGEST_NUMBER], *end;
    if (length > 0 && length < sizeof number && !memchr(text, '\0', length)) {
        memcpy(number, text, length);
        number[length] = '\0';
        if (units_real(number, value) == 0 || tally_to_unit(number, tally->metric->unit, value))
            return true;
        // "nan", "inf" and 1e400 are numbers, yet none to reckon with.
        if (number[0] != ' ' && !isfinite(strtod(number, &end)) && *end == '\0') {
            reason_set(tally->reason, "not finite: %.*s", QUOTED, number);
            return false;
        }
    }
    reason_set(tally->reason, "no number: \"%.*s\"%s", (int)(length < QUOTED ? length : QUOTED),
               text, length > QUOTED ? "..." : "");
    return false;
}

// Halves and percentiles are known only at the end.
static bool add_to_all(struct tally *tally, double value)
{
    // A power of two: there is no more room.
    if ((tally->count & (tally->count - 1)) == 0) {
        double *all = realloc(tally->all, 2 * tally->count * sizeof *all);
        if (!all) {
            reason_set(tally->reason, "no memory for all of its values");
            return false;
        }
        tally->all = all;
    }
    tally->all[tally->count - 1] = value;
    return true;
}

bool tally_begin(struct tally *tally)
{
    const enum metric_take take = tally->metric->take;
    if (take == TAKE_FIRST && tally->count > 0)
        return false;
    // Of the earlier ones only the last counts.
    if (take == TAKE_LAST)
        tally->reason[0] = '\0';
    tally->count++;
    return true;
}

bool tally_add(struct tally *tally, const char *text, size_t length)
{
    const enum metric_take take = tally->metric->take;
    double value;
    if (!tally_begin(tally))
        return false;
    if (!read_number(tally, text, length, &value))
        return take == TAKE_LAST;
    value *= tally->metric->scale;
    const bool is_first = tally->count == 1;
    switch (take) {
    case TAKE_SUM:
    case TAKE_MEAN:
        tally->value = is_first ? value : tally->value + value;
        break;
    case TAKE_MAX:
        tally->value = is_first ? value : fmax(tally->value, value);
        break;
    case TAKE_HALVES:
    case TAKE_PERCENTILE:
        return add_to_all(tally, value);
    default:
        tally->value = value;
        break;
    }
    return take != TAKE_FIRST;
}

// The later half over the earlier: of an odd number of values the middle one is in neither.
static double halves(const struct tally *tally)
{
    const size_t half = tally->count / 2;
    double earlier = 0, later = 0;
    for (size_t i = 0; i < half; i++) {
        earlier += tally->all[i];
        later += tally->all[tally->count - half + i];
    }
    return later / earlier;
}

static int by_size(const void *first, const void *second)
{
    const double a = *(const double *)first, b = *(const double *)second;
    return (a > b) - (a < b);
}

// By nearest rank: the smallest value that so many percent are not above.
static double percentile(const struct tally *tally)
{
    const double rank = ceil(tally->metric->percentile / 100 * (double)tally->count - 1e-9);
    qsort(tally->all, tally->count, sizeof *tally->all, by_size);
    return tally->all[rank < 1 ? 0 : (size_t)rank - 1];
}

// How many values it takes. A percentile that 1 in 100 is above needs 100.
static size_t fewest(const struct metric *metric)
{
    if (metric->take == TAKE_HALVES)
        return LEAST_HALVES;
    return metric->take == TAKE_PERCENTILE ? (size_t)ceil(100 / (100 - metric->percentile) - 1e-9)
                                           : 1;
}

static double value_of(const struct tally *tally)
{
    switch (tally->metric->take) {
    case TAKE_MEAN:
        return tally->value / (double)tally->count;
    case TAKE_HALVES:
        return halves(tally);
    case TAKE_PERCENTILE:
        return percentile(tally);
    default:
        return tally->value;
    }
}

void tally_end(struct tally *tally, const char *where, struct figure *figure)
{
    char take[METRIC_VALUE_SIZE];
    *figure = (struct figure){.value = NAN};
    if (tally->reason[0] != '\0') {
        memcpy(figure->reason, tally->reason, sizeof figure->reason);
    } else if (tally->count == 0) {
        (void)snprintf(figure->reason, sizeof figure->reason, "not found in %s", where);
    } else if (tally->count < fewest(tally->metric)) {
        (void)snprintf(figure->reason, sizeof figure->reason, "%zu values in %s: %s need%s %zu",
                       tally->count, where, metric_take_text(tally->metric, take),
                       tally->metric->take == TAKE_HALVES ? "" : "s", fewest(tally->metric));
    } else if (tally->metric->take == TAKE_ONLY && tally->count > 1) {
        (void)snprintf(figure->reason, sizeof figure->reason,
                       "%zu values in %s, each of another client: run one client, or define a "
                       "metric with take=sum",
                       tally->count, where);
    } else {
        const double value = value_of(tally);
        if (isfinite(value))
            figure->value = value;
        else
            (void)snprintf(figure->reason, sizeof figure->reason,
                           "not finite: the %s of %zu values",
                           metric_take_text(tally->metric, take), tally->count);
    }
    free(tally->all);
    tally->all = NULL;
}
