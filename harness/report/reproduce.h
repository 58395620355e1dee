#ifndef REPORT_REPRODUCE_H
#define REPORT_REPRODUCE_H

#include "experiment.h"

/* The command line that measures a cell's experiment again: what was not the
 * default. To be freed. */
char *reproduce_command(const struct cell *cell);

#endif
