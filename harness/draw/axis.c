// Axes: from where to where they go, and the ticks and texts on them.

#include "draw.h"

#include "common/units.h"

#include <math.h>
#include <string.h>

struct axis axis_airy(double low, double high, const char *label)
{
    const double span = (high - low) * 0.08, air = span > 0 ? span : fmax(fabs(high) * 0.1, 1e-9);
    return (struct axis){.low = low - air, .high = high + air, .factor = 1, .label = label};
}

void axis_tick(struct axis *axis, double at, const char *text)
{
    axis->ticks = grown(axis->ticks, axis->tick_count, &axis->ticks_allocated, sizeof *axis->ticks);
    axis->ticks[axis->tick_count++] = (struct tick){at, text};
}

// At most six significant digits, and no exponent where it can be read without.
static const char *plain(struct arena *arena, double number)
{
    const double size = fabs(number);
    if (size >= 1e6 && size < 1e15)
        return arena_format(arena, "%.0f", number);
    return arena_format(arena, "%.6g", number == 0 ? 0.0 : number);
}

void axis_ticks(struct arena *arena, struct axis *axis)
{
    static const double factors[] = {1, 2, 5, 10};
    const double wanted = (axis->high - axis->low) / 6, unit = pow(10, floor(log10(wanted)));
    double step = 10 * unit;
    for (size_t i = 4; i-- > 0;)
        if (factors[i] * unit >= wanted * 0.999)
            step = factors[i] * unit;
    const double last = axis->high / step + 1e-9;
    for (double i = ceil(axis->low / step - 1e-9); i <= last; i++)
        axis_tick(axis, i * step, plain(arena, i * step));
}

void axis_decades(struct arena *arena, struct axis *axis)
{
    static const double all[] = {1, 2, 5};
    const size_t count = log10(axis->high / axis->low) < 3 ? 3 : 1;
    axis->log = true;
    for (double power = floor(log10(axis->low)); power <= log10(axis->high); power++)
        for (size_t i = 0; i < count; i++) {
            const double at = all[i] * pow(10, power);
            if (at >= axis->low && at <= axis->high)
                axis_tick(axis, at, axis_number(arena, at, ""));
        }
}

double axis_share(const struct axis *axis, double value)
{
    return axis->log ? log(value / axis->low) / log(axis->high / axis->low)
                     : (value - axis->low) / (axis->high - axis->low);
}

static double text_width(const struct tick *tick, bool across)
{
    return across ? 13 : 6.2 * (double)strlen(tick->text);
}

static bool are_apart(const struct axis *axis, const struct tick *one, const struct tick *other,
                      double length, bool across)
{
    const double between = (axis_share(axis, other->at) - axis_share(axis, one->at)) * length;
    return between >= (text_width(one, across) + text_width(other, across)) / 2 + 4;
}

void axis_thin(struct axis *axis, double length, bool across)
{
    size_t kept = 0;
    const size_t count = axis->tick_count;
    const struct tick end = count > 0 ? axis->ticks[count - 1] : (struct tick){0};
    for (size_t i = 0; i < count; i++) {
        const struct tick tick = axis->ticks[i];
        const bool fits = kept == 0 || i + 1 == count ||
                          (are_apart(axis, &axis->ticks[kept - 1], &tick, length, across) &&
                           are_apart(axis, &tick, &end, length, across));
        if (fits)
            axis->ticks[kept++] = tick;
    }
    axis->tick_count = kept;
}

const char *axis_label(struct arena *arena, const char *what, const char *unit)
{
    return unit && *unit ? arena_format(arena, "%s [%s]", what, unit)
                         : arena_format(arena, "%s", what);
}

static const char *size_number(struct arena *arena, double size_bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    size_t step = 0;
    for (; step < 4 && size_bytes >= 1024; step++)
        size_bytes /= 1024;
    return arena_format(arena, "%.4g %s", size_bytes, units[step]);
}

const char *axis_number(struct arena *arena, double value, const char *unit)
{
    static const struct {
        double from;
        const char *prefix;
    } steps[] = {{1e12, "T"}, {1e9, "G"},  {1e6, "M"},  {1e3, "k"},
                 {1, ""},     {1e-3, "m"}, {1e-6, "µ"}, {1e-9, "n"}};
    if (unit && strcmp(unit, "B") == 0)
        return size_number(arena, value);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i].from <= value * (1 + 1e-9)) {
            const char *number = plain(arena, value / steps[i].from);
            return *steps[i].prefix ? arena_format(arena, "%s %s", number, steps[i].prefix)
                                    : number;
        }
    return plain(arena, value);
}
