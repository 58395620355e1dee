#include "common/record_json.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_EXACT 9007199254740992.0 /* 2^53: above it a double skips integers */

/* The text with U+FFFD for each byte that is not part of UTF-8. */
static json_t *repaired(const char *text)
{
    static const char replacement[] = "\xef\xbf\xbd";
    char *whole = malloc(strlen(text) * (sizeof replacement - 1) + 1), *out = whole;
    while (whole != NULL && *text != '\0') {
        size_t length = strnlen(text, 4); /* the longest sequence; jansson judges it */
        json_t *valid = NULL;
        while (length > 0 && (valid = json_stringn(text, length)) == NULL)
            length--;
        json_decref(valid);
        out = length > 0 ? mempcpy(out, text, length) : stpcpy(out, replacement);
        text += length > 0 ? length : 1;
    }
    if (whole == NULL)
        return NULL;
    *out = '\0';
    json_t *value = json_string(whole);
    free(whole);
    return value;
}

json_t *text_to_json(const char *text)
{
    json_t *value = text == NULL ? json_null() : json_string(text);
    return value != NULL ? value : repaired(text);
}

json_t *number_to_json(double number)
{
    if (!isfinite(number))
        return json_null();
    if (number == floor(number) && fabs(number) < MOST_EXACT)
        return json_integer((json_int_t)number);
    return json_real(number);
}
