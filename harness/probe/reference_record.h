#ifndef PROBE_REFERENCE_RECORD_H
#define PROBE_REFERENCE_RECORD_H

/* What the runs of a reference's experiment come to: a jostle.probe-reference/1. Pure. */

#include "reference_runs.h"

#include <jansson.h>

struct reference_source {
    const struct reference_runs *runs;
    const json_t *experiment; /* experiment.json */
    const json_t *quiet;      /* the record of the quiet machine (probe reference --look), of which
                                 the spread of windows is; NULL: none */
    const json_t *later;      /* array of the same: after the experiment, and at other times */
    const char *place;
    const char *disturbed; /* what else was going on; "": nothing */
    const char *folder;    /* of the experiment, as it is to be named */
};

/* A new reference; NULL: out of memory. */
json_t *reference_record(const struct reference_source *source);

#endif
