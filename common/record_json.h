#ifndef COMMON_RECORD_JSON_H
#define COMMON_RECORD_JSON_H

/* Values as the records of the harness have them. Each function returns a new
 * reference, or NULL when memory runs out. */

#include <jansson.h>

/* A string; bytes that are not UTF-8 become U+FFFD. NULL: null. */
json_t *text_to_json(const char *text);
/* A number, whole ones as integers; not finite: null. */
json_t *number_to_json(double number);
/* How records are written: numbers with the digits that they were given with. */
#define RECORD_FORMAT (JSON_INDENT(2) | JSON_REAL_PRECISION(15))

#endif
