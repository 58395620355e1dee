#include "json.h"

json_t *json_interval(const struct interval *interval)
{
    return interval->constant ? json_null() : json_bounds(interval->low, interval->high);
}

void json_put_interval(json_t *object, const char *name, const struct interval *interval)
{
    json_put(object, name, json_number(interval->center));
    json_put(object, "ci", json_interval(interval));
}
