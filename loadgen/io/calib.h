#ifndef LOADGEN_IO_CALIB_H
#define LOADGEN_IO_CALIB_H

struct run;

/* loadgen io --calib. Returns the exit status. */
int io_calibrate(struct run *run);

#endif
