// Variants compared with the first, as the result has them.
#ifndef STATS_COMPARISONS_H
#define STATS_COMPARISONS_H

#include "session.h"

#include <jansson.h>

// Each variant with the first, alone and under each load; [] without variants. A new
// reference, or NULL if memory ran out; so are the others.
json_t *comparisons_list(struct session *session);

// Whether each load changes how each variant compares with the first; [] without both.
json_t *comparisons_interactions(struct session *session);

// How the interval of a ratio is made, by name.
const char *comparisons_method(const struct settings *settings, enum against against);

#endif
