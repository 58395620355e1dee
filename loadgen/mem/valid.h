#ifndef LOADGEN_MEM_VALID_H
#define LOADGEN_MEM_VALID_H

/* STREAM's validity check (J. D. McCalpin, stream.c, checkSTREAMresults()): after n passes
 * the arrays have the values that n passes over one element of each have, to an average
 * relative error of 1e-13 for doubles; of read the sum has. */

#include "mem/sweep.h"

#define MEM_VALID_ERROR 1e-13

/* The largest of the arrays' average relative errors. Of a random course an element may
 * have the values before or after. */
double mem_valid_error(const struct mem_course *course, const struct mem_sweep *sweep,
                       double *const array[MEM_ARRAYS]);

#endif
