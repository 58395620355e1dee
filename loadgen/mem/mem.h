#ifndef LOADGEN_MEM_H
#define LOADGEN_MEM_H

/* The functions of load.h: loadgen cache is the same one with options of
 * its own. */

#include "load.h"

int mem_prepare(struct run *run);
int mem_begin(struct worker *worker);
double mem_operate(struct worker *worker);
int mem_verify(struct run *run);
void mem_end(struct worker *worker);
void mem_cleanup(struct run *run);
extern const struct load_accounting mem_accounting;

#endif
