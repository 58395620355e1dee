#ifndef LOADGEN_WINDOW_H
#define LOADGEN_WINDOW_H

/* What a load did between two times: a mark, an interval, all of it. */

#include "load.h"

/* Reports event "mark", "interval" or "summary"; mark: its name or NULL. window:
 * the differences since the last one. */
void window_report(struct run *run, const char *event, const char *mark,
                   const struct snapshot *window);
/* The field "cpus": where the kernel lets the load run, read back from it; null
 * when nothing of the load is there to ask about. */
void window_cpus(struct run *run, struct line *line);

#endif
