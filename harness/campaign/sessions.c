// The sessions of a campaign that repeats them: the same cells again, under names and seeds of
// their own.

#include "campaign.h"

#include "common/units.h"

#include <stdlib.h>

static json_t *repeated(const json_t *first, unsigned session, size_t number)
{
    json_t *cell = json_copy((json_t *)first);
    const json_t *settings = json_object_get(first, "settings");
    const char *seed = json_text_at(settings, "seed");
    json_object_set_new(cell, "name",
                        json_sprintf("%s.session%u", json_text_at(first, "name"), session));
    json_object_set(cell, "of", json_object_get(first, "name"));
    json_object_set_new(cell, "number", json_integer((json_int_t)number));
    json_object_set_new(cell, "session", json_integer(session));
    if (!seed)
        return cell;
    // The same seed would repeat the order of the runs, too.
    json_t *own = json_copy((json_t *)settings);
    json_object_set_new(own, "seed", json_sprintf("%llu", strtoull(seed, NULL, 10) + session - 1));
    json_object_set_new(cell, "settings", own);
    return cell;
}

void sessions_repeat(json_t *cells, unsigned repeat)
{
    const size_t count = json_array_size(cells);
    for (size_t i = 0; repeat > 1 && i < count; i++)
        json_object_set_new(json_array_get(cells, i), "session", json_integer(1));
    for (unsigned session = 2; session <= repeat; session++)
        for (size_t i = 0; i < count; i++)
            json_array_append_new(
                cells, repeated(json_array_get(cells, i), session, json_array_size(cells) + 1));
}
