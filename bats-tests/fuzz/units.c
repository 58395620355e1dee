/* Numbers with units, as they are typed in options, rates and campaigns. */
#include "frame/fuzz.h"

#include "common/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const enum fuzz_input fuzz_input = FUZZ_BYTES;

/* What is printed to be typed again has to be the same number. */
static void check_time(const char *text)
{
    int64_t time_ns, again_ns;
    char exact[64];
    if (units_time(text, &time_ns) != 0)
        return;
    fuzz_require(units_time(units_exact_time(time_ns, exact, sizeof exact), &again_ns) == 0);
    /* A double holds whole numbers up to 2^53. */
    fuzz_require(llabs(again_ns - time_ns) <= llabs(time_ns) >> 52);
    units_format_time((double)time_ns, exact, sizeof exact);
    fuzz_require(strlen(exact) > 0);
}

static void check_size(const char *text)
{
    uint64_t size_bytes, again_bytes;
    char exact[64];
    if (units_size(text, &size_bytes) != 0)
        return;
    fuzz_require(units_size(units_exact_size(size_bytes, exact, sizeof exact), &again_bytes) == 0);
    const uint64_t far =
        again_bytes > size_bytes ? again_bytes - size_bytes : size_bytes - again_bytes;
    fuzz_require(far <= size_bytes >> 52);
    units_format_size((double)size_bytes, exact, sizeof exact);
    fuzz_require(strlen(exact) > 0);
}

static void check_rate(const char *text)
{
    static const char *const units[] = {"B/s", "ops/s", "CPUs", ""};
    struct rate rate;
    char shown[64];
    if (units_rate(text, &rate) != 0)
        return;
    fuzz_require(isfinite(rate.value));
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        units_format_rate(rate.value, units[i], shown, sizeof shown);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    double real;
    uint64_t count;
    int64_t integer;
    check_time(text);
    check_size(text);
    check_rate(text);
    fuzz_require(units_percent(text, &real) != 0 || isfinite(real));
    fuzz_require(units_fraction(text, &real) != 0 || isfinite(real));
    fuzz_require(units_real(text, &real) != 0 || isfinite(real));
    (void)units_count(text, &count);
    (void)units_integer(text, &integer);
    free(text);
    return 0;
}
