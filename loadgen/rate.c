// What the text of --limit and of a `rate` line means: base units a second, or a percentage of a
// calibration.

#include "frame.h"

#define MOST_PERCENT 1000.0 // more is a mistake

#define LARGEST_RATE_BYTES 1e12 // a limit above these was a mistake
#define LARGEST_RATE_OPS   1e9  // times what one operation of the load counts as

int rate_usual(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    struct rate given;
    const bool bytes = strcmp(run->unit, UNIT_BYTES) == 0;
    const char *example = bytes ? "10M or 10MiB/s" : "5000iops or 5k";
    const double most = bytes ? LARGEST_RATE_BYTES : LARGEST_RATE_OPS * run->quantum;
    const bool known = units_rate(text, &given) == 0;
    if (known && given.kind == RATE_PERCENT && given.value > 0 && run->load->calibrations) {
        if (given.value > MOST_PERCENT)
            return BECAUSE(error, size, "%g%%: too much to be meant: give %g%% or less",
                           given.value, MOST_PERCENT);
        if (calibration_use(run, error, size) != 0)
            return -1;
        *rate = run->calibration.rate * given.value / 100;
        return 0;
    }
    if (!known)
        snprintf(error, size, "rate %.64s: not a rate: give one such as %s", text, example);
    else if (!(given.value > 0))
        snprintf(error, size, "rate %.64s: nothing would happen: give more than 0", text);
    else if (given.kind == RATE_PERCENT || given.kind == (bytes ? RATE_OPS : RATE_BYTES))
        snprintf(error, size, "rate %.64s: this load counts in %s: give a rate such as %s", text,
                 run->unit, example);
    else if (given.value > most)
        snprintf(error, size, "rate %.64s: nothing does that: give %g %s or less", text, most,
                 run->unit);
    else {
        *rate = given.value;
        return 0;
    }
    return -1;
}

int rate_of(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    const struct load *load = run->load;
    if (load->rate)
        return load->rate(run, text, rate, error, size);
    if (strcmp(run->unit, UNIT_NONE) == 0)
        return BECAUSE(error, size, "rate %.64s: loadgen %s has no rate", text, load->name);
    return rate_usual(run, text, rate, error, size);
}
