#include "record.h"

#include "common/record_json.h"
#include "common/schemas.h"

#include <string.h>

static json_t *program_to_json(const struct program_entry *entry)
{
    const struct program_profile *profile = &entry->profile;
    const json_t *reasons = json_object_get(profile->record, "reasons");
    return json_pack("{s:s, s:s, s:s, s:s, s:o, s:o, s:o, s:I, s:o}", "name", entry->name, "file",
                     entry->path, "place", profile->place, "made", profile->made, "alone_s",
                     number_to_json(profile->alone.mean_s), "cpus_used",
                     number_to_json(profile->alone.cpus_used), "alone_sd",
                     number_to_json(profile->noise.sd), "runs", (json_int_t)profile->noise.n,
                     "reasons", json_is_array(reasons) ? json_deep_copy(reasons) : json_array());
}

json_t *record_make(const struct table *table)
{
    const struct program_list *list = table->programs;
    const struct program_profile *first = &list->entry[0].profile;
    json_t *programs = json_array();
    for (size_t i = 0; i < list->count; i++)
        json_array_append_new(programs, program_to_json(&list->entry[i]));
    json_t *record =
        json_pack("{s:s, s:s, s:{s:s, s:s}, s:b}", "schema", SCHEMA_PREDICTION, "jostle",
                  JOSTLE_VERSION, "machine", "host", first->host, "hash", first->machine,
                  "together", table->count > 0 && table->row[0].together);
    json_object_set_new(record, "at_most",
                        table->at_most > 0 ? number_to_json(table->at_most) : json_null());
    json_object_set_new(record, "programs", programs);
    json_object_set_new(record, "predictions", table_to_json(table));
    json_object_set_new(record, "worst", table_worst_to_json(table));
    json_object_set_new(record, "check", table_check_to_json(table));
    return record;
}
