/* What a quiet machine gives: jostle.probe-reference/1. */
#include "frame/fuzz.h"

#include "harness/pressure/reference.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct reference *reference = malloc(sizeof *reference);
    char why[512] = "";
    json_t *record = json_loadb((const char *)data, size, 0, NULL);
    fuzz_require(reference != NULL);
    if (reference_from_json(record, reference, why, sizeof why)) {
        for (enum reporter reporter = 0; reporter < REPORTERS; reporter++)
            fuzz_require(reference->quiet[reporter].reason[0] != '\0' ||
                         reference->quiet[reporter].value > 0);
        (void)reference_judge(reference, record, "machine", 1790000000, why, sizeof why);
    } else {
        fuzz_require(why[0] != '\0');
    }
    json_decref(record);
    free(reference);
    return 0;
}
