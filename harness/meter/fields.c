// Writes members of a record that are null where they are not known.
#include "fields.h"

#include "common/json.h"

void field_seconds(struct line *line, const char *name, bool known, int64_t time_ns, int decimals)
{
    if (known)
        line_seconds(line, name, time_ns, decimals);
    else
        line_null(line, name);
}

void field_count(struct line *line, const char *name, bool known, uint64_t count)
{
    if (known)
        line_count(line, name, count);
    else
        line_null(line, name);
}
