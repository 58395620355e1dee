#ifndef CAMPAIGN_MEMBERS_H
#define CAMPAIGN_MEMBERS_H

/* Members of JSON objects, and numbers for them; beside those of common/record_json.h. */

#include "common/record_json.h"

#include <jansson.h>

/* A member that is a number, or otherwise. */
double number_of(const json_t *object, const char *name, double otherwise);
/* A member, or null; to be released. */
json_t *member_of(const json_t *object, const char *name);
/* A number, without a fraction where it has none. To be released. */
json_t *json_of_number(double value);

#endif
