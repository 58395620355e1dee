#ifndef LOADGEN_CONTROL_H
#define LOADGEN_CONTROL_H

/* The control plane: stdin's lines, signals, timers, on one libuv loop in the
 * main thread. */

struct run;

/* Runs a prepared load until it ends; returns the exit code. */
int control_run(struct run *run);

#endif
