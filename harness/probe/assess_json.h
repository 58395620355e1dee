#ifndef PROBE_ASSESS_JSON_H
#define PROBE_ASSESS_JSON_H

/* A jostle.probe/1: results/schema/jostle.probe.schema.json. */

#include "harness/probe/assess.h"

#include <jansson.h>

/* What the assessment does not know of itself. */
struct probe_context {
    const char *made;         /* when, as a record has it */
    double duration_s;        /* of sampling, without the time to begin */
    const char *place, *cpus; /* where the probe ran; cpus NULL: anywhere */
    const char *reference;    /* file; NULL: there is none */
    const char *reference_made;
    const char *program; /* of --for; NULL: none */
    bool limited;
    double at_most;
    const json_t *reasons; /* texts: what is missing or doubtful; an array */
};

/* A new reference; NULL: out of memory. */
json_t *assessment_to_json(const struct assessment *assessment,
                           const struct probe_context *context);

#endif
