#ifndef REPORT_RUNS_H
#define REPORT_RUNS_H

#include "collect.h"

/* Prints a JSON array for each run of the selected experiments, in the order of
 * folders, after one with the names of the columns. False: it could not be written. */
bool runs_print(const struct folders *folders, const struct wanted *wanted,
                struct problems *problems);

#endif
