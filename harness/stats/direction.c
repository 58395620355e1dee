#include "direction.h"

#include "json.h"

#include "common/text.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

struct interval direction_of_reference(const struct interval *ratio, bool higher_is_better)
{
    if (!higher_is_better)
        return *ratio;
    struct interval plain = {.center = ratio->center > 0 ? 1 / ratio->center : NAN,
                             .low = ratio->high > 0 ? 1 / ratio->high : NAN,
                             .high = ratio->low > 0 ? 1 / ratio->low : NAN,
                             .error = ratio->error,
                             .constant = ratio->constant};
    if (ratio->constant)
        return plain;
    plain.error = plain.low > 0 && plain.high > 0 ? (plain.high - plain.low) / 2 / plain.center
                                                  : (double)INFINITY;
    return plain;
}

// So many that the interval's width shows two digits, at least 2 and at most 5.
static int decimals_of(const struct interval *plain)
{
    const double width = plain->high - plain->low;
    if (!(width > 0) || isinf(width))
        return 2;
    const double needed = 1 - floor(log10(width));
    return decimals_apart(needed > 5   ? 5
                          : needed < 2 ? 2
                                       : (int)needed,
                          plain->low, plain->high, 1);
}

char *direction_text(const struct metric_setting *metric, const struct interval *ratio,
                     const char *reference)
{
    const struct interval plain = direction_of_reference(ratio, metric->higher_is_better);
    const char *relation = plain.center < 1 ? "of" : "times";
    const int decimals = decimals_of(&plain);
    char *text = NULL;
    if (isnan(plain.center))
        return NULL;
    const bool bounded = !plain.constant && isfinite(plain.low) && isfinite(plain.high);
    const int length = bounded ? asprintf(&text, "%s %.*f [%.*f, %.*f] %s %s", metric->name,
                                          decimals, plain.center, decimals, plain.low, decimals,
                                          plain.high, relation, reference)
                               : asprintf(&text, "%s %.*f %s %s", metric->name, decimals,
                                          plain.center, relation, reference);
    return length < 0 ? NULL : text;
}

void direction_to_json(const struct metric_setting *metric, const struct interval *ratio,
                       const char *reference, json_t *object)
{
    const struct interval plain = direction_of_reference(ratio, metric->higher_is_better);
    const char *better = metric_better_names[metric->higher_is_better];
    char *text = direction_text(metric, ratio, reference);
    json_object_set_new(object, "unit", json_string(metric->unit));
    json_object_set_new(object, "better", json_string(better));
    json_object_set_new(object, "of_reference", json_figure(plain.center));
    json_object_set_new(object, "of_reference_ci", json_interval(&plain));
    json_object_set_new(object, "text", text ? json_string(text) : json_null());
    free(text);
}
