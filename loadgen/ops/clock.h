#ifndef LOADGEN_OPS_CLOCK_H
#define LOADGEN_OPS_CLOCK_H

/* The clock of the CPU that the caller runs on, in Hz, as the speed of additions that each need
 * the one before: one takes one cycle (uops.info and Agner Fog's tables: ADD r64, r64, latency 1,
 * from Haswell and Zen on; Arm's optimization guides of Neoverse: ADD, latency 1). Not of ADD
 * with a constant, which Golden Cove does while it renames registers. An interrupt or another
 * task only makes it slower, so the fastest of three counts. It takes some 30 us. NAN: not
 * known of this kind of machine. */
double clock_measure(void);

#endif
