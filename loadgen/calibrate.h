#ifndef LOADGEN_CALIBRATE_H
#define LOADGEN_CALIBRATE_H

/* `loadgen LOAD [options] --calib [SECONDS]`: measures a load without a limit, and
 * keeps its rate; see calibration.h. */

struct run;

/* After check(). Ends what check() has begun; returns the exit status, after it has
 * said what went wrong. */
int calibrate(struct run *run);

#endif
