#ifndef CAMPAIGN_MEMBERS_H
#define CAMPAIGN_MEMBERS_H

/* Members of JSON objects, and numbers for them. */

#include <jansson.h>

/* A member that is text; NULL where it is not. */
const char *text_of(const json_t *object, const char *name);
/* A member that is a number, or otherwise. */
double number_of(const json_t *object, const char *name, double otherwise);
/* A member, or null; to be released. */
json_t *member_of(const json_t *object, const char *name);
/* A number, without a fraction where it has none. To be released. */
json_t *json_of_number(double value);

#endif
