/* What a network load has sent and received, and how it reports that. */
#ifndef LOADGEN_NET_REPORT_H
#define LOADGEN_NET_REPORT_H

#include "load.h"

/* load.h's delivered, count, fields, notes and describe. */
double net_delivered(struct run *run);
void net_count_all(struct run *run, double counters[LOAD_COUNTERS]);
void net_fields(struct run *run, const struct snapshot *window, struct line *line);
void net_notes(struct run *run, const char *event, const struct snapshot *window);
void net_describe(struct run *run, struct line *line);

#endif
