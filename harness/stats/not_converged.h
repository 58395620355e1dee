// The warning that an error is larger than was asked.
#ifndef STATS_NOT_CONVERGED_H
#define STATS_NOT_CONVERGED_H

#include "messages.h"
#include "session.h"

#include <stddef.h>

// That the error after so many runs is larger than was asked; INFINITY: it is not known.
struct message not_converged(const struct session *session, size_t condition, size_t metric,
                             double error, size_t runs);

// Adds how to come to know it better: `needed` runs would do; NAN: how many is not known.
void not_converged_remedy(struct message *message, double needed);

#endif
