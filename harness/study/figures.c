// Figures of a study in its record, and as people read them.

#include "study.h"

#include "common/memory.h"
#include "common/record_json.h"
#include "common/text.h"
#include "common/units.h"
#include "harness/stats/json.h"
#include "harness/stats/result.h"
#include "harness/stats/shares.h"

#include <math.h>
#include <string.h>

json_t *figure_json(const char *name, struct interval interval)
{
    json_t *object = must(json_object());
    json_put_interval(object, name, &interval);
    return object;
}

json_t *study_figure_text(const json_t *object, const char *unit)
{
    char text[NUMBER_SIZE];
    const double value = json_number_at(object, "value"), low = json_bound_at(object, 0);
    const double runs = json_number_at(object, "n"); // NAN: not of runs, such as a peak
    if (unit && strcmp(unit, "fraction") == 0)
        number_percent(value, text);
    // Fixed digits would show a residual as nothing.
    else if ((!unit || *unit == '\0') && value > 0 && value < 1e-8)
        number_scientific(value, text);
    // One run has no interval, and one of two that begins at 0 shows no size either.
    else if (!isnan(value) && (isnan(low) ? runs > 0 : runs < 3 && low <= 0))
        number_with_interval(value, NAN, NAN, unit ? unit : "", text);
    else if (isnan(value) || isnan(low))
        number_scaled(value, unit ? unit : "", text);
    else
        number_with_interval(value, low, json_bound_at(object, 1), unit, text);
    return json_text(text);
}

char *study_ratio_text(const json_t *object, const char *name)
{
    char number[NUMBER_SIZE];
    const double ratio = json_number_at(object, name), low = json_bound_at(object, 0);
    if (isnan(ratio))
        return text_of("-");
    return text_of("%s%s", number_ratio(ratio, low, json_bound_at(object, 1), number),
                   isnan(low) ? " ± ?" : "");
}
