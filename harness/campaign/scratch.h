#ifndef CAMPAIGN_SCRATCH_H
#define CAMPAIGN_SCRATCH_H

#include <limits.h>
#include <stdbool.h>

/* The empty working folder of a cell. It is noted in the cell's folder, by host: what a
 * session left that was killed is removed by the next, where nobody has its lock. */

struct scratch {
    char path[PATH_MAX]; /* "": there is none */
    char note[PATH_MAX];
    int fd; /* locked, as long as we live; -1: it cannot be */
};

/* Makes one in base for the cell whose records are in folder. False after a message. */
bool scratch_make(struct scratch *scratch, const char *base, const char *folder);
/* Removes it, with everything in it. */
void scratch_remove(struct scratch *scratch);

#endif
