#ifndef LOADGEN_MEM_REPORT_H
#define LOADGEN_MEM_REPORT_H

/* What loadgen mem and loadgen cache count and report of themselves. */

#include "mem/mem-state.h"

/* By a worker alone: time inside the kernel, and the units done in it. */
void mem_add_busy(struct mem_busy *busy, int64_t ns, uint64_t units);
/* load.h's count, fields, summary, notes and describe. */
void mem_count(struct run *run, double counters[LOAD_COUNTERS]);
void mem_fields(struct run *run, const struct snapshot *window, struct line *line);
void mem_notes(struct run *run, const char *event, const struct snapshot *window);
void mem_summary(struct run *run, const struct snapshot *window, struct line *line);
void mem_describe(struct run *run, struct line *line);

#endif
