// What is to be known about the gauge: where ratios are adjusted for it, where they are not, and
// where it would have paid.
#ifndef STATS_GAUGE_WARNINGS_H
#define STATS_GAUGE_WARNINGS_H

#include "session.h"

#include <jansson.h>

// Appends the warnings about the ratios that decide to an array.
void gauge_warnings(struct session *session, json_t *list);

#endif
