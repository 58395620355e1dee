// Whether a server that was started can be used, by the sign of --ready.
#ifndef METER_SERVICE_READY_H
#define METER_SERVICE_READY_H

#include "service_process.h"

#include "common/ready.h"

#include <stdbool.h>
#include <stddef.h>

// Whether the sign is not there before the start: else something else would be measured. A command
// has a second to succeed. False: text says what is there.
bool service_ready_absent(struct service_process *process, const struct ready *ready, char *text,
                          size_t size);

// Waits for the sign, --ready-timeout at most. False: text says why it did not come, and is ""
// where we have to leave.
bool service_ready_await(struct service_process *process, const struct ready *ready, char *text,
                         size_t size);

#endif
