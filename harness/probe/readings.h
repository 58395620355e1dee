#ifndef PROBE_READINGS_H
#define PROBE_READINGS_H

#include "harness/probe/reporters.h"

#include "common/json.h"

/* The member `reporters` of a record: an array with what each that is wanted has read. */
void readings_print(struct line *line, const struct reporter_set *set,
                    const bool wanted[REPORTERS]);

#endif
