#ifndef LOADGEN_MEASURE_H
#define LOADGEN_MEASURE_H

/* Runs a load without a limit for a calibration, and judges its one-second rates. */

#include "histogram.h"
#include "load.h"

struct measured {
    struct steady steady;   /* of the one-second rates; slope in percent a second */
    double rate;            /* base units a second over all of it */
    double operations;      /* a second */
    double foreign;         /* share of the machine's CPUs that others used; NAN: unknown */
    struct snapshot window; /* all figures of that time */
    /* Objects of the load's own fields, of `ready` and of `summary`, while it ran. */
    struct line ready, summary;
};

/* Drives the engine from start to stop: a ramp of a fifth of length_ns (1 s at
 * most), then length_ns in samples of a second (five shorter ones if length_ns is
 * below that). What the load's prepare() made is the caller's to clean up. 0; or
 * -1, and error says what was wrong. */
int measure(struct run *run, int64_t length_ns, struct measured *measured, char *error,
            size_t size);
/* Takes NULL, too. */
void measured_free(struct measured *measured);
/* The fields unit, rate, operations_per_s, minimum, maximum, sd, spread_percent,
 * slope_percent_per_s, steady, cpu_s; and p50_ns, p99_ns if the load has operations. */
void measured_write(struct line *line, const struct run *run, const struct measured *measured);
/* One line for people: title and rate, spread, slope; a complaint if not steady. */
void measured_print(struct run *run, const char *title, const struct measured *measured);

#endif
