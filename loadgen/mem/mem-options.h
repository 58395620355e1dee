#ifndef LOADGEN_MEM_OPTIONS_H
#define LOADGEN_MEM_OPTIONS_H

/* The options of loadgen mem, and what follows from them: where each array is, and
 * what one paced operation does. */

#include "load.h"
#include "mem/kernels.h"

extern const struct option_row mem_options[];
extern const char *const mem_simd_choices[]; /* of --simd */
/* load.h's check. */
void mem_check(struct run *run);
/* Makes run->state, and checks the machine, --simd, --node; then the caller gives the
 * footprint of all workers together, and the rest of the plan follows, or exit 2. */
void mem_open(struct run *run, enum mem_kernel kernel);
void mem_set_footprint(struct run *run, double footprint_bytes);

#endif
