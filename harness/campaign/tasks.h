#ifndef CAMPAIGN_TASKS_H
#define CAMPAIGN_TASKS_H

/* The cells to measure, grouped into the tasks of a job array. */

#include <jansson.h>
#include <stdint.h>
#include <stdio.h>

struct task_size {
    uint64_t cells; /* so many at most; 0: as the seconds say */
    double seconds; /* a task of several cells takes no longer */
};

struct tasks {
    uint64_t cells, tasks; /* how many */
};

/* How long a task should take, in seconds, with so many nodes (at least 1). cells: those
 * of a jostle.plan/1; the ones that are done do not count. */
double tasks_seconds(const json_t *cells, uint64_t nodes);

/* Prints a line for each task, with its cells as a list such as 3-7,9; the cells stay in
 * their order, and sessions apart. The caller looks at the stream's errors. */
struct tasks tasks_print(const json_t *cells, const struct task_size *size, FILE *stream);

#endif
