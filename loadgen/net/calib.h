#ifndef LOADGEN_NET_CALIB_H
#define LOADGEN_NET_CALIB_H

struct run;

/* loadgen net --calib: what these options reach without a limit. Returns the exit
 * status. */
int net_calibrate(struct run *run);

#endif
