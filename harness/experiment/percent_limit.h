#ifndef EXPERIMENT_PERCENT_LIMIT_H
#define EXPERIMENT_PERCENT_LIMIT_H

#include <stdbool.h>
#include <stddef.h>

/* Has a load, by its words (io, --limit, 50%), a limit in percent of what must be
 * calibrated first? No for a program of the user's (exec:, exec ... -- COMMAND),
 * whatever its own words are. */
bool has_percent_limit(const char *const *words, size_t count);

#endif
