#include "members.h"

double number_of(const json_t *object, const char *name, double otherwise)
{
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : otherwise;
}

json_t *member_of(const json_t *object, const char *name)
{
    json_t *value = json_object_get(object, name);
    return value != NULL ? json_incref(value) : json_null();
}

json_t *json_of_number(double value)
{
    return value == (double)(json_int_t)value ? json_integer((json_int_t)value) : json_real(value);
}
