#ifndef STATS_DESCRIBE_H
#define STATS_DESCRIBE_H

#include "interval.h"
#include "messages.h"
#include "session.h"
#include "settings.h"

// What was seen, in numbers: the details of the warnings about odd values.

// Adds to a message whose flag is below ODDITIES, and was found for that
// condition and metric, its details and the runs that it is about.
void describe_oddity(struct session *session, size_t condition, size_t metric,
                     struct message *message);

#endif
