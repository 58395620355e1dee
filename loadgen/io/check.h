/* The load's check on itself: what it claims is compared with what the kernel counted
 * for this process, and at the device. */
#ifndef LOADGEN_IO_CHECK_H
#define LOADGEN_IO_CHECK_H

#include "load.h"

/* load.h's count, fields and notes. */
void io_count(struct run *run, double counters[LOAD_COUNTERS]);
void io_fields(struct run *run, const struct snapshot *window, struct line *line);
void io_notes(struct run *run, const char *event, const struct snapshot *window);
/* Device bytes / claimed bytes, in the directions that the load uses; NAN
 * without either. */
double io_device_ratio(const struct run *run, const struct snapshot *window);
enum io_verdict { IO_AGREES, IO_DEVICE_LESS, IO_DEVICE_MORE };
/* What the comparison shows: one sentence into text, or "" with IO_AGREES. */
enum io_verdict io_judge(const struct run *run, const struct snapshot *window, char *text,
                         size_t size);

#endif
