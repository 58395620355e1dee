#ifndef COMMON_RECORD_JSON_H
#define COMMON_RECORD_JSON_H

/* Values as the records of the harness have them. */

#include <jansson.h>
#include <stdbool.h>

/* A member of an object; NULL, NAN and false where it is not there, or of another type. */
const char *json_text_at(const json_t *object, const char *key);
double json_number_at(const json_t *object, const char *key);
bool json_has(const json_t *object, const char *key); /* and is not null */

/* New references, or NULL when memory runs out.
 * A string; bytes that are not UTF-8 become U+FFFD. NULL: null. */
json_t *text_to_json(const char *text);
/* A number, whole ones as integers; not finite: null. */
json_t *number_to_json(double number);
/* [low, high]; null where one of them is not finite. */
json_t *bounds_to_json(double low, double high);
/* How records are written: numbers with the digits that they were given with. */
#define RECORD_FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

#endif
