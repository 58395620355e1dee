// How long runs took, by the times in their own records.
#ifndef STATS_ELAPSED_H
#define STATS_ELAPSED_H

#include <jansson.h>
#include <stdbool.h>

// Seconds since 1970 of an RFC 3339 time in UTC, such as a record's `start`;
// NAN where it is none.
double elapsed_time(const char *text);

// Seconds from the start of one run to that of a later one: by the time since the machine was
// started, which nobody sets, where both are of one machine that ran on; else by the time of day.
// NAN: neither is known.
double elapsed_between_s(const json_t *before, const json_t *after);

// Seconds from the first of `count` records to the end of the last. A pause (an
// experiment that was interrupted and resumed) does not count. NAN where a record
// lacks its start or its wall time.
double elapsed_s(const json_t *records, size_t count);

#endif
