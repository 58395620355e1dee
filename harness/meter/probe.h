#ifndef METER_PROBE_H
#define METER_PROBE_H

#include "common/ready.h"

#include <stdbool.h>

// probe_answers: whether a server accepts connections where a port or an HTTP URL is. Waits for
// 0.2 s an address at most.
bool probe_answers(const struct ready *ready);

// probe_http: whether a GET of the URL is answered with status 2xx or 3xx, within 1 s.
bool probe_http(const struct ready *ready);

// probe_matches: whether a line of the text matches the regular expression; without one that
// is valid it does not.
bool probe_matches(const struct ready *ready, const char *text);

#endif
