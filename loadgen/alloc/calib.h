#ifndef LOADGEN_ALLOC_CALIB_H
#define LOADGEN_ALLOC_CALIB_H

#include "load.h"

/* loadgen alloc --calib. Returns the exit status. */
int alloc_calibrate(struct run *run);
/* percent of what was measured of such a load. As calibration_percent(). */
int alloc_percent(struct run *run, double percent, double *rate, char *error, size_t size);

#endif
