// What is odd about the runs, in words that help.
#ifndef STATS_DIAGNOSE_H
#define STATS_DIAGNOSE_H

#include "session.h"

enum flag {
    FLAG_OUTLIERS,
    FLAG_TWO_MODES,
    FLAG_WARM_UP,
    FLAG_STEP,
    FLAG_TREND,
    FLAG_AUTOCORRELATION,
    FLAG_COARSE_CLOCK,
    FLAG_LOAD_VARIANCE,
    FLAGS,
};

extern const char *const flag_names[FLAGS];

// A set of flags, a bit each (1 << flag), for one condition and metric.
unsigned diagnose_flags(struct session *session, size_t condition, enum metric metric);

// A new reference to an array of {flag, condition, metric, message, runs} for
// all conditions and the metrics that were asked for; NULL if memory ran out.
json_t *diagnose_warnings(struct session *session);

#endif
