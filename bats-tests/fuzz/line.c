// A line of a file of records, as all programs read it: the same as jansson does.
#include "frame/fuzz.h"

#include "common/record_json.h"

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *record = json_read_line((const char *)data, size);
    json_t *other = json_loadb((const char *)data, size, JSON_REJECT_DUPLICATES, NULL);
    fuzz_require((record != NULL) == (other != NULL));
    fuzz_require(record == NULL || json_equal(record, other));
    json_decref(record);
    json_decref(other);
    return 0;
}
