// The runs of all conditions in the order of measurement: what moves the
// machine moves them all.
#ifndef STATS_SERIES_H
#define STATS_SERIES_H

#include "dependence.h"
#include "session.h"

// How the runs depend on each other: with several conditions each run counts by
// its deviation from the mean of its own, in that condition's standard deviations.
struct dependence series_dependence(const struct session *session, size_t metric);

#endif
