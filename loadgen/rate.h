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

#endif
