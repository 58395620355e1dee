#ifndef PROBE_REFERENCE_LOOK_H
#define PROBE_REFERENCE_LOOK_H

#include "harness/probe/kernel.h"
#include "harness/probe/reference_options.h"

#include <stdbool.h>
#include <stddef.h>

/* In the folder of the records: before the experiment and after it. */
#define REFERENCE_LOOK       "quiet.json"
#define REFERENCE_LOOK_AFTER "quiet-after.json"
/* All but the first, also those at other times (quiet-20260102T030405Z.json). */
#define REFERENCE_LATER "quiet-*.json"

/* Samples the machine alone, where the caller may run; writes what the windows have shown, and
 * what the kernel has, to one of these files in the folder. Exit status 1, after a message, where
 * the machine is not quiet before the experiment and that is not forced. */
int reference_look(const struct reference_choices *choices, const char *folder);

/* What disturbs a machine that should be quiet, on one line; "": nothing. Pure. */
void reference_disturbance(const struct kernel_facts *facts, char *text, size_t size);

#endif
