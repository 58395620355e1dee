// Members of a record that are null where they are not known.
#ifndef METER_FIELDS_H
#define METER_FIELDS_H

#include "common/json.h"

#include <stdbool.h>
#include <stdint.h>

// A member that is null where it is not known.
void field_seconds(struct line *line, const char *name, bool known, int64_t time_ns, int decimals);
void field_count(struct line *line, const char *name, bool known, uint64_t count);

#endif
