/* Recorded CPU load: loadgen cpu --profile FILE. */
#include "frame/fuzz.h"

#include "cpu/profile.h"

#include <math.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

/* Demand never falls, and a worker never waits until before now. */
static void check_track(const struct profile *profile)
{
    struct track track;
    double before = 0;
    fuzz_require(track_make(&track, profile, 0, profile->cores - 1, 1) == 0);
    const double length_ns = track.end_ns[track.spans - 1];
    for (int i = 0; i <= 8; i++) {
        const double demand = track_demand(&track, length_ns * i / 4);
        const double when = track_when(&track, demand);
        fuzz_require(isfinite(demand) && demand >= before * (1 - 1e-9));
        fuzz_require(when >= 0);
        before = demand;
    }
    track_free(&track);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    FILE *file = fuzz_stream(data, size);
    struct profile profile;
    char error[256] = "";
    if (profile_read(file, &profile, error, sizeof error) == 0) {
        fuzz_require(profile.cores > 0 && profile.spans > 0);
        for (size_t i = 0; i < profile.spans; i++)
            fuzz_require(isfinite(profile.end_ms[i]) &&
                         profile.end_ms[i] > (i == 0 ? 0 : profile.end_ms[i - 1]));
        for (size_t i = 0; i < profile.spans * profile.cores; i++)
            fuzz_require(profile.load[i] >= 0 && profile.load[i] <= 1);
        check_track(&profile);
        profile_free(&profile);
    } else {
        fuzz_require(strlen(error) > 0 && strchr(error, '\n') == NULL);
    }
    fclose(file);
    return 0;
}
