#ifndef LOADGEN_MEM_CALIB_H
#define LOADGEN_MEM_CALIB_H

#include "load.h"

/* loadgen mem --calib and loadgen cache --calib. Returns the exit status. */
int mem_calibrate(struct run *run);
/* percent of what was measured of such a load. As calibration_percent(). */
int mem_percent(struct run *run, double percent, double *rate, char *error, size_t size);

#endif
