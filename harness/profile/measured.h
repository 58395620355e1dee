// One experiment of a profile, as it was measured.
#ifndef PROFILE_MEASURED_H
#define PROFILE_MEASURED_H

#include "harness/stats/experiment.h"
#include "harness/stats/session.h"

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct measured {
    struct experiment experiment;
    struct session session;
    struct replay replay;
};

// Whether the experiment has ended by itself.
bool measured_is_done(const char *folder, const char *name);

// Whether it was begun.
bool measured_is_begun(const char *folder, const char *name);

// Reads FOLDER/NAME. False after a message on stderr. To be freed in either case.
bool profile_measured_read(struct measured *measured, const char *folder, const char *name);

// FOLDER/NAME/result.json, a new reference; NULL after a message on stderr.
json_t *measured_result(const char *folder, const char *name);

// A metric of the used runs of a condition, in the order of measurement; to be freed.
double *measured_values(const struct measured *measured, size_t condition, size_t metric,
                        size_t *count);

// By block (0 to measured->session.blocks - 1), NAN where the condition has no usable run
// there; to be freed.
double *measured_by_block(const struct measured *measured, size_t condition, size_t metric);

// Seconds from a run's end to the next one's start, on average: what is spent around a run; 0:
// fewer than two runs.
double measured_overhead_s(const struct measured *measured);

void profile_measured_free(struct measured *measured);

#endif
