#ifndef REPORT_CAMPAIGNS_H
#define REPORT_CAMPAIGNS_H

#include "reading.h"

/* The campaigns of a report, and what they planned. */

struct campaigns {
    struct document *item;
    char **text; /* campaign.conf of each; NULL: none */
    size_t count, allocated;
    char **unstarted; /* names of cells that have no folder yet */
    size_t unstarted_count, unstarted_allocated;
};

void campaigns_add(struct campaigns *campaigns, const char *dir, struct problems *problems);
/* Finds out what was not started, of what wanted->only selects. */
void campaigns_settle(struct campaigns *campaigns, const struct folders *folders,
                      const struct wanted *wanted);
/* How many cells were planned. */
size_t campaigns_cells(const struct campaigns *campaigns);
void campaigns_free(struct campaigns *campaigns);

#endif
