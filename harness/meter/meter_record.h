// The record of a run: jostle.meter/1.
#ifndef METER_METER_RECORD_H
#define METER_METER_RECORD_H

#include "run.h"

#include <stdbool.h>

// Writes the record (results/schema/jostle.meter.schema.json) as one JSON line to fd.
// False with errno.
bool meter_record_write(const struct run *run, int fd);

#endif
