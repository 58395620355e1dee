#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "reading.h"

/* Prints CSV, a line for each run of the selected experiments in the order of
 * folders, after the names of the columns. False: it could not be written. */
bool runs_print(const struct folders *folders, const struct wanted *wanted,
                struct problems *problems);

#endif
