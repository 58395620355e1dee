#include "tally.h"

#include "common/units.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The longest text that may be a number: DBL_MAX with all its digits has 309.
#define LONGEST_NUMBER 512
// How much of what is no number is quoted.
#define QUOTED 40

void tally_fail(struct tally *tally, const char *format, ...)
{
    va_list arguments;
    if (tally->reason[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(tally->reason, sizeof tally->reason, format, arguments);
    va_end(arguments);
}

// read_number: false, and why, where text as a whole is no finite decimal number.
static bool read_number(struct tally *tally, const char *text, size_t length, double *value)
{
    char number[LONGEST_NUMBER], *end;
    if (length > 0 && length < sizeof number && memchr(text, '\0', length) == NULL) {
        memcpy(number, text, length);
        number[length] = '\0';
        if (units_real(number, value) == 0)
            return true;
        // "nan", "inf" and 1e400 are numbers, yet none to reckon with.
        if (number[0] != ' ' && !isfinite(strtod(number, &end)) && *end == '\0') {
            tally_fail(tally, "not finite: %.*s", QUOTED, number);
            return false;
        }
    }
    tally_fail(tally, "no number: \"%.*s\"%s", (int)(length < QUOTED ? length : QUOTED), text,
               length > QUOTED ? "..." : "");
    return false;
}

bool tally_add(struct tally *tally, const char *text, size_t length)
{
    double value;
    if (tally->take == TAKE_FIRST && tally->count > 0)
        return false;
    // Of the earlier ones only the last counts.
    if (tally->take == TAKE_LAST)
        tally->reason[0] = '\0';
    tally->count++;
    if (!read_number(tally, text, length, &value))
        return tally->take == TAKE_LAST;
    const bool is_first = tally->count == 1;
    switch (tally->take) {
    case TAKE_SUM:
    case TAKE_MEAN:
        tally->value = is_first ? value : tally->value + value;
        break;
    case TAKE_MAX:
        tally->value = is_first ? value : fmax(tally->value, value);
        break;
    default:
        tally->value = value;
        break;
    }
    return tally->take != TAKE_FIRST;
}

void tally_end(const struct tally *tally, const char *where, struct figure *figure)
{
    *figure = (struct figure){.value = NAN};
    if (tally->reason[0] != '\0') {
        memcpy(figure->reason, tally->reason, sizeof figure->reason);
    } else if (tally->count == 0) {
        (void)snprintf(figure->reason, sizeof figure->reason, "not found in %s", where);
    } else {
        const double value =
            tally->take == TAKE_MEAN ? tally->value / (double)tally->count : tally->value;
        if (isfinite(value))
            figure->value = value;
        else
            (void)snprintf(figure->reason, sizeof figure->reason,
                           "not finite: the %s of %zu values", metric_take_names[tally->take],
                           tally->count);
    }
}
