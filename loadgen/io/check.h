/* The load's check on itself: what it claims is compared with what the kernel counted
 * for this process, and at the device. */
#ifndef LOADGEN_IO_CHECK_H
#define LOADGEN_IO_CHECK_H

#include "common/device.h"
#include "load.h"

/* What the block layer did for this process (/proc/self/io; its read_bytes and
 * write_bytes; no operation counts). Zero where it does not say. */
void io_count_self(struct device_counters *counters);

/* load.h's count, fields and notes. */
void io_count(struct run *run, double counters[LOAD_COUNTERS]);
void io_fields(struct run *run, const struct snapshot *window, struct line *line);
void io_notes(struct run *run, const char *event, const struct snapshot *window);

#endif
