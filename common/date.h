#ifndef COMMON_DATE_H
#define COMMON_DATE_H

#include <time.h>

enum { DATE_SIZE = 32 };

/* A time as records have it, 2026-11-22T15:00:00Z (RFC 3339); "" where it has none, in so far a
 * year. Returns text. */
const char *date_utc(time_t time, char text[DATE_SIZE]);

#endif
