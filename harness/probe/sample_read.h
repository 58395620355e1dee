#ifndef PROBE_SAMPLE_READ_H
#define PROBE_SAMPLE_READ_H

#include "harness/pressure/activity_table.h"
#include "harness/probe/kernel.h"
#include "harness/probe/reporters.h"

#include <jansson.h>

/* The readings and activities (NAN: none) of a jostle.probe-sample/1 file. Reasons stay the
 * record's, which *record holds: to be released by json_decref(). False after a message. */
bool sample_read(const char *path, struct reading readings[REPORTERS], double activity[ACTIVITIES],
                 json_t **record);
/* The facts of a file with `kernel` of a jostle.probe/1; path NULL: nothing is known. False after
 * a message. */
bool facts_read(const char *path, struct kernel_facts *facts);

#endif
