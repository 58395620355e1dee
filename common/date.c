#include "common/date.h"

#include <stddef.h>

const char *date_utc(time_t time, char text[DATE_SIZE])
{
    struct tm utc;
    if (gmtime_r(&time, &utc) == NULL || strftime(text, DATE_SIZE, "%Y-%m-%dT%H:%M:%SZ", &utc) == 0)
        text[0] = '\0';
    return text;
}
