/* What a load reached at most: jostle.calibration/1. */
#include "frame/fuzz.h"

#include "frame.h"

#include <math.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct calibration_key key = {.host = "node1",
                                               .machine = "AMD EPYC, 2 CPUs",
                                               .load = "mem",
                                               .options = "--threads 1",
                                               .subject = "CPU 0, THP madvise"};
    struct calibration_found found;
    json_t *record = json_loadb((const char *)data, size, 0, NULL);
    if (calibration_take(record, &key, &found))
        fuzz_require(found.rate > 0 && isfinite(found.rate) && isfinite(found.age_s));
    json_decref(record);
    return 0;
}
