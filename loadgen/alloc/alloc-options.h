#ifndef LOADGEN_ALLOC_OPTIONS_H
#define LOADGEN_ALLOC_OPTIONS_H

/* The options of loadgen alloc, and what follows from them. */

#include "load.h"

extern const struct option_row alloc_options[];
/* load.h's check and rate. */
void alloc_check(struct run *run);
int alloc_rate(struct run *run, const char *text, double *rate, char *error, size_t size);

#endif
