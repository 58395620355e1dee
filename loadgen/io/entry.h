/* What is kept of a disk's calibration, and percentages of it. */
#ifndef LOADGEN_IO_ENTRY_H
#define LOADGEN_IO_ENTRY_H

#include "io/io-state.h"

/* percent of the calibrated rate (base units a second) for the run's plan. 0; or
 * -1, and error says how to make a calibration. */
int io_entry_rate(struct run *run, double percent, double *rate, char *error, size_t size);
/* The key of a record with blocks of these sizes. */
void io_entry_key(const struct io_state *state, uint64_t sequential_bytes, uint64_t random_bytes,
                  struct calibration_key *key);

#endif
