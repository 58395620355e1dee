/* What a rate means to a load. */

#include "load.h"

#include "engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* The default meaning of a rate: bytes for loads that count bytes, operations
 * for those that count operations. */
int load_plain_rate(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    struct rate given;
    const bool bytes = strcmp(run->unit, UNIT_BYTES) == 0;
    const char *example = bytes ? "10M or 10MiB/s" : "5000iops or 5k";
    if (units_rate(text, &given) != 0) {
        snprintf(error, size, "rate %.64s: not a rate: give one such as %s", text, example);
    } else if (given.value <= 0) {
        snprintf(error, size, "rate %.64s: nothing would happen: give more than 0", text);
    } else if (given.kind == RATE_PERCENT || given.kind == (bytes ? RATE_OPS : RATE_BYTES)) {
        snprintf(error, size, "rate %.64s: this load counts in %s: give %s", text, run->unit,
                 example);
    } else {
        *rate = given.value;
        return 0;
    }
    return -1;
}

int load_rate(struct run *run, const char *text, double *rate, char *error, size_t size)
{
    if (run->load->rate != NULL)
        return run->load->rate(run, text, rate, error, size);
    if (strcmp(run->unit, UNIT_NONE) == 0) {
        snprintf(error, size, "rate %.64s: loadgen %s has no rate", text, run->load->name);
        return -1;
    }
    return load_plain_rate(run, text, rate, error, size);
}
