#ifndef PLACEMENT_PLANS_H
#define PLACEMENT_PLANS_H

/* What the workers of a load would use: loadgen's own plan of each load that a SPEC
 * joins, on the CPUs of the list (NULL: wherever they may run). A load that loadgen
 * refuses ends the program with loadgen's message and exit status. */

#include <jansson.h>

/* Appends the plans, one object each, to list. */
void plans_read(const char *spec, const char *cpus, json_t *list);
/* A line for each on stdout. */
void plans_print(const char *spec, const char *cpus);

#endif
