/* The profiles of two programs, a jostle.program/1 in each line, and what is predicted of them. */
#include "frame/fuzz.h"

#include "harness/predict/predict.h"
#include "harness/profile/profile.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_JSON_LINES;

/* Whether it is a profile. */
static bool read_profile(const uint8_t *line, size_t length, struct program_profile *profile)
{
    char why[PROFILE_WHY] = "";
    json_t *record = json_loadb((const char *)line, length, 0, NULL);
    const bool good = profile_from_json(profile, record, why, sizeof why);
    json_decref(record);
    fuzz_require(good || why[0] != '\0');
    if (!good)
        return false;
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct program_profile *profiles = calloc(2, sizeof *profiles);
    struct prediction prediction;
    const uint8_t *line;
    size_t length, count = 0;
    fuzz_require(profiles != NULL);
    for (; count < 2 && ((length = fuzz_line(&data, &size, &line)), line != NULL); count++)
        if (!read_profile(line, length, &profiles[count]))
            break;
    const struct program_profile *const other = &profiles[1];
    if (count == 2 && predict_beside(&profiles[0], &other, 1, &prediction))
        fuzz_require(prediction.slowdown > 0);
    profile_free(&profiles[0]);
    profile_free(&profiles[1]);
    free(profiles);
    return 0;
}
