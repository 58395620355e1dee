#ifndef LOADGEN_MEM_H
#define LOADGEN_MEM_H

/* The functions of load.h: loadgen cache is the same one with options of
 * its own. */

#include "load.h"
#include "mem/mem-options.h"

int mem_prepare(struct run *run);
int mem_begin(struct worker *worker);
double mem_operate(struct worker *worker);
int mem_verify(struct run *run);
void mem_end(struct worker *worker);
void mem_cleanup(struct run *run);
extern const struct load_accounting mem_accounting;

/* What loadgen mem and loadgen cache count and report of themselves. */

/* By a worker alone: time inside the kernel, and the units done in it. */
void mem_add_busy(struct mem_busy *busy, int64_t ns, uint64_t units);
/* load.h's count, fields, summary, notes and describe. */
void mem_count(struct run *run, double counters[LOAD_COUNTERS]);
void mem_fields(struct run *run, const struct snapshot *window, struct line *line);
void mem_notes(struct run *run, const char *event, const struct snapshot *window);
void mem_summary(struct run *run, const struct snapshot *window, struct line *line);
void mem_describe(struct run *run, struct line *line);

#endif
