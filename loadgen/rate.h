#ifndef LOADGEN_RATE_H
#define LOADGEN_RATE_H

/* What the text of --limit and of `rate` lines means to a load. */

#include <stddef.h>

struct run;

/* Base units a second for all workers together into *rate. On failure returns -1
 * and writes what was wrong and what to do into error. */
int rate_of(struct run *run, const char *text, double *rate, char *error, size_t size);
/* The same for loads without a meaning of their own: bytes for loads that count
 * bytes, operations for those that count operations, percent of a calibration. */
int rate_usual(struct run *run, const char *text, double *rate, char *error, size_t size);
/* The same for loads whose operation is several units in a row, and sets run->quantum, how many:
 * as many as keep the rate in so many steps a second, 1 to `most`. Each step takes a sleep, which
 * is a context switch. Once workers run the quantum stays as it is. */
int rate_in_steps(struct run *run, const char *text, double most, double steps_per_s, double *rate,
                  char *error, size_t size);

#endif
