#include "calibration.h"

#include "common/schemas.h"

#include <math.h>
#include <string.h>
#include <time.h>

static bool has(const json_t *record, const char *name, const char *value)
{
    const char *text = json_string_value(json_object_get(record, name));
    return text != NULL && strcmp(text, value) == 0;
}

static bool fits(const json_t *record, const struct calibration_key *key)
{
    return has(record, "schema", SCHEMA_CALIBRATION) && has(record, "host", key->host) &&
           has(record, "machine", key->machine) && has(record, "load", key->load) &&
           has(record, "options", key->options) && has(record, "subject", key->subject);
}

/* Since it was made; NAN: it does not say. */
static double age_s(const json_t *record)
{
    const char *created = json_string_value(json_object_get(record, "created"));
    struct tm when = {0};
    if (created == NULL || strptime(created, "%Y-%m-%dT%H:%M:%SZ", &when) == NULL)
        return NAN;
    return difftime(time(NULL), timegm(&when));
}

bool calibration_take(const json_t *record, const struct calibration_key *key,
                      struct calibration_found *found)
{
    const double rate = json_number_value(json_object_get(record, "rate"));
    const double age = age_s(record);
    if (!fits(record, key) || !(rate > 0) || !isfinite(rate) || isnan(age))
        return false;
    /* Records of older versions do not say it: 0. */
    const double foreign = json_number_value(json_object_get(record, "foreign"));
    *found = (struct calibration_found){.rate = rate, .age_s = age, .foreign = foreign};
    return true;
}
